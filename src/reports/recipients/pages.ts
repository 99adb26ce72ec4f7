import { memoize } from '../../infra/memoize.ts';
import { type Language, say } from '../../web/language.ts';
import {
  BASE_STYLE,
  fixedNotice,
  html,
  NOTHING,
  type Page,
  pageAssets,
  wholePage,
} from '../../web/layout.ts';
import type { Phrase } from '../../web/phrases/en.ts';
import { describe, type ReportNames } from './confirmation.ts';

/*
 * Pages of people who get a report by email. A GET only shows a page with a button, because virus
 * scanners open every URL of a mail; the POST of the button changes something.
 */

const ASSETS = pageAssets(`${BASE_STYLE}
h1+p{margin-top:1rem}
p+p{margin-top:.5rem}
form{display:flex;margin-top:1.5rem}`);
const NO_INDEX = ['X-Robots-Tag', 'noindex'];

interface Words {
  title: string;
  lines: readonly string[];
  /** Label of a button that sends a POST to the URL of the page. */
  button?: Phrase;
}

function pageOf(language: Language, { title, lines, button }: Words): Page {
  const form =
    button === undefined
      ? NOTHING
      : html`<form method="post"><button class="action main">${say(language, button)}</button></form>\n`;
  const body = html`<main class="notice">
<h1>${title}</h1>
${lines.map((line) => html`<p>${line}</p>\n`)}${form}</main>`;
  const allow = button === undefined ? {} : ({ forms: 'self' } as const);
  return wholePage(200, ASSETS, { language, title, body, allow }, NO_INDEX);
}

/** Builds a page that only says something, once for each language. */
const statement = (title: Phrase, text: Phrase) =>
  memoize(
    (language: Language) =>
      pageOf(language, { title: say(language, title), lines: [say(language, text)] }),
    new Map(),
  );

/** Asks a person whether they want a report. */
export const confirmPage = (names: ReportNames, language: Language): Page =>
  pageOf(language, {
    title: say(language, 'Do you want this report by email?'),
    lines: describe(names, language),
    button: 'Yes, send me this report',
  });

/** Says that a person has confirmed. */
export const confirmedPage = statement(
  'You will get this report by email',
  'Each email has a link to unsubscribe.',
);

/** Says that a link to confirm has expired, or never existed. */
export const invalidLinkPage = fixedNotice(
  404,
  { title: 'This link is no longer valid', text: 'It has expired, or a newer email replaced it.' },
  NO_INDEX,
);

/** Asks a person whether they want no more mails with a report. */
export const unsubscribePage = memoize(
  (language: Language) =>
    pageOf(language, {
      title: say(language, 'Unsubscribe'),
      lines: [say(language, 'You will no longer get this report by email.')],
      button: 'Unsubscribe',
    }),
  new Map(),
);

/** Says that a person gets no more mails with a report. */
export const unsubscribedPage = statement(
  'Unsubscribed',
  'You will no longer get this report by email.',
);
