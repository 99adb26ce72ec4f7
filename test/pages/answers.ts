/* Builds one answer of every kind, by the path under which the photograph program serves it. */

import type { FormField, LinkEntry, PageEntry } from '../../src/lookup/entry.ts';
import { statsPage } from '../../src/public-stats/page.ts';
import { type BeforePageOptions, beforePage } from '../../src/redirect/pages/before.ts';
import { cardPage } from '../../src/redirect/pages/card.ts';
import { displayPage, fileAnswer } from '../../src/redirect/pages/display.ts';
import {
  badRequestPage,
  blockedPage,
  expiredPage,
  methodNotAllowedPage,
  notFoundPage,
  notStartedPage,
  tooMuchPage,
  unavailablePage,
} from '../../src/redirect/pages/notices.ts';
import { officePage } from '../../src/redirect/pages/office.ts';
import { ownVisitsPage } from '../../src/redirect/pages/own-visits.ts';
import { previewPage } from '../../src/redirect/pages/preview.ts';
import { readReport, reportedPage, reportPage } from '../../src/redirect/pages/report.ts';
import { reportPage as sharedReportPage } from '../../src/reports/page.ts';
import { confirmedPage, confirmPage, unsubscribePage } from '../../src/reports/recipients/pages.ts';
import type { Language } from '../../src/web/language.ts';
import type { Page as Answer } from '../../src/web/layout.ts';
import { passwordPage } from '../../src/web/password-page.ts';
import type { Phrase } from '../../src/web/phrases/en.ts';
import { HOSTILE, SAMPLES } from '../support/display-samples.ts';
import { allTime, campaign, NOTHING_YET, noCampaign, thirtyDays, today } from './statistics.ts';

/** Languages that expose what English hides: long words, and a script without spaces. */
const OTHERS = ['de', 'ja'] as const satisfies readonly Language[];

const NOW = Date.UTC(2026, 4, 12, 9, 30);
const STARTS = Date.UTC(2026, 8, 1, 7, 0);

/**
 * Builds all answers by path.
 * @param picture URL of a picture on another host
 */
export function answers(picture: string): Map<string, Answer> {
  return new Map([
    ...notices('', 'en'),
    ...display(),
    ...passwords('', 'en'),
    ...before(picture),
    ...previews(),
    ...cards(),
    ...statistics(),
    ...reports('', 'en'),
    ...OTHERS.flatMap((language) => inLanguage(language, picture)),
  ]);
}

const OWN = { action: '/_/own-visits?token=a', domain: 'acme.link' };
const REPORT = new URLSearchParams({ link: 'https://acme.link/prize', category: 'phishing' });

type Named = [name: string, answer: Answer][];

function notices(suffix: string, language: Language): Named {
  return [
    [`bad-request${suffix}`, badRequestPage(language)],
    [`blocked${suffix}`, blockedPage(language, 'https://acme.link/prize')],
    [`own-visits${suffix}`, ownVisitsPage(language, { ...OWN, isCounted: true })],
    [`own-visits-off${suffix}`, ownVisitsPage(language, { ...OWN, isCounted: false })],
    [`report${suffix}`, reportPage(language, REPORT)],
    [`report-wrong${suffix}`, reportPage(language, REPORT, readReport(new URLSearchParams()))],
    [`report-too-many${suffix}`, reportPage(language, REPORT, { waitMinutes: 42 })],
    [`reported${suffix}`, reportedPage(language)],
    [`expired${suffix}`, expiredPage(language)],
    [`method-not-allowed${suffix}`, methodNotAllowedPage(language)],
    [`not-found${suffix}`, notFoundPage(language)],
    [`not-started${suffix}`, notStartedPage(STARTS, NOW, language)],
    [`too-much${suffix}`, tooMuchPage(language)],
    [`unavailable${suffix}`, unavailablePage(language)],
    // The page with a refresh would be gone before it is photographed.
    [`office${suffix}`, officePage('/garden?from=poster', 'ms-office; MSIE 7.0', language)],
  ];
}

function display(): Named {
  return Object.entries(SAMPLES).flatMap(([name, sample]): Named => {
    const address = { shortLink: `https://acme.link/${name}`, fileHref: `/${name}.file` };
    const page: Named = [[name, displayPage(sample, address)]];
    return sample.file === undefined ? page : [...page, [`${name}.file`, fileAnswer(sample.file)]];
  });
}

