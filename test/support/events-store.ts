import { expect } from 'chai';
import fc from 'fast-check';
import { pino } from 'pino';
import type { EventRow } from '../../src/events/event.ts';
import {
  conditionsOf,
  type EventFilter,
  FILTER_NAMES,
  type FilterValues,
  NOTHING,
} from '../../src/events/filters.ts';
import { matcherOf } from '../../src/events/live/matcher.ts';
import type { CountQuery, Cursor, EventsStore, ListPage } from '../../src/events/store/store.ts';
import { db } from '../../src/infra/db.ts';
import { anEvent } from './events.ts';
import { aWorkspace } from './world.ts';

const DAY_MS = 86_400_000;
/** Past days, so that none of them is incomplete. */
const FIRST = Date.UTC(2025, 2, 3);
const SPAN = {
  start: new Date(FIRST),
  end: new Date(FIRST + 4 * DAY_MS),
  granularity: 'day' as const,
  timezone: 'UTC',
};
const FIRST_PAGE: ListPage = { limit: 100, order: 'asc', offset: 0 };

const at = (days: number, minutes = 0) =>
  new Date(FIRST + days * DAY_MS + minutes * 60_000).toISOString();

/** Clicks of two links, a lead and two sales, over three days. */
const eventsOf = (projectId: string): EventRow[] => {
  const event = (id: string, days: number, fields: Partial<EventRow>) =>
    anEvent(projectId, { id, occurred_at: at(days), domain: 'a.test', ...fields });
  return [
    event('evt_1', 0, {
      link_id: 'link_a',
      country: 'DE',
      city: 'Berlin',
      ip: '192.0.2.0',
      visitor: 'new',
    }),
    event('evt_2', 0.5, { link_id: 'link_a', country: 'FR', browser: 'Safari' }),
    event('evt_3', 1, { link_id: 'link_b', country: 'DE', domain: 'b.test', via: 'qr' }),
    event('evt_4', 1, {
      event: 'lead',
      link_id: 'link_a',
      country: 'DE',
      customer_id: 'cus_1',
      click_id: 'evt_1',
      event_name: 'Sign up',
      metadata: { plan: 'pro' },
      ip: '192.0.2.0',
    }),
    event('evt_5', 2, { event: 'sale', link_id: 'link_a', country: 'DE', amount_cents: 1_250 }),
    event('evt_6', 2, { event: 'sale', link_id: 'link_b', country: 'JP', amount_cents: 750 }),
  ];
};

