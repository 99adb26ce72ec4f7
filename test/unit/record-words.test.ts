import { expect } from 'chai';
import fc from 'fast-check';
import {
  type ChangeNames,
  changesInWords,
  entryTitle,
  revertInWords,
  scheduledInWords,
} from '../../src/console/short-links/change-words.ts';
import {
  formatMoment,
  type Routed,
  routingSentences,
} from '../../src/console/short-links/routing-sentences.ts';

const NOW = Date.UTC(2026, 10, 29, 12);
const PAST = '2026-11-01T09:00:00.000Z';
const FUTURE = '2026-12-24T18:00:00.000Z';

const names: ChangeNames = {
  country: (code) => ({ DE: 'Germany', AT: 'Austria' })[code] ?? code,
  device: (type) => ({ mobile: 'a phone' })[type] ?? type,
  language: (tag) => ({ de: 'German' })[tag] ?? tag,
  label: (field) => ({ maxVisits: 'Click limit' })[field],
  record: (field, id) =>
    field === 'folderId'
      ? (new Map([['folder_1', 'Campaigns']]).get(id) ?? null)
      : new Map([
          ['template_1', 'Blue'],
          ['tag_1', 'Spring'],
          ['tag_2', 'Autumn'],
        ]).get(id),
  page: undefined,
  visitsInWords: (count) => `${count.toLocaleString('en')} click${count === 1 ? '' : 's'}`,
  now: NOW,
};

/** A record without any setting. */
const plain: Routed = {
  startsAt: null,
  expiresAt: null,
  expiredUrl: null,
  maxVisits: null,
  hasPassword: false,
  rules: null,
  ios: null,
  android: null,
  geo: null,
  testVariants: null,
  testCompletedAt: null,
  testWinner: null,
  preRedirection: false,
  pageUrl: null,
  isFormMandatory: false,
  proxy: false,
  flexible: false,
  forwardQuery: true,
  queryConflict: null,
  rewrite: false,
  redirectStatus: 302,
  trackConversion: false,
  trackEvents: true,
  webhookIds: null,
  publicStats: false,
  doIndex: false,
  archived: false,
};

const sentencesOf = (fields: Partial<Routed>, own: Partial<ChangeNames> = {}) =>
  routingSentences({ ...plain, ...fields }, { ...names, ...own });