function passwords(suffix: string, language: Language): Named {
  const page = (...last: [Parameters<typeof passwordPage>[2]?]) =>
    passwordPage('/plan', language, ...last);
  return [
    [`password${suffix}`, page()],
    [`password-wrong${suffix}`, page({ outcome: 'wrong' })],
    [`password-too-many${suffix}`, page({ outcome: 'tooMany', waitSeconds: 42 })],
  ];
}

const FIELDS: FormField[] = [
  { name: 'name', label: 'Your name', type: 'text', required: true, placeholder: 'Ada Lovelace' },
  { name: 'email', label: 'Email', type: 'email', required: true },
  { name: 'phone', label: 'Phone', type: 'phone', required: false, placeholder: '+49 30 901820' },
  { name: 'people', label: 'How many people', type: 'number', required: true },
  {
    name: 'room',
    label: 'Room',
    type: 'select',
    required: true,
    options: ['Winter garden', 'Library', 'The large hall on the first floor, beside the stairs'],
  },
  { name: 'note', label: 'Anything else we should know?', type: 'textarea', required: false },
  {
    name: 'terms',
    label: 'I have read the house rules and shall bring my own cup.',
    type: 'checkbox',
    required: true,
  },
  { name: 'news', label: 'Send me news', type: 'checkbox', required: false },
];

const ERRORS: [name: string, error: Phrase][] = [
  ['name', 'Please fill in this field.'],
  ['email', 'Please enter an email address.'],
  ['people', 'Please enter a number.'],
  ['room', 'Please choose one of these.'],
  ['note', 'This is too long.'],
  ['terms', 'Please fill in this field.'],
];

const SENT = 'name=&email=ada@&phone=%2B44+20&people=two&room=&note=Lorem+ipsum&news=yes';

const WORDS = { id: 'page_1', projectId: 'ws_1', title: 'Doors open at seven' };
const TEXT =
  'The concert is sold out, but the garden is open to everybody.\n\nBring a blanket and something warm.';

/** Builds a page before the destination; only a page with a form can be mandatory. */
function beforeAnswer(page: Partial<PageEntry>, showing: Partial<BeforePageOptions> = {}): Answer {
  return beforePage(
    { ...WORDS, ...page },
    {
      language: 'en',
      onward: '/_/continue/mabc.def.ghi/concert?from=poster',
      isMandatory: false,
      waitSeconds: 0,
      ...showing,
    },
  );
}

function before(image: string): Named {
  const sent = { form: new URLSearchParams(SENT), errors: new Map(ERRORS) };
  const hostile: Partial<PageEntry> = {
    title: `${HOSTILE.script} ${HOSTILE.override}`,
    text: `${HOSTILE.unbroken}\n${HOSTILE.quotes} رسالة`,
    button: HOSTILE.unbroken.slice(0, 80),
    fields: FIELDS.map((field) => ({
      ...field,
      label: `${HOSTILE.unbroken.slice(0, 150)} ${HOSTILE.quotes}`,
      placeholder: HOSTILE.quotes,
      ...(field.type === 'select' ? { options: [HOSTILE.unbroken.slice(0, 200), 'שלום'] } : {}),
    })),
  };
  return [
    ['before-bare', beforeAnswer({})],
    ['before-text', beforeAnswer({ text: TEXT, button: 'To the programme' })],
    ['before-picture', beforeAnswer({ text: TEXT, image })],
    ['before-fields', beforeAnswer({ text: TEXT, fields: FIELDS })],
    ['before-mandatory', beforeAnswer({ image, fields: FIELDS }, { isMandatory: true })],
    ['before-faults', beforeAnswer({ text: TEXT, fields: FIELDS }, { isMandatory: true, sent })],
    ['before-wait', beforeAnswer({ text: TEXT }, { waitSeconds: 60 })],
    ['before-wait-fields', beforeAnswer({ fields: FIELDS.slice(0, 2) }, { waitSeconds: 60 })],
    ['before-waited', beforeAnswer({ text: TEXT, fields: FIELDS.slice(0, 1) }, { waitSeconds: 1 })],
    ['before-strange', beforeAnswer(hostile, { sent })],
  ];
}