/** Conformance suite: every implementation of `EventsStore` must pass it. */
export function describeEventsStore(name: string, store: EventsStore): void {
  describe(`the events store ${name}`, () => {
    const log = pino({ level: 'silent' });
    let projectId: string;

    const append = (events: EventRow[]) => db().transaction((trx) => store.append(trx, events));
    const clicks = (filter: EventFilter = {}) =>
      ({ projectId, kind: 'click', span: SPAN, filter }) as const;
    const question = (filter: EventFilter = {}): CountQuery => ({
      projectId,
      span: SPAN,
      filter,
      events: ['click', 'sale'],
    });
    const idsOf = async (filter: EventFilter, page = FIRST_PAGE) =>
      (await store.list(clicks(filter), page)).map(({ id }) => id);

    beforeEach(async () => {
      ({ projectId } = await aWorkspace());
      await append(eventsOf(projectId));
    });

    it('lists events of a kind by time, in either order, with all their columns', async () => {
      expect(await idsOf({})).to.deep.equal(['evt_1', 'evt_2', 'evt_3']);
      expect(await idsOf({}, { ...FIRST_PAGE, order: 'desc' })).to.deep.equal([
        'evt_3',
        'evt_2',
        'evt_1',
      ]);
      const [first] = await store.list(clicks(), FIRST_PAGE);
      const { occurred_at, atMicros, ...rest } = first!;
      const { occurred_at: sent, ...expected } = eventsOf(projectId)[0]!;
      expect(rest).to.deep.equal(expected);
      expect(occurred_at.toISOString()).to.equal(sent);
      expect(atMicros).to.equal(FIRST * 1000);
    });

    it('continues a list after an event, or by an offset', async () => {
      const [after] = await store.list(clicks(), { ...FIRST_PAGE, limit: 1 });
      expect(await idsOf({}, { ...FIRST_PAGE, after: after! })).to.deep.equal(['evt_2', 'evt_3']);
      expect(await idsOf({}, { ...FIRST_PAGE, offset: 2 })).to.deep.equal(['evt_3']);
    });

    it('excludes events before a span, and at its end', async () => {
      const span = { start: new Date(FIRST + 1), end: new Date(FIRST + DAY_MS) };
      const listed = await store.list({ ...clicks(), span }, FIRST_PAGE);
      expect(listed.map(({ id }) => id)).to.deep.equal(['evt_2']);
    });

    const FILTERS: [what: string, filter: EventFilter, ids: string[]][] = [
      ['records', { records: ['link_b'] }, ['evt_3']],
      ['no records', { records: [] }, []],
      ['a domain', { domain: 'a.test' }, ['evt_1', 'evt_2']],
      ['a value', { conditions: conditionsOf({ country: ['DE'] }) }, ['evt_1', 'evt_3']],
      ['one of some values', { conditions: conditionsOf({ country: ['FR', 'JP'] }) }, ['evt_2']],
      [
        'several columns',
        { conditions: conditionsOf({ country: ['DE'], city: ['Berlin'] }) },
        ['evt_1'],
      ],
      [
        'a value on a domain',
        { domain: 'b.test', conditions: conditionsOf({ country: ['DE'] }) },
        ['evt_3'],
      ],
      ['how it was opened', { conditions: conditionsOf({ types: ['qr'] }) }, ['evt_3']],
      [
        'a part of a text',
        { conditions: conditionsOf({ url: ['EXAMPLE'] }) },
        ['evt_1', 'evt_2', 'evt_3'],
      ],
      ['a part that no text has', { conditions: conditionsOf({ url: ['nowhere'] }) }, []],
      ['a page', { conditions: conditionsOf({ pageId: ['page_1'] }) }, []],
      ['the root', { conditions: conditionsOf({ root: true }) }, []],
      [
        'everything but the root',
        { conditions: conditionsOf({ root: false }) },
        ['evt_1', 'evt_2', 'evt_3'],
      ],
      [
        'other values',
        { conditions: conditionsOf({ country: ['DE', 'JP'] }, ['country']) },
        ['evt_2'],
      ],
      [
        'other records',
        { conditions: conditionsOf({ linkId: ['link_b', 'link_c'] }, ['linkId']) },
        ['evt_1', 'evt_2'],
      ],
      [
        'other domains',
        { conditions: conditionsOf({ domain: ['a.test', 'c.test'] }, ['domain']) },
        ['evt_3'],
      ],
      [
        'other cities of a country',
        { conditions: conditionsOf({ city: ['BERLIN'], country: ['DE'] }, ['city']) },
        ['evt_3'],
      ],
      [
        'no page',
        { conditions: conditionsOf({ pageId: ['page_1'] }, ['pageId']) },
        ['evt_1', 'evt_2', 'evt_3'],
      ],
      [
        'none of some parts',
        { conditions: conditionsOf({ url: ['nowhere', 'EXAMPLE'] }, ['url']) },
        [],
      ],
      [
        'one of some parts',
        { conditions: conditionsOf({ url: ['nowhere', 'EXAMPLE'] }) },
        ['evt_1', 'evt_2', 'evt_3'],
      ],
      ['a contradiction', { conditions: [...conditionsOf({ root: true }), NOTHING] }, []],
    ];
    it('applies filters to lists, their number and counts alike', async () => {
      for (const [what, filter, ids] of FILTERS) {
        expect(await idsOf(filter), what).to.deep.equal(ids);
        expect(await store.countUpTo(clicks(filter), 100), what).to.equal(ids.length);
        const { clicks: counted } = await store.totals(question(filter));
        expect(counted, what).to.equal(ids.length);
      }
      expect(await store.countUpTo(clicks(), 2)).to.equal(2);
    });

    it('applies any filters and exclusions as the live stream does', async () => {
      const { projectId: other } = await aWorkspace();
      const sometimes = <T>(...values: T[]) => fc.constantFrom(...values);
      const anyEvent = fc.record({
        link_id: sometimes('link_a', 'link_b', null),
        key: sometimes('_root', 'k'),
        domain: sometimes('a.test', 'b.test'),
        country: sometimes('DE', 'FR', 'Unknown'),
        continent: sometimes('EU', ''),
        city: sometimes('Berlin', 'Berlin (Mitte)', 'Paris'),
        device: sometimes('Desktop', 'Mobile'),
        browser: sometimes('Chrome', 'Safari'),
        os: sometimes('iOS', 'Windows'),
        referer: sometimes('(direct)', 'facebook.com', 'news.example'),
        url: sometimes(
          'https://example.com/a?utm_source=Mail',
          'https://example.com/B?utm_source=mail&utm_campaign=a%2Cb',
          'https://other.test/?utm_medium=x&utm_term=t&utm_content=c',
          '',
        ),
        variant: sometimes('A', 'B', null),
        page_id: sometimes('page_1', null),
        via: sometimes('link' as const, 'qr' as const),
      });
      const some = (...values: string[]) =>
        fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 2 });
      const filters = fc.record(
        {
          domain: some('a.test', 'b.test', 'c.test'),
          linkId: some('link_a', 'link_b', 'link_c'),
          pageId: some('page_1', 'page_2'),
          continent: some('EU', ''),
          country: some('DE', 'FR', 'JP'),
          city: some('berlin', 'Paris', 'Rome'),
          device: some('Desktop', 'Tablet'),
          browser: some('Chrome', 'Safari', 'Edge'),
          os: some('iOS', 'Linux'),
          source: some('Facebook', '(direct)', 'x.test'),
          referer: some('FACE', 'news', '%'),
          url: some('example.com/b', 'OTHER', 'none'),
          variant: some('A', 'B', 'C'),
          utm_source: some('mail', 'x'),
          utm_medium: some('X', 'y'),
          utm_campaign: some('a,b', 'A,B', 'a'),
          utm_term: some('t'),
          utm_content: some('C', 'd'),
          types: some('qr', 'link'),
          root: fc.boolean(),
        } satisfies Record<keyof FilterValues, fc.Arbitrary<unknown>>,
        { requiredKeys: [] },
      );
      const events = fc
        .sample(anyEvent, { numRuns: 150, seed: 1 })
        .map((fields, n) =>
          anEvent(other, { id: `evt_${n}`, occurred_at: at(n % 4, n), ...fields }),
        );
      await append(events);
      await store.compact(log);
      const stored = await store.list(
        { ...clicks(), projectId: other },
        { ...FIRST_PAGE, limit: 1_000 },
      );
      expect(stored).to.have.length(events.length);
      await fc.assert(
        fc.asyncProperty(filters, fc.subarray(FILTER_NAMES), async (values, excluding) => {
          const filter = { conditions: conditionsOf(values as FilterValues, excluding) };
          const expected = stored.filter(matcherOf(filter)).map(({ id }) => id);
          const [listed, totals, times] = await Promise.all([
            store.list({ ...clicks(filter), projectId: other }, { ...FIRST_PAGE, limit: 1_000 }),
            store.totals({ ...question(filter), projectId: other }),
            store.countByTime({ ...question(filter), projectId: other }),
          ]);
          expect(listed.map(({ id }) => id)).to.deep.equal(expected);
          expect(totals['clicks']).to.equal(expected.length);
          const sum = times.reduce((all, { numbers }) => all + numbers['clicks']!, 0);
          expect(sum).to.equal(expected.length);
        }),
        { numRuns: 100 },
      );
    });

    it('counts and finds a city by its name alone, however that is spelled', async () => {
      const cities: [country: string, city: string][] = [
        ['DE', 'Munich'],
        ['DE', 'Munich (Moosach)'],
        ['DE', 'Munich (Schwabing (West))'],
        ['CH', 'Munich (Moosach)'],
        ['DE', 'Böblingen'],
        ['DE', 'Boblingen'],
        ['PL', 'Łódź (Bałuty)'],
        ['TR', 'Iğdır'],
        ['TR', 'İstanbul'],
        ['GR', 'ΑΘΗΝΑΣ'],
      ];
      await append(
        cities.map(([country, city], n) =>
          anEvent(projectId, {
            id: `evt_city_${n}`,
            occurred_at: at(3, n),
            event: n === 1 ? 'sale' : 'click',
            amount_cents: n === 1 ? 500 : null,
            country,
            region: 'R (1)',
            city,
          }),
        ),
      );
      await store.compact(log);
      const numbers = async (filter: EventFilter = {}) => {
        const rows = await store.countByValue(question(filter), 'city');
        return new Map(
          rows.map((row) => [row.value.split('\t').join('/'), Object.values(row.numbers)]),
        );
      };
      const all = await numbers();
      expect(all.get('DE/R (1)/Munich')).to.deep.equal([2, 1, 500, 0]);
      expect(all.get('CH/R (1)/Munich')).to.deep.equal([1, 0, 0, 0]);
      expect([...all.keys()].filter((value) => value.includes('Moosach'))).to.deep.equal([]);
      const regions = await store.countByValue(question(), 'region');
      expect(regions.map(({ value }) => value)).to.include('DE\tR (1)');
      const filters: [city: string, ids: number[]][] = [
        ['Munich', [0, 2, 3]],
        ['MUNICH (somewhere)', [0, 2, 3]],
        ['münich', [0, 2, 3]],
        ['böblingen', [4, 5]],
        ['BOBLINGEN', [4, 5]],
        ['lodz', [6]],
        ['Łódź', [6]],
        ['igdir', [7]],
        ['ISTANBUL', [8]],
        ['αθηνας', [9]],
        ['Moosach', []],
      ];
      for (const [city, places] of filters) {
        const filter = { conditions: conditionsOf({ city: [city] }) };
        expect(await idsOf(filter), city).to.deep.equal(places.map((n) => `evt_city_${n}`));
        expect(await store.countUpTo(clicks(filter), 100), city).to.equal(places.length);
        const { clicks: counted } = await store.totals(question(filter));
        expect(counted, city).to.equal(places.length);
      }
      expect(await numbers({ conditions: conditionsOf({ city: ['Munich'] }) })).to.deep.equal(
        new Map([
          ['DE/R (1)/Munich', [2, 1, 500, 0]],
          ['CH/R (1)/Munich', [1, 0, 0, 0]],
        ]),
      );
    });

    it('counts events, sums amounts, and sorts values by number, then by value', async () => {
      expect(await store.totals(question())).to.deep.equal({
        clicks: 3,
        sales: 2,
        saleAmount: 2_000,
        visitors: 1,
      });
      const countries = await store.countByValue(question(), 'country');
      expect(countries).to.deep.equal([
        { value: 'DE', numbers: { clicks: 2, sales: 1, saleAmount: 1_250, visitors: 1 } },
        { value: 'FR', numbers: { clicks: 1, sales: 0, saleAmount: 0, visitors: 0 } },
        { value: 'JP', numbers: { clicks: 0, sales: 1, saleAmount: 750, visitors: 0 } },
      ]);
      const cities = await store.countByValue(question(), 'city');
      expect(cities.map(({ value }) => value)).to.include('DE\tUnknown\tBerlin');
      const regions = await store.countByValue(question(), 'region');
      expect(regions.map(({ value }) => value)).to.include('DE\tUnknown');
      const records = await store.countByValue(question(), 'record', 'link_b');
      expect(records.map(({ value }) => value)).to.deep.equal(['link_b']);
    });

    it('returns texts of any length, and destinations without their queries', async () => {
      const url = `https://example.com/${'long'.repeat(300)}`;
      const whole = `${url}?q=${'long'.repeat(300)}#part`;
      await append([anEvent(projectId, { id: 'evt_7', occurred_at: at(3), url: whole })]);
      const values = (await store.countByValue(question(), 'url')).map(({ value }) => value);
      expect(values).to.have.members([url, 'https://example.com/']);
    });

    const TAGGED: [query: string, source: string | null][] = [
      ['?utm_source=mail', 'mail'],
      ['?a=1&utm_source=News+letter&b', 'News letter'],
      ['?utm_source=a%20b%2Bc%26', 'a b+c&'],
      ['?utm_source=gr%C3%BC%C3%9Fe%F0%9F%8E%89', 'grüße🎉'],
      ['?utm_source=%E4&utm_medium=x', '%E4'],
      ['?utm_source=%ED%A0%80', '%ED%A0%80'],
      ['?utm_source=a%00b', 'a%00b'],
      ['?utm_source=tab%09line%0Aend', 'tab line end'],
      ['?utm_source=100%&x', '100%'],
      ['?utm_source=%zz%4', '%zz%4'],
      ['?utm_source=first&utm_source=second', 'first'],
      ['?utm_source=&utm_source=second', null],
      ['?utm_source&utm_source=bare', 'bare'],
      ['?xutm_source=no', null],
      ['?a=?utm_source=no', null],
      ['?a?&utm_source=yes', 'yes'],
      ['#?utm_source=no', null],
      ['?utm_source=yes#&utm_source=no', 'yes'],
      [`?utm_source=${'long'.repeat(200)}`, 'long'.repeat(200)],
    ];
    it('counts and finds UTM parameters of destinations as people read them', async () => {
      const { projectId: other } = await aWorkspace();
      const urls = TAGGED.map(([query]) => `https://example.com/${query}`);
      await append(
        urls.map((url, n) => anEvent(other, { id: `evt_${n}`, occurred_at: at(1, n), url })),
      );
      const selection = (utm: FilterValues = {}) => ({
        ...question({ conditions: conditionsOf(utm) }),
        projectId: other,
      });
      const counted = await store.countByValue(selection(), 'utm_source');
      const expected = TAGGED.flatMap(([, source]) => source ?? []);
      const unique = [...new Set(expected)];
      expect(counted.map(({ value }) => value)).to.have.members(unique);
      for (const { value, numbers } of counted) {
        expect(numbers['clicks'], value).to.equal(expected.filter((one) => one === value).length);
        const found = await store.totals(selection({ utm_source: [value] }));
        expect(found['clicks'], value).to.equal(numbers['clicks']);
      }
      const list = await store.list({ ...clicks(), projectId: other }, FIRST_PAGE);
      for (const [at, event] of list.entries()) {
        const [query, source] = TAGGED[at]!;
        const matches = matcherOf({ conditions: conditionsOf({ utm_source: [source ?? 'mail'] }) });
        expect(matches(event), `live: ${query}`).to.equal(source !== null);
      }
      const both = { utm_source: ['%E4'], utm_medium: ['x'] };
      expect((await store.totals(selection(both)))['clicks']).to.equal(1);
      expect((await store.totals(selection({ ...both, utm_term: ['x'] })))['clicks']).to.equal(0);
      const mediums = await store.countByValue(selection(), 'utm_medium');
      expect(mediums).to.deep.equal([
        { value: 'x', numbers: { clicks: 1, sales: 0, saleAmount: 0, visitors: 0 } },
      ]);
    });

    it('counts and finds referrers by their source, and old spellings of systems', async () => {
      const { projectId: other } = await aWorkspace();
      const referers: [referer: string, source: string][] = [
        ...['facebook.com', 'www.facebook.com', 'l.facebook.com', 'com.facebook.katana'].map(
          (referer): [string, string] => [referer, 'Facebook'],
        ),
        ...['t.co', 'x.com', 'mobile.twitter.com'].map((referer): [string, string] => [
          referer,
          'X',
        ]),
        ['www.google.co.uk', 'Google'],
        ['com.google.android.gm', 'Gmail'],
        ['example.com', 'example.com'],
        ['www.example.com', 'example.com'],
        ['www.www.example.com', 'www.www.example.com'],
        ['www.local', 'www.local'],
        ['(direct)', '(direct)'],
        ['Unknown', 'Unknown'],
      ];
      await append(
        referers.map(([referer], n) =>
          anEvent(other, {
            id: `evt_${n}`,
            occurred_at: at(1, n),
            referer,
            os: n === 0 ? 'KAIOS' : 'KaiOS',
          }),
        ),
      );
      const selection = (values: FilterValues = {}) => ({
        ...question({ conditions: conditionsOf(values) }),
        projectId: other,
      });
      const clicksOf = (source: string) => referers.filter((row) => row[1] === source).length;
      const sources = [...new Set(referers.map(([, source]) => source))].toSorted(
        (a, b) => clicksOf(b) - clicksOf(a) || (a < b ? -1 : 1),
      );
      const counted = await store.countByValue(selection(), 'source');
      expect(counted).to.deep.equal(
        sources.map((value) => ({
          value,
          numbers: { clicks: clicksOf(value), sales: 0, saleAmount: 0, visitors: 0 },
        })),
      );
      for (const source of sources) {
        const found = (await store.totals(selection({ source: [source] })))['clicks'];
        expect(found, source).to.equal(clicksOf(source));
      }
      const both = { source: ['Facebook', 'example.com'], referer: ['WWW'] };
      expect((await store.totals(selection(both)))['clicks']).to.equal(2);
      expect((await store.countByValue(selection({ os: ['KaiOS'] }), 'system'))[0]).to.deep.equal({
        value: 'KaiOS',
        numbers: { clicks: referers.length, sales: 0, saleAmount: 0, visitors: 0 },
      });
    });

    it('counts and finds UTM parameters regardless of case', async () => {
      const { projectId: other } = await aWorkspace();
      const texts = [
        'Newsletter',
        'newsletter',
        'NEWSLETTER',
        'Übung',
        'ÜBUNG',
        'ß',
        'SS',
        'k',
        '\u212a',
      ];
      await append(
        texts.map((text, n) =>
          anEvent(other, {
            id: `evt_${n}`,
            occurred_at: at(1, n),
            url: `https://example.com/?utm_source=${encodeURIComponent(text)}&utm_term=${n}`,
          }),
        ),
      );
      const selection = (values: FilterValues = {}) => ({
        ...question({ conditions: conditionsOf(values) }),
        projectId: other,
      });
      const rows: [shown: string, clicks: number][] = [
        ['newsletter', 3],
        ['Übung', 2],
        ['k', 1],
        ['SS', 1],
        ['ß', 1],
        ['\u212a', 1],
      ];
      const counted = await store.countByValue(selection(), 'utm_source');
      expect(counted.map(({ value, numbers }) => [value, numbers['clicks']])).to.deep.equal(rows);
      const list = await store.list({ ...clicks(), projectId: other }, FIRST_PAGE);
      for (const [shown, clicked] of rows) {
        const utm_source = shown === 'ß' ? shown : shown.toUpperCase();
        const found = (await store.totals(selection({ utm_source: [utm_source] })))['clicks'];
        expect(found, utm_source).to.equal(clicked);
        const matches = matcherOf({ conditions: conditionsOf({ utm_source: [utm_source] }) });
        expect(list.filter(matches).length, `live: ${utm_source}`).to.equal(clicked);
      }
    });

    it('counts by time without gaps', async () => {
      const days = await store.countByTime(question());
      expect(days.map(({ start }) => start.getTime())).to.deep.equal(
        [0, 1, 2, 3].map((day) => FIRST + day * DAY_MS),
      );
      expect(days.map(({ numbers }) => numbers['clicks'])).to.deep.equal([2, 1, 0, 0]);
      expect(days.map(({ numbers }) => numbers['saleAmount'])).to.deep.equal([0, 0, 2_000, 0]);
      expect(days.map(({ numbers }) => numbers['visitors'])).to.deep.equal([1, 0, 0, 0]);
    });

    it('counts days from their first instant, where midnight comes twice', async () => {
      const times = [
        '2025-10-25T23:59:59.999Z',
        '2025-10-26T00:00:00.000Z',
        '2025-10-26T00:59:00.000Z',
        '2025-10-27T00:59:59.999Z',
        '2025-10-27T01:00:00.000Z',
      ];
      await append(
        times.map((occurred_at, n) => anEvent(projectId, { id: `evt_a${n}`, occurred_at })),
      );
      const starts = ['2025-10-25T00:00Z', '2025-10-26T00:00Z', '2025-10-27T01:00Z'];
      const [start, end] = [new Date(starts[0]!), new Date('2025-10-28T01:00Z')];
      const span = { start, end, granularity: 'day' as const, timezone: 'Atlantic/Azores' };
      const days = await store.countByTime({ ...question(), span });
      expect(days.map(({ start: day }) => day)).to.deep.equal(starts.map((day) => new Date(day)));
      expect(days.map(({ numbers }) => numbers['clicks'])).to.deep.equal([1, 3, 1]);
      for (const [at, { start: from, numbers }] of days.entries()) {
        const day = { ...span, start: from, end: days[at + 1]?.start ?? end };
        expect(await store.totals({ ...question(), span: day })).to.deep.equal(numbers);
      }
    });

    it('counts distinct visitors, and returns the first event and the existing values', async () => {
      expect(await store.countVisitors(question())).to.equal(3);
      expect(await store.findFirstTime(projectId)).to.deep.equal(new Date(FIRST));
      expect(await store.listValues(projectId, 'browser')).to.have.members(['Chrome', 'Safari']);
      const { projectId: other } = await aWorkspace();
      expect(await store.findFirstTime(other)).to.equal(undefined);
    });

    it('has the visits of suspects apart, and together with all others', async () => {
      const suspect = (id: string, days: number, fields: Partial<EventRow>) =>
        anEvent(projectId, {
          id,
          occurred_at: at(days),
          domain: 'a.test',
          event: 'suspect_click',
          suspect: 'burst',
          ...fields,
        });
      await append([
        suspect('evt_s1', 0.25, { link_id: 'link_a', country: 'DE', visitor: 'new' }),
        suspect('evt_s2', 1, { link_id: 'link_b', country: 'IE', visitor: 'new' }),
        suspect('evt_s3', 1, { event: 'suspect_view', page_id: 'page_s', visitor: 'new' }),
      ]);
      await store.compact(log);
      const PEOPLE = { clicks: 3, sales: 2, saleAmount: 2_000, visitors: 1 };
      const rows: [traffic: EventFilter['traffic'], ids: string[], numbers: object][] = [
        [undefined, ['evt_1', 'evt_2', 'evt_3'], PEOPLE],
        ['person', ['evt_1', 'evt_2', 'evt_3'], PEOPLE],
        ['suspect', ['evt_s1', 'evt_s2'], { clicks: 2, sales: 0, saleAmount: 0, visitors: 2 }],
        [
          'all',
          ['evt_1', 'evt_s1', 'evt_2', 'evt_3', 'evt_s2'],
          { ...PEOPLE, clicks: 5, visitors: 3 },
        ],
      ];
      for (const [traffic, ids, numbers] of rows) {
        const what = String(traffic);
        expect(await idsOf({ traffic }), what).to.deep.equal(ids);
        const descending = await idsOf({ traffic }, { ...FIRST_PAGE, order: 'desc' });
        expect(descending, what).to.deep.equal(ids.toReversed());
        const pages = [0, 2, 4].map((offset) =>
          idsOf({ traffic }, { ...FIRST_PAGE, limit: 2, offset }),
        );
        expect((await Promise.all(pages)).flat(), what).to.deep.equal(ids);
        const [first] = await store.list(clicks({ traffic }), { ...FIRST_PAGE, limit: 1 });
        const after = await idsOf({ traffic }, { ...FIRST_PAGE, after: first! });
        expect(after, what).to.deep.equal(ids.slice(1));
        expect(await store.countUpTo(clicks({ traffic }), 100), what).to.equal(ids.length);
        expect(await store.totals(question({ traffic })), what).to.deep.equal(numbers);
        for (const counted of [
          await store.countByValue(question({ traffic }), 'country'),
          await store.countByTime(question({ traffic })),
          await store.countByTime({
            ...question({ traffic }),
            span: { ...SPAN, granularity: 'minute' },
          }),
        ]) {
          const sums = Object.fromEntries(Object.keys(numbers).map((number) => [number, 0]));
          for (const row of counted) {
            for (const [number, count] of Object.entries(row.numbers)) sums[number]! += count;
          }
          expect(sums, what).to.deep.equal(numbers);
        }
        const inDe = { traffic, conditions: conditionsOf({ country: ['DE'] }) };
        const among = ids.filter((id) => ['evt_1', 'evt_3', 'evt_s1'].includes(id));
        expect(await idsOf(inDe), what).to.deep.equal(among);
        expect((await store.totals(question(inDe)))['clicks'], what).to.equal(among.length);
      }
      const views: CountQuery = { ...question({ traffic: 'suspect' }), events: ['view'] };
      expect(await store.totals(views)).to.deep.equal({ views: 1, visitors: 1 });
      const [listed] = await store.list(clicks({ traffic: 'suspect' }), FIRST_PAGE);
      expect(listed).to.include({ event: 'suspect_click', suspect: 'burst' });
      expect((await store.findVisit(projectId, 'evt_s1'))?.suspect).to.equal('burst');
      const sums = await store.sumStored(db(), projectId, ['link_a', 'page_s']);
      expect(sums.get('link_a')).to.include({ visits: 2, suspects: 1, leads: 1, sales: 1 });
      expect(sums.get('page_s')).to.include({ visits: 0, suspects: 1 });
    });

    it('excludes events of other workspaces', async () => {
      const { projectId: other } = await aWorkspace();
      const [listed, totals] = await Promise.all([
        store.list({ ...clicks(), projectId: other }, FIRST_PAGE),
        store.totals({ ...question(), projectId: other }),
      ]);
      expect(listed).to.deep.equal([]);
      expect(totals).to.deep.equal({ clicks: 0, sales: 0, saleAmount: 0, visitors: 0 });
      expect(await store.findVisit(other, 'evt_1')).to.equal(undefined);
    });

    it('finds visits and leads', async () => {
      expect((await store.findVisit(projectId, 'evt_1'))?.link_id).to.equal('link_a');
      expect(await store.findVisit(projectId, 'evt_4'), 'a lead').to.equal(undefined);
      const of = { projectId, customerId: 'cus_1' };
      const [latest, named, unknown, ofClick] = await db().transaction(async (trx) => [
        await store.findLatestLead(trx, { ...of, eventName: null }),
        await store.findLatestLead(trx, { ...of, eventName: 'Sign up' }),
        await store.findLatestLead(trx, { ...of, eventName: 'sign up' }),
        await store.findLeadOfClick(trx, { ...of, eventName: 'Sign up', clickId: 'evt_1' }),
      ]);
      expect([latest, named, unknown, ofClick].map((lead) => lead?.id)).to.deep.equal([
        'evt_4',
        'evt_4',
        undefined,
        'evt_4',
      ]);
    });

    it('sums what is stored of records, and tells which events are', async () => {
      const sums = await store.sumStored(db(), projectId, ['link_a', 'link_b', 'link_c']);
      const ofA = { visits: 2, suspects: 0, leads: 1, sales: 1, saleAmountCents: 1_250 };
      expect(sums.get('link_a')).to.deep.equal({ ...ofA, refunds: 0, refundAmountCents: 0 });
      expect(sums.get('link_b')).to.deep.include({ sales: 1, saleAmountCents: 750 });
      expect(sums.has('link_c')).to.equal(false);
      const events = await store.findKnown(db(), projectId, ['evt_1', 'evt_6', 'evt_7']);
      expect([...events]).to.have.members(['evt_1', 'evt_6']);
      const other = await aWorkspace();
      expect((await store.sumStored(db(), other.projectId, ['link_a'])).size).to.equal(0);
    });

    it('subtracts refunds from the sums of sales', async () => {
      const refund = { event: 'refund' as const, occurred_at: at(2), domain: 'a.test' };
      await append([
        anEvent(projectId, {
          ...refund,
          id: 'evt_10',
          link_id: 'link_a',
          country: 'DE',
          amount_cents: 1_000,
        }),
        anEvent(projectId, {
          ...refund,
          id: 'evt_11',
          link_id: 'link_c',
          country: 'AT',
          amount_cents: 50,
        }),
      ]);
      const events = ['sale', 'refund'] as const;
      const query = { ...question(), events };
      const numbersOf = (
        sales: number,
        saleAmount: number,
        refunds: number,
        refundAmount: number,
      ) => ({
        sales,
        saleAmount,
        refunds,
        refundAmount,
      });
      expect(await store.totals(query)).to.deep.equal(numbersOf(2, 950, 2, 1_050));
      expect(await store.countByValue(query, 'country')).to.deep.equal([
        { value: 'DE', numbers: numbersOf(1, 250, 1, 1_000) },
        { value: 'JP', numbers: numbersOf(1, 750, 0, 0) },
        { value: 'AT', numbers: numbersOf(0, -50, 1, 50) },
      ]);
      for (const granularity of ['day', 'minute'] as const) {
        const span = { ...SPAN, granularity };
        const steps = await store.countByTime({ ...query, span });
        const sums = steps.map(({ numbers }) => numbers['saleAmount']!);
        expect(sums.reduce((sum, one) => sum + one, 0)).to.equal(950);
      }
      const sums = await store.sumStored(db(), projectId, ['link_a', 'link_c']);
      expect(sums.get('link_a')).to.include({
        sales: 1,
        refunds: 1,
        saleAmountCents: 250,
        refundAmountCents: 1_000,
      });
      expect(sums.get('link_c')).to.include({ saleAmountCents: -50, refundAmountCents: 50 });
    });

    it('sets amounts once, also in the counts of compacted events', async () => {
      const event = { occurred_at: at(2), link_id: 'link_c', country: 'AT' };
      const sale = {
        paymentProcessor: 'custom',
        invoiceId: 'inv',
        amount: 7,
        currency: 'AED',
        rate: null,
        rateDate: null,
      };
      await append([
        anEvent(projectId, { ...event, id: 'evt_10', event: 'sale', sale }),
        anEvent(projectId, { ...event, id: 'evt_11', event: 'refund', sale }),
      ]);
      await store.compact(log);
      const query = { ...question({ records: ['link_c'] }), events: ['sale', 'refund'] as const };
      const none = { sales: 1, saleAmount: 0, refunds: 1, refundAmount: 0 };
      expect(await store.totals(query)).to.deep.equal(none);
      const rated = { projectId, at: at(2), rate: '1/2', rateDate: '2026-01-01' };
      for (const cents of [500, 900]) {
        await db().transaction((trx) =>
          store.setAmounts(trx, [
            { ...rated, id: 'evt_11', amountCents: 100 },
            { ...rated, id: 'evt_10', amountCents: cents },
            { ...rated, id: 'evt_gone', amountCents: cents },
          ]),
        );
        const sums = { sales: 1, saleAmount: 400, refunds: 1, refundAmount: 100 };
        expect(await store.totals(query)).to.deep.equal(sums);
        await store.compact(log);
        expect(await store.totals(query)).to.deep.equal(sums);
      }
      const [stored] = await store.list(
        { ...clicks({ records: ['link_c'] }), kind: 'sale' },
        FIRST_PAGE,
      );
      expect(stored!.sale).to.deep.equal({ ...sale, rate: '1/2', rateDate: '2026-01-01' });
    });

    it('sums the leads, sales and refunds of customers', async () => {
      const sale = { event: 'sale' as const, customer_id: 'cus_sold', amount_cents: 500 };
      await append([
        anEvent(projectId, { ...sale, id: 'evt_10', occurred_at: at(1) }),
        anEvent(projectId, { ...sale, id: 'evt_11', occurred_at: at(2), amount_cents: 250 }),
        anEvent(projectId, { ...sale, id: 'evt_12', occurred_at: at(2), event: 'lead' }),
        anEvent(projectId, {
          ...sale,
          id: 'evt_13',
          occurred_at: at(3),
          event: 'refund',
          amount_cents: 50,
        }),
      ]);
      const sums = await store.sumCustomers(db(), projectId, ['cus_sold', 'cus_none']);
      expect([...sums]).to.deep.equal([
        ['cus_sold', { leads: 1, sales: 2, saleAmountCents: 700, refundAmountCents: 50 }],
      ]);
      const other = await aWorkspace();
      expect((await store.sumCustomers(db(), other.projectId, ['cus_sold'])).size).to.equal(0);
    });

    it('lists the events of a customer, page by page, and their clicks', async () => {
      const ofClick = { customer_id: 'cus_timeline', click_id: 'evt_1' };
      await append([
        anEvent(projectId, { ...ofClick, id: 'evt_20', event: 'lead', occurred_at: at(1) }),
        anEvent(projectId, { ...ofClick, id: 'evt_21', event: 'sale', occurred_at: at(2) }),
        anEvent(projectId, { ...ofClick, id: 'evt_22', event: 'refund', occurred_at: at(2) }),
      ]);
      const page = (limit: number, after?: Cursor) =>
        store.listOfCustomer(projectId, 'cus_timeline', { limit, after });
      const all = await page(10);
      const ids = (events: readonly { id: string }[]) => events.map(({ id }) => id);
      expect(all.map(({ atMicros }) => atMicros)).to.deep.equal(
        all.map(({ occurred_at }) => occurred_at.getTime() * 1_000),
      );
      expect(ids(all).toSorted()).to.deep.equal(['evt_20', 'evt_21', 'evt_22']);
      const first = await page(2);
      expect(ids([...first, ...(await page(2, first.at(-1)))])).to.deep.equal(ids(all));
      expect(await store.listClickIds(projectId, 'cus_timeline', 5)).to.deep.equal(['evt_1']);
      expect(await store.listClickIds(projectId, 'cus_none', 5)).to.deep.equal([]);
      expect(ids(await store.findVisits(projectId, ['evt_1', 'evt_20', 'evt_none']))).to.deep.equal(
        ['evt_1'],
      );
      const other = await aWorkspace();
      expect(await store.findVisits(other.projectId, ['evt_1'])).to.deep.equal([]);
    });

    it('finds the names of records as events had them, also after retention', async () => {
      const later = { id: 'evt_9', occurred_at: at(3), link_id: 'link_a' };
      await append([anEvent(projectId, { ...later, domain: 'c.test', key: 'new' })]);
      const ids = ['link_a', 'link_none'];
      const name = { domain: 'c.test', key: 'new', url: 'https://example.com/' };
      expect([...(await store.findNewestNames(projectId, ids))]).to.deep.equal([['link_a', name]]);
      expect((await store.findKeptNames(projectId, ids)).size).to.equal(0);
      await db()('workspaces').where({ id: projectId }).update({ retention_days: 30 });
      await store.retain(log);
      expect((await store.findNewestNames(projectId, ids)).size).to.equal(0);
      expect([...(await store.findKeptNames(projectId, ids))]).to.deep.equal([['link_a', name]]);
    });

    it('stores a visit once, however often it is appended', async () => {
      const guardUntil = new Date(Date.now() + DAY_MS);
      const row = anEvent(projectId, { id: 'clk_1', occurred_at: at(3) });
      const visit = { row, guardId: `${projectId} clk_1`, guardUntil };
      const hand = () => db().transaction((trx) => store.appendVisits(trx, [visit, visit]));
      const [first, second] = [await hand(), await hand()];
      expect(first).to.deep.include({ fresh: [row], repeats: 1 });
      expect(second).to.deep.include({ fresh: [], repeats: 2 });
      expect((await store.totals(question()))['clicks']).to.equal(4);
    });

    it('stores nothing of a transaction that is rolled back', async () => {
      const failing = db().transaction(async (trx) => {
        await store.append(trx, [anEvent(projectId, { id: 'evt_8', occurred_at: at(3) })]);
        throw new Error('rolled back');
      });
      await failing.catch(() => {});
      expect(await idsOf({})).to.not.include('evt_8');
      expect((await store.totals(question()))['clicks']).to.equal(3);
    });

    it('erases the events of records, and removes them from every count', async () => {
      await db().transaction((trx) => store.eraseRecords(trx, projectId, ['link_a']));
      expect(await idsOf({})).to.deep.equal(['evt_3']);
      expect(await store.totals(question())).to.deep.equal({
        clicks: 1,
        sales: 1,
        saleAmount: 750,
        visitors: 0,
      });
      const countries = await store.countByValue(question(), 'country');
      expect(countries.map(({ value }) => value)).to.deep.equal(['DE', 'JP']);
      // The record may still exist.
      await append([anEvent(projectId, { id: 'evt_9', link_id: 'link_a', occurred_at: at(2) })]);
      expect(await idsOf({ records: ['link_a'] })).to.deep.equal(['evt_9']);
      const sums = await store.sumStored(db(), projectId, ['link_a']);
      expect(sums.get('link_a')).to.include({ visits: 1, leads: 0, sales: 0 });
    });

    it('erases the personal data of a customer, and keeps the events', async () => {
      await db().transaction((trx) => store.eraseCustomer(trx, projectId, 'cus_1'));
      const [lead] = await store.list({ ...clicks(), kind: 'lead' }, FIRST_PAGE);
      expect(lead).to.include({ id: 'evt_4', ip: '', metadata: null });
    });

    it('returns the same after counts were compacted and rebuilt', async () => {
      const answers = () =>
        Promise.all([
          store.totals(question()),
          store.countByValue(question(), 'country'),
          store.countByValue(question(), 'url'),
          store.countByTime(question({ records: ['link_a'] })),
        ]);
      const before = await answers();
      await store.compact(log);
      expect(await answers()).to.deep.equal(before);
      await store.rebuild(projectId);
      expect(await answers()).to.deep.equal(before);
    });

    it('deletes events past their retention, and keeps their counts', async () => {
      await db()('workspaces').where({ id: projectId }).update({ retention_days: 30 });
      const before = await store.totals(question());
      await store.retain(log);
      expect(await idsOf({})).to.deep.equal([]);
      expect(await store.totals(question())).to.deep.equal(before);
    });
  });
}