describe('the settings of a link in sentences', () => {
  it('says nothing about a plain redirect', () => {
    expect(sentencesOf({})).to.deep.equal([]);
  });

  const variants = [
    { name: 'Short', url: 'https://a.example/', percentage: 60 },
    { name: 'Long', url: 'https://b.example/', percentage: 40 },
  ];
  const url = 'https://a.example/';
  const rows: [what: string, fields: Partial<Routed>, sentences: string[]][] = [
    ['a start to come', { startsAt: FUTURE }, [`Starts to work on ${formatMoment(FUTURE)}.`]],
    ['a start that has passed', { startsAt: PAST }, [`Has worked since ${formatMoment(PAST)}.`]],
    [
      'an expiry with another destination',
      { expiresAt: FUTURE, expiredUrl: url },
      [`Expires on ${formatMoment(FUTURE)}.`, `Once it has expired, visitors go to ${url}.`],
    ],
    ['an expiry that has passed', { expiresAt: PAST }, [`Expired on ${formatMoment(PAST)}.`]],
    ['a limit', { maxVisits: 5_000 }, ['Expires after 5,000 clicks.']],
    ['a limit of one', { maxVisits: 1 }, ['Expires after 1 click.']],
    ['a password', { hasPassword: true }, ['Visitors must enter a password.']],
    [
      'targets by system and country',
      { ios: url, geo: { DE: url, AT: url } },
      [
        `Visitors on iOS go to ${url}.`,
        `Visitors in Germany go to ${url}.`,
        `Visitors in Austria go to ${url}.`,
      ],
    ],
    [
      'a rule with several conditions',
      {
        rules: [
          {
            value: {
              country: ['DE', 'AT'],
              device: ['mobile'],
              language: ['de'],
              query: { ref: ['mail', 'sms'], test: true },
              time: { from: '09:00', to: '17:00', days: ['mon', 'fri'], timezone: 'UTC' },
              until: FUTURE,
            },
            url,
          },
        ],
      },
      [
        'Visitors in Germany or Austria, on a phone, who prefer German, with ref=mail or ref=sms and ' +
          'test in the short link, from 09:00 to 17:00 on Monday or Friday (UTC), ' +
          `until ${formatMoment(FUTURE)} go to ${url}.`,
      ],
    ],
    [
      'a rule for any trait',
      { rules: [{ value: 'DE', url }] },
      [`Visitors whose country, city, device, system, browser or language is DE go to ${url}.`],
    ],
    [
      'a running test',
      { testVariants: variants, testCompletedAt: FUTURE },
      [
        'An A/B test divides the other visitors: 60% to Short (https://a.example/), 40% to Long (https://b.example/).',
        `The A/B test ends on ${formatMoment(FUTURE)}.`,
      ],
    ],
    [
      'a test with a winner',
      { testVariants: variants, testCompletedAt: PAST, testWinner: 'Long' },
      ['The A/B test is over: Long won.'],
    ],
    [
      'a test without a winner',
      { testVariants: variants, testCompletedAt: PAST },
      [`The A/B test ended on ${formatMoment(PAST)} without a winner.`],
    ],
    [
      'a page with a form',
      { preRedirection: true, isFormMandatory: true },
      ['Visitors first see a page, and must fill in its form.'],
    ],
    ['webhooks', { webhookIds: ['wh_1', 'wh_2'] }, ['2 webhooks are told of each visit.']],
    ['another status', { redirectStatus: 301 }, ['Redirects have the status 301.']],
  ];
  for (const [what, fields, sentences] of rows) {
    it(`describes ${what}`, () => expect(sentencesOf(fields)).to.deep.equal(sentences));
  }

  it('names the page and the visits of the kind', () => {
    const fields = { preRedirection: true, maxVisits: 2 };
    expect(
      sentencesOf(fields, { page: 'Consent', visitsInWords: (count) => `${count} scans` }),
    ).to.deep.equal(['Expires after 2 scans.', 'Visitors first see the page “Consent”.']);
  });

  it('writes whole sentences about any conditions', () => {
    const texts = fc.array(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 3 });
    const conditions = fc.record(
      {
        country: texts,
        city: texts,
        device: texts,
        os: texts,
        browser: texts,
        language: texts,
        query: fc.dictionary(
          fc.string({ minLength: 1 }),
          fc.oneof(fc.constant(true as const), texts),
          { minKeys: 1 },
        ),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(fc.record({ value: conditions, url: fc.webUrl() })), (rules) => {
        const sentences = sentencesOf({ rules });
        expect(sentences).to.have.length(rules.length);
        for (const [index, sentence] of sentences.entries()) {
          expect(sentence.startsWith('Visitors ')).to.equal(true);
          expect(sentence.endsWith(` go to ${rules[index]!.url}.`)).to.equal(true);
        }
      }),
    );
  });
});

