import { expect } from 'chai';
import { browser } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { aWorkspace, type World } from '../support/world.ts';

const LONG = 'https://example.com/long';
const SHORT = 'https://example.com/short';
const URL = 'https://example.com/now';
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1';

const variants = (a: number, b: number) => [
  { name: 'A', url: LONG, percentage: a },
  { name: 'B', url: SHORT, percentage: b },
];

interface VariantRow {
  variant: string;
  id: string;
  key: string;
  clicks: number;
  scans: number;
  leads: number;
  sales: number;
  saleAmount: number;
}

async function rowsOf({ api }: World, query: Record<string, string>): Promise<VariantRow[]> {
  const { status, body } = await api.get('/analytics', { groupBy: 'variants', ...query });
  expect(status, JSON.stringify(body)).to.equal(200);
  return body as VariantRow[];
}

describe('an A/B test', () => {
  let world: World;
  before(async () => {
    world = await aWorkspace();
  });

  const refused: [what: string, fields: object, message: RegExp][] = [
    [
      'percentages that add up to less',
      { testVariants: variants(50, 49) },
      /^testVariants must have percentages that add up to 100, not 99$/,
    ],
    [
      'percentages that add up to more',
      { testVariants: variants(50, 51) },
      /^testVariants must have percentages that add up to 100, not 101$/,
    ],
    [
      'one variant',
      { testVariants: [{ url: LONG, percentage: 99 }] },
      /^testVariants must contain at least 2/,
    ],
    [
      'parts of a per cent',
      { testVariants: variants(50.5, 49.5) },
      /^testVariants\[0\]\.percentage must be/,
    ],
    [
      'a share of nothing',
      { testVariants: variants(0, 100) },
      /^testVariants\[0\]\.percentage must be/,
    ],
    [
      'two variants with the same name',
      {
        testVariants: [
          { name: 'b', url: LONG, percentage: 50 },
          { url: SHORT, percentage: 50 },
        ],
      },
      /^testVariants must not have two variants with the same name$/,
    ],
    [
      'a name that lists could not hold',
      {
        testVariants: [
          { name: 'a,b', url: LONG, percentage: 50 },
          { url: SHORT, percentage: 50 },
        ],
      },
      /^testVariants\[0\]\.name must be a name without commas/,
    ],
    [
      'a destination that runs a script',
      { testVariants: [{ url: 'javascript:alert(1)', percentage: 50 }, variants(50, 50)[1]] },
      /^testVariants\[0\]\.url must not use the scheme javascript:$/,
    ],
    [
      'an end without variants',
      { testCompletedAt: '2099-01-01' },
      /^testCompletedAt must not be set without testVariants$/,
    ],
    [
      'a winner without variants',
      { testWinner: 'A' },
      /^testWinner must not be set without testVariants$/,
    ],
    [
      'a winner of another name',
      { testVariants: variants(50, 50), testWinner: 'C' },
      /^testWinner must be one of A, B$/,
    ],
  ];
  for (const [what, fields, message] of refused) {
    it(`refuses ${what}`, async () => {
      const { status, body } = await world.api.post('/links', { url: URL, ...fields });
      expect(status).to.equal(422);
      expect(body.error.message).to.match(message);
    });
  }

  it('must not lead to itself', async () => {
    const { status, body } = await world.api.post('/links', {
      url: URL,
      key: 'loop',
      testVariants: [variants(50, 50)[0], { url: `https://${world.domain}/loop`, percentage: 50 }],
    });
    expect(status).to.equal(422);
    expect(body.error.message).to.equal('testVariants[1].url must not be the short link itself');
  });

  it('names variants by letters, and begins when they are set or changed', async () => {
    const { body: link } = await world.api.post('/links', {
      url: URL,
      testVariants: [
        { url: 'example.com/1', percentage: 20 },
        { name: 'Tuesday', url: SHORT, percentage: 30 },
        { url: LONG, percentage: 50 },
      ],
    });
    expect(link.testVariants).to.deep.equal([
      { name: 'A', url: 'https://example.com/1', percentage: 20 },
      { name: 'Tuesday', url: SHORT, percentage: 30 },
      { name: 'C', url: LONG, percentage: 50 },
    ]);
    expect(link).to.include({ testCompletedAt: null, testWinner: null });
    expect(link.testStartedAt).to.equal(link.createdAt);

    const same = { testVariants: link.testVariants, title: 'Same variants' };
    const { body: kept } = await world.api.patch(`/links/${link.id}`, same);
    expect(kept.testStartedAt).to.equal(link.testStartedAt);
    const { body: changed } = await world.api.patch(`/links/${link.id}`, {
      testVariants: variants(50, 50),
    });
    expect(changed.testStartedAt).to.equal(changed.updatedAt);
    const { body: removed } = await world.api.patch(`/links/${link.id}`, { testVariants: null });
    expect(removed).to.include({ testVariants: null, testStartedAt: null, url: URL });
  });

  it('divides visitors by percentages, keeps each with their variant, and counts both', async () => {
    const { body: link } = await world.api.post('/links', {
      url: URL,
      key: 'split',
      ios: 'https://example.com/ios',
      testVariants: [
        ...variants(50, 30),
        { name: 'C', url: 'https://example.com/third', percentage: 20 },
      ],
    });
    const visitors = 600;
    const go = async (visitor: number, process: 0 | 1) =>
      (await world.visit('/split', { userAgent: browser(visitor), process })).headers.location!;
    const first: string[] = [];
    for (let from = 0; from < visitors; from += 50) {
      const some = Array.from({ length: 50 }, (_, n) => go(from + n, 0));
      first.push(...(await Promise.all(some)));
    }
    const again = await Promise.all(Array.from({ length: 50 }, (_, n) => go(n, 1)));
    expect(again).to.deep.equal(first.slice(0, 50));
    const { headers } = await world.visit('/split', { userAgent: IPHONE });
    expect(headers.location).to.equal('https://example.com/ios');

    const destinations: [name: string, url: string, share: number][] = [
      ['A', LONG, 0.5],
      ['B', SHORT, 0.3],
      ['C', 'https://example.com/third', 0.2],
    ];
    const counts = destinations.map(([variant, url, share]) => {
      const clicks = first.filter((one) => one === url).length;
      // A deviation of more than six sigma occurs by chance once in 500 million runs.
      const bound = 6 * Math.sqrt(visitors * share * (1 - share));
      expect(clicks, variant).to.be.closeTo(visitors * share, bound);
      return { variant, clicks };
    });
    await eventually(async () => {
      const { body } = await world.api.get('/analytics', { linkId: link.id });
      expect(body.clicks).to.equal(visitors + 1);
    });
    const rows = await rowsOf(world, { linkId: link.id });
    expect(rows.map(({ variant, clicks }) => ({ variant, clicks }))).to.deep.equal(counts);
    expect(rows[0]).to.include({ id: link.id, domain: world.domain, key: 'split' });

    const asked = { linkId: link.id, variant: 'B,C' };
    const { body: some } = await world.api.get('/analytics', asked);
    expect(some.clicks).to.equal(counts[1]!.clicks + counts[2]!.clicks);
    const { body: events } = await world.api.get('/events', { linkId: link.id, variant: 'B' });
    expect(events).to.have.length.above(10);
    for (const { click } of events) expect(click).to.include({ variant: 'B', url: SHORT });
    const { body: phones } = await world.api.get('/events', { linkId: link.id, os: 'iOS' });
    expect(phones[0].click).to.include({ variant: null, url: 'https://example.com/ios' });
  });

  it('attributes leads and sales to the variant of their click', async () => {
    const { body: link } = await world.api.post('/links', {
      url: URL,
      key: 'sold',
      trackConversion: true,
      testVariants: variants(50, 50),
    });
    const clicks = new Map<string, string[]>([
      [LONG, []],
      [SHORT, []],
    ]);
    for (let visitor = 0; [...clicks.values()].some((ids) => ids.length < 2); visitor += 1) {
      const { headers } = await world.visit('/sold', { userAgent: browser(visitor) });
      const [url = '', id = ''] = headers.location!.split('?click_id=');
      clicks.get(url)!.push(id);
    }
    const report = async (clickId: string, customer: string, amount?: number) => {
      const lead = { clickId, eventName: 'Sign up', customerExternalId: customer };
      await eventually(async () =>
        expect((await world.api.post('/track/lead', lead)).status).to.equal(200),
      );
      if (amount === undefined) return;
      const sale = { customerExternalId: customer, amount, currency: 'usd' };
      expect((await world.api.post('/track/sale', sale)).status).to.equal(200);
    };
    await report(clicks.get(LONG)![0]!, 'a-1', 500);
    await report(clicks.get(LONG)![1]!, 'a-2');
    await report(clicks.get(SHORT)![0]!, 'b-1', 1_200);
    const rows = await rowsOf(world, { linkId: link.id, event: 'composite' });
    const sorted = rows.toSorted((a, b) => (a.variant < b.variant ? -1 : 1));
    const common = { id: link.id, domain: world.domain, key: 'sold' };
    expect(sorted).to.deep.equal([
      {
        ...common,
        variant: 'A',
        clicks: clicks.get(LONG)!.length,
        visitors: clicks.get(LONG)!.length,
        leads: 2,
        sales: 1,
        saleAmount: 500,
        refunds: 0,
        refundAmount: 0,
      },
      {
        ...common,
        variant: 'B',
        clicks: clicks.get(SHORT)!.length,
        visitors: clicks.get(SHORT)!.length,
        leads: 1,
        sales: 1,
        saleAmount: 1_200,
        refunds: 0,
        refundAmount: 0,
      },
    ]);
  });

  it('records the variant with the lead of a form before the destination', async () => {
    const { body: page } = await world.api.post('/pages', {
      title: 'First',
      fields: [{ name: 'email', label: 'Email', type: 'email', required: true }],
    });
    const { body: link } = await world.api.post('/links', {
      url: URL,
      key: 'form',
      preRedirection: true,
      pageId: page.id,
      testVariants: variants(50, 50),
    });
    const shown = await world.visit('/form');
    const path = /action="([^"]+)"/.exec(shown.body)![1]!.replaceAll('&amp;', '&');
    const sent = await world.visit(path, { form: { email: 'a@example.com' } });
    expect(sent.status).to.equal(303);
    const variant = sent.headers.location === LONG ? 'A' : 'B';
    await eventually(async () => {
      const rows = await rowsOf(world, { linkId: link.id, event: 'composite' });
      expect(rows).to.have.length(1);
      expect(rows[0]).to.include({ variant, clicks: 1, leads: 1 });
    });
  });

  it('ends at once with the winner, whose destination becomes that of all visitors', async () => {
    const { body: link } = await world.api.post('/links', {
      url: `${URL}?utm_source=mail`,
      key: 'won',
      testVariants: variants(50, 50),
      testCompletedAt: '2099-01-01T00:00:00.000Z',
    });
    const { status, body } = await world.api.patch(`/links/${link.id}`, { testWinner: 'B' });
    expect(status).to.equal(200);
    expect(body).to.include({
      url: `${SHORT}?utm_source=mail`,
      testWinner: 'B',
      testCompletedAt: body.updatedAt,
      testStartedAt: link.testStartedAt,
    });
    expect(body.testVariants).to.deep.equal(link.testVariants);
    for (let visitor = 0; visitor < 10; visitor += 1) {
      const { headers } = await world.visit('/won', { userAgent: browser(visitor) });
      expect(headers.location).to.equal(`${SHORT}?utm_source=mail`);
    }
    const { body: again } = await world.api.patch(`/links/${link.id}`, {
      testVariants: variants(40, 60),
    });
    expect(again).to.include({ testWinner: null, testCompletedAt: null });
    expect(again.testStartedAt).to.equal(again.updatedAt);
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, n) => world.visit('/won', { userAgent: browser(n) })),
    );
    const places = new Set(answers.map(({ headers }) => headers.location));
    // The chance that a 40% variant gets none of 60 visitors is 1 in 20 trillion.
    expect(places).to.deep.equal(new Set([`${SHORT}?utm_source=mail`, `${LONG}?utm_source=mail`]));
  });

  it('divides the scans of a dynamic QR code, whose winner becomes its content', async () => {
    const { api } = world;
    const { body: code } = await api.post('/qrcodes', {
      type: 'url',
      url: URL,
      key: 'code',
      testVariants: variants(50, 50),
    });
    const { headers } = await world.visit('/code?qr=1');
    const variant = headers.location === LONG ? 'A' : 'B';
    await eventually(async () => {
      const rows = await rowsOf(world, { qrcodeId: code.id, event: 'scans' });
      expect(rows).to.deep.equal([
        { variant, id: code.id, domain: world.domain, key: 'code', scans: 1, visitors: 1 },
      ]);
    });
    const { body } = await api.patch(`/qrcodes/${code.id}`, { testWinner: 'A' });
    expect(body).to.include({ url: LONG, testWinner: 'A' });
    expect((await world.visit('/code')).headers.location).to.equal(LONG);
  });

  it('is refused for QR codes without a destination of their own', async () => {
    const { api } = world;
    const fixed = await api.post('/qrcodes', {
      type: 'url',
      url: URL,
      static: true,
      testVariants: variants(50, 50),
    });
    expect(fixed.status).to.equal(422);
    expect(fixed.body.error.message).to.match(/^testVariants must not be set where static is true/);
    const text = await api.post('/qrcodes', {
      type: 'text',
      text: 'hello',
      testVariants: variants(50, 50),
    });
    expect(text.status).to.equal(422);
    expect(text.body.error.message).to.match(
      /^testVariants must not be set where the type is text/,
    );
  });
});