const LINK: LinkEntry = {
  id: 'link_1',
  projectId: 'ws_1',
  destination: 'https://northwind.example/garden',
};
const LONG_URL = `https://northwind.example/${'a-long-way-to-the-garden/'.repeat(60)}?from=${'x'.repeat(500)}`;

function previewAnswer(link: Partial<LinkEntry>, language: Language = 'en'): Answer {
  const whole = { ...LINK, ...link };
  const { destination } = whole;
  const address = {
    shortLink: 'https://acme.link/garden',
    path: '/garden?from=poster',
    destination,
  };
  return previewPage(whole, address, language);
}

function previews(): Named {
  const everything: Partial<LinkEntry> = {
    card: { title: 'Summer in the garden' },
    before: { pageId: 'page_1' },
    ios: 'https://apps.apple.com/app/garden',
  };
  return [
    ['preview', previewAnswer({})],
    ['preview-named', previewAnswer(everything)],
    ['preview-long', previewAnswer({ destination: LONG_URL })],
    ['preview-display', previewAnswer({ page: SAMPLES['wifi']! })],
  ];
}

const CARD = {
  title: 'Summer in the garden',
  description: 'Concerts, lanterns and lemonade, every Thursday until the end of August.',
};

function cardAnswer(card: LinkEntry['card'], language: Language = 'en'): Answer {
  const { destination } = LINK;
  const context = { shortLink: 'https://acme.link/garden', destination, language };
  return cardPage(card!, { ...context, isIndexed: false });
}

function cards(): Named {
  const film = { ...CARD, image: 'https://i.example/p.png', video: 'https://i.example/f.mp4' };
  return [
    ['card', cardAnswer(film)],
    ['card-picture-only', cardAnswer({ image: 'https://i.example/p.png' })],
    ['card-strange', cardAnswer({ title: HOSTILE.script, description: HOSTILE.unbroken })],
  ];
}

const STATS = { name: 'acme.link/garden', what: 'Clicks', language: 'en' } as const;

function statistics(): Named {
  const long = `acme.link/${'garden-and-terrace-'.repeat(10)}`;
  return [
    ['stats', statsPage(thirtyDays(), { ...STATS, interval: '30d' })],
    ['stats-empty', statsPage(NOTHING_YET, { ...STATS, interval: '7d' })],
    ['stats-all', statsPage(allTime(), { ...STATS, name: long, interval: 'all' })],
    ['stats-today', statsPage(today(), { ...STATS, what: 'Scans', interval: '24h' })],
  ];
}

const MAILED = { report: 'Spring in the garden', workspace: 'Acme', every: 'week' } as const;

function reports(suffix: string, language: Language): Named {
  const options = { name: 'Spring in the garden', language, locationsBy: 'DB-IP' as const };
  return [
    [`shared-report${suffix}`, sharedReportPage(campaign(), options)],
    [`shared-report-empty${suffix}`, sharedReportPage(noCampaign(), options)],
    [`confirm-report${suffix}`, confirmPage(MAILED, language)],
    [`confirmed-report${suffix}`, confirmedPage(language)],
    [`unsubscribe-report${suffix}`, unsubscribePage(language)],
  ];
}

/** Builds one page of each kind in another language. */
function inLanguage(language: (typeof OTHERS)[number], image: string): Named {
  const suffix = `-${language}`;
  const { name } = STATS;
  const sent = { form: new URLSearchParams(SENT), errors: new Map(ERRORS) };
  const address = { shortLink: 'https://acme.link/wifi' };
  const stats = { name, what: { de: 'Klicks', ja: 'クリック数' }[language], language };
  return [
    ...notices(suffix, language),
    ...passwords(suffix, language),
    [`before${suffix}`, beforeAnswer({ image, fields: FIELDS }, { language, sent })],
    [`preview${suffix}`, previewAnswer({ before: { url: 'https://a.example' } }, language)],
    [`card${suffix}`, cardAnswer(CARD, language)],
    [`display${suffix}`, displayPage(SAMPLES['wifi']!, address, language)],
    [`stats${suffix}`, statsPage(thirtyDays(), { ...stats, interval: '30d' })],
    [`stats-empty${suffix}`, statsPage(NOTHING_YET, { ...stats, interval: '90d' })],
    ...reports(suffix, language),
  ];
}