describe('the history of a link in words', () => {
  const ada = { userId: 'user_1', name: 'Ada' };

  it('says who did what', () => {
    const titleOf = (action: 'updated' | 'previewed' | 'reset', actor: typeof ada | null) =>
      entryTitle({ action, actor, changes: {} }, 'QR code');
    expect(titleOf('updated', ada)).to.equal('Ada changed the QR code');
    expect(titleOf('previewed', null)).to.equal(
      'The service filled in the link preview from the destination',
    );
    expect(
      entryTitle({ action: 'reverted', actor: { ...ada, apiKeyId: 'key_1' }, changes: {} }, 'link'),
    ).to.equal('Ada (API key) reverted a change of the link');
    expect(
      entryTitle({ action: 'imported', actor: { ...ada, name: null }, changes: {} }, 'link'),
    ).to.equal('A former member changed the link by an import');
  });

  const shown = (changes: Parameters<typeof changesInWords>[0]) =>
    changesInWords(changes, names).map(({ label, values }) => [label, values?.from, values?.to]);

  it('names fields and values as people do', () => {
    expect(
      shown({
        url: { from: 'https://a.example/', to: 'https://b.example/' },
        maxVisits: { from: null, to: 5 },
        folderId: { from: 'folder_1', to: 'folder_gone' },
        templateId: { from: 'template_1', to: 'template_2' },
        webhookIds: { from: [], to: ['webhook_1'] },
        tags: { from: [], to: [{ id: 'tag_1', name: 'Spring' }] },
        geo: { from: null, to: { DE: 'https://de.example/' } },
        rules: { from: null, to: [{ value: { country: ['AT'] }, url: 'https://at.example/' }] },
        flexible: { from: false, to: true },
        src: { from: null, to: 'data:image/png;base64,AAAA' },
        testVariants: {
          from: null,
          to: [{ name: 'A', url: 'https://a.example/', percentage: 50 }],
        },
      }),
    ).to.deep.equal([
      ['Destination', 'https://a.example/', 'https://b.example/'],
      ['Click limit', 'Nothing', '5'],
      ['Folder', 'Campaigns', 'A deleted one'],
      ['Template', 'Blue', 'template_2'],
      ['Webhooks', 'Nothing', 'webhook_1'],
      ['Tags', 'Nothing', 'Spring'],
      ['Targets by country', 'Nothing', 'Germany: https://de.example/'],
      ['Rules', 'Nothing', 'Visitors in Austria go to https://at.example/.'],
      ['Flexible', 'Off', 'On'],
      ['Logo', 'Nothing', 'An uploaded picture'],
      ['A/B test', 'Nothing', 'A 50%: https://a.example/'],
    ]);
  });

  it('shows of a password only that it changed', () => {
    expect(shown({ password: {} })).to.deep.equal([['Password', undefined, undefined]]);
    expect(shown({ password: {}, hasPassword: { from: false, to: true } })).to.deep.equal([
      ['Password', 'None', 'Set'],
    ]);
  });

  it('shows only the changed members of a content, and the beginning of a long text', () => {
    const [wifi, text] = shown({
      wifi: {
        from: { ssid: 'Guest', password: 'a', hidden: false },
        to: { ssid: 'Guest', password: 'b', hidden: false },
      },
      text: { from: 'short', to: 'x'.repeat(1_000) },
    });
    expect(wifi).to.deep.equal(['Wifi', 'password: a', 'password: b']);
    expect(text![2]).to.equal(`${'x'.repeat(300)}…`);
  });

  it('shows what a revert sets now, and which fields have changed since', () => {
    const changes = {
      url: { from: 'https://a.example/', to: 'https://b.example/' },
      comments: { from: null, to: 'Print' },
      tags: { from: [], to: [{ id: 'tag_1', name: 'Spring' }] },
    };
    const record = {
      url: 'https://c.example/',
      comments: 'Print',
      tags: [{ id: 'tag_1', name: 'Spring', color: 'red' }],
    };
    expect(
      revertInWords(changes, record, names).map(({ field, values, isChangedSince }) => [
        field,
        values?.from,
        values?.to,
        isChangedSince,
      ]),
    ).to.deep.equal([
      ['url', 'https://c.example/', 'https://a.example/', true],
      ['comments', 'Print', 'Nothing', false],
      ['tags', 'Spring', 'Nothing', false],
    ]);
  });

  it('shows what a scheduled change sets from now, and tags by their names', () => {
    const changes = {
      url: 'https://b.example/',
      tagIds: ['tag_2'],
      addTagIds: ['tag_1', 'gone'],
      folderId: null,
      hasPassword: true,
    };
    const record = {
      url: 'https://a.example/',
      tags: [{ id: 'tag_1', name: 'Spring', color: 'red' }],
      folderId: 'folder_1',
      hasPassword: false,
    };
    expect(
      scheduledInWords(changes, record, names).map(({ label, values }) => [
        label,
        values?.from,
        values?.to,
      ]),
    ).to.deep.equal([
      ['Destination', 'https://a.example/', 'https://b.example/'],
      ['Tags', 'Spring', 'Autumn'],
      ['Added tags', undefined, 'Spring, gone'],
      ['Folder', 'Campaigns', 'Nothing'],
      ['Password', 'None', 'Set'],
    ]);
  });

  it('never fails for values that are JSON', () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.constantFrom('url', 'rules2', 'wifi', 'tags', 'tagIds', 'folderId', 'geo', 'text'),
          fc.record({ from: fc.constant(null), to: fc.jsonValue() }),
        ),
        (changes) => {
          for (const { values } of changesInWords(changes, names)) {
            expect(values?.from).to.be.a('string');
            expect(values?.to).to.be.a('string');
          }
        },
      ),
    );
  });
});
