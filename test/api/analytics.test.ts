import { expect } from 'chai';
import { GROUPS } from '../../src/events/query/groups/index.ts';
import { append } from '../../src/events/store/postgres/append.ts';
import { db } from '../../src/infra/db.ts';
import { browser } from '../support/browser.ts';
import { anEvent } from '../support/events.ts';
import { eventually } from '../support/eventually.ts';
import { aWorkspace, type World } from '../support/world.ts';

const A = 'https://example.com/a';
const WINDOWS =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/139.0.0.0 Safari/537.36';
/** Another visitor, whatever the time is. */
const OTHER_WINDOWS = WINDOWS.replace('139', '138');
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1';
const IPAD =
  'Mozilla/5.0 (iPad; CPU OS 16_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/16.6 Mobile/15E148 Safari/604.1';

const clicksOf = async ({ api }: World, query: Record<string, string> = {}) =>
  (await api.get('/analytics', query)).body.clicks;

async function waitForClicks(world: World, count: number): Promise<void> {
  await eventually(async () => expect(await clicksOf(world)).to.equal(count));
}

describe('GET /analytics and GET /events', () => {
  let world: World;
  let linkId: string;

  before(async () => {
    world = await aWorkspace();
    const { api } = world;
    const { body } = await api.post(
      '/links/bulk',
      [
        { url: A, key: 'a', externalId: 'a-1' },
        { url: A, key: 'b' },
        { url: A, key: 'c', domain: 'localhost' },
      ].map((link) => (link.key === 'c' ? { ...link, key: `c-${world.slug}` } : link)),
    );
    linkId = body[0].id;
    const go = (
      path: string,
      userAgent: string,
      ip: string,
      referer?: string,
      host = world.domain,
    ) =>
      world.visit(path, {
        host,
        userAgent,
        headers: { 'x-forwarded-for': ip, ...(referer === undefined ? {} : { referer }) },
      });
    await go('/a', WINDOWS, '192.0.2.1', 'https://news.example/x');
    await go('/a', OTHER_WINDOWS, '192.0.2.2', 'https://news.example/y');
    await go('/a', IPHONE, '198.51.100.1');
    await go('/b', IPAD, '203.0.113.1');
    await go('/b', IPHONE, '2001:db8::1');
    await go(`/c-${world.slug}`, WINDOWS, '10.0.0.1', undefined, 'localhost');
    await waitForClicks(world, 6);
  });

  const groups: [groupBy: string, query: Record<string, string>, expected: object][] = [
    [
      'count',
      {},
      {
        clicks: 6,
        scans: 0,
        viwes: 0,
        leads: 0,
        sales: 0,
        saleAmount: 0,
        refunds: 0,
        refundAmount: 0,
        visitors: 6,
      },
    ],
    [
      'countries',
      {},
      [
        { country: 'DE', continent: 'EU', clicks: 2, visitors: 2 },
        { country: 'BR', continent: 'SA', clicks: 1, visitors: 1 },
        { country: 'FR', continent: 'EU', clicks: 1, visitors: 1 },
        { country: 'JP', continent: 'AS', clicks: 1, visitors: 1 },
        { country: 'Unknown', continent: '', clicks: 1, visitors: 1 },
      ],
    ],
    [
      'devices',
      {},
      [
        { device: 'Desktop', clicks: 3, visitors: 3 },
        { device: 'Mobile', clicks: 2, visitors: 2 },
        { device: 'Tablet', clicks: 1, visitors: 1 },
      ],
    ],
    [
      'browsers',
      {},
      [
        { browser: 'Chrome', clicks: 3, visitors: 3 },
        { browser: 'Mobile Safari', clicks: 3, visitors: 3 },
      ],
    ],
    [
      'os',
      {},
      [
        { os: 'Windows', clicks: 3, visitors: 3 },
        { os: 'iOS', clicks: 3, visitors: 3 },
      ],
    ],
    [
      'referers',
      {},
      [
        { referer: '(direct)', clicks: 4, visitors: 4 },
        { referer: 'news.example', clicks: 2, visitors: 2 },
      ],
    ],
    [
      'count',
      { key: 'a' },
      {
        clicks: 3,
        scans: 0,
        viwes: 0,
        leads: 0,
        sales: 0,
        saleAmount: 0,
        refunds: 0,
        refundAmount: 0,
        visitors: 3,
      },
    ],
    [
      'devices',
      { externalId: 'ext_a-1' },
      [
        { device: 'Desktop', clicks: 2, visitors: 2 },
        { device: 'Mobile', clicks: 1, visitors: 1 },
      ],
    ],
    ['os', { domain: 'localhost' }, [{ os: 'Windows', clicks: 1, visitors: 1 }]],
  ];
  for (const [groupBy, query, expected] of groups) {
    it(`returns ${groupBy} of ${JSON.stringify(query)}`, async () => {
      const domain = 'key' in query ? { domain: world.domain } : {};
      for (const interval of ['1h', '24h', '7d', '30d', '90d', 'ytd', '1y', 'all']) {
        const { status, body } = await world.api.get('/analytics', {
          groupBy,
          interval,
          ...domain,
          ...query,
        });
        expect(status).to.equal(200);
        expect(body, interval).to.deep.equal(expected);
      }
    });
  }

  it('counts and filters by UTM parameters, those of the visitor’s query too', async () => {
    const { api, domain } = world;
    const other = await aWorkspace();
    await other.api.post('/links', {
      url: `${A}?utm_source=mail&utm_campaign=Spring%20sale`,
      key: 'm',
    });
    await other.api.post('/links', { url: A, key: 'n' });
    for (const [path, visitor] of [
      ['/m', 1],
      ['/m', 2],
      ['/n', 3],
      ['/n?utm_source=poster&utm_medium=print', 4],
      ['/m?utm_source=poster', 5],
    ] as const) {
      await other.visit(path, { userAgent: browser(visitor) });
    }
    await waitForClicks(other, 5);
    const rowsBy = async (groupBy: string, query = {}) =>
      (await other.api.get('/analytics', { groupBy, ...query })).body;
    expect(await rowsBy('utm_sources')).to.deep.equal([
      { utm_source: 'mail', clicks: 2, visitors: 2 },
      { utm_source: 'poster', clicks: 2, visitors: 2 },
    ]);
    expect(await rowsBy('utm_campaigns')).to.deep.equal([
      { utm_campaign: 'Spring sale', clicks: 3, visitors: 3 },
    ]);
    expect(await rowsBy('utm_mediums', { utm_source: 'poster' })).to.deep.equal([
      { utm_medium: 'print', clicks: 1, visitors: 1 },
    ]);
    expect(await rowsBy('utm_terms')).to.deep.equal([]);
    expect(await rowsBy('utm_contents')).to.deep.equal([]);
    const spring = { utm_campaign: 'Spring sale', utm_source: 'mail' };
    expect(await clicksOf(other, spring)).to.equal(2);
    expect(await clicksOf(other, { utm_source: 'Mail' })).to.equal(2);
    expect(await clicksOf(other, { utm_source: 'Mails' })).to.equal(0);
    const { body } = await other.api.get('/events', { utm_source: 'poster' });
    expect(body.map(({ link }: { link: { key: string } }) => link.key)).to.have.members(['m', 'n']);
    const { status } = await api.get('/analytics', { domain, utm_source: '' });
    expect(status).to.equal(422);
  });

  it('accepts singular and plural names', async () => {
    const [one, many] = await Promise.all(
      ['country', 'countries'].map((groupBy) => world.api.get('/analytics', { groupBy })),
    );
    expect(one!.body).to.deep.equal(many!.body);
  });

  it('returns the numbers of one link', async () => {
    expect(await clicksOf(world, { linkId })).to.equal(3);
    expect(await clicksOf(world, { linkId: 'ext_a-1' })).to.equal(3);
    expect(await clicksOf(world, { linkId, interval: 'all_unfiltered' })).to.equal(3);
    expect(await clicksOf(world, { interval: 'all_unfiltered' })).to.equal(6);
  });

  it('uses the interval whatever start and end are', async () => {
    const never = { start: '2026-02-01', end: '2026-01-01' };
    for (const interval of ['7d', 'all', 'all_unfiltered']) {
      const { status, body } = await world.api.get('/analytics', { interval, ...never });
      expect([status, body.clicks], interval).to.deep.equal([200, 6]);
    }
  });

  const steps: [interval: string, least: number, most: number][] = [
    ['1h', 60, 61],
    ['24h', 24, 25],
    ['7d', 7, 7],
    ['30d', 30, 30],
    ['90d', 90, 90],
    ['1y', 12, 13],
    ['all', 1, 1],
  ];
  for (const [interval, least, most] of steps) {
    it(`returns a time series without gaps: ${interval}`, async () => {
      for (const timezone of ['UTC', 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe']) {
        const { body } = await world.api.get('/analytics', {
          groupBy: 'timeseries',
          interval,
          timezone,
        });
        expect(body.length, timezone).to.be.within(least, most);
        const starts = body.map(({ start }: { start: string }) => start);
        expect(starts).to.deep.equal(
          [...new Set<string>(starts)].toSorted((a, b) => a.localeCompare(b)),
        );
        const sum = body.reduce(
          (total: number, { clicks }: { clicks: number }) => total + clicks,
          0,
        );
        expect(sum, timezone).to.equal(6);
      }
    });
  }

  it('aligns days to the time zone, on days of 23 and 25 hours too', async () => {
    const { projectId, api } = await aWorkspace();
    const times = [
      '2025-03-30T00:30Z',
      '2025-03-30T21:59Z',
      '2025-03-30T22:01Z',
      '2025-10-26T00:30Z',
      '2025-10-26T01:30Z',
      '2025-10-26T22:59Z',
      '2025-10-26T23:01Z',
    ];
    const events = times.map((time, n) =>
      anEvent(projectId, { id: `clk_${n}`, occurred_at: new Date(time).toISOString() }),
    );
    await db().transaction((trx) => append(trx, events));
    const ask = async (start: string, end: string) => {
      const { body } = await api.get('/analytics', {
        groupBy: 'timeseries',
        timezone: 'Europe/Berlin',
        start,
        end,
      });
      return body.filter(({ clicks }: { clicks: number }) => clicks > 0);
    };
    expect(await ask('2025-03-29', '2025-04-03')).to.deep.equal([
      { start: '2025-03-29T23:00:00.000Z', clicks: 2, visitors: 0 },
      { start: '2025-03-30T22:00:00.000Z', clicks: 1, visitors: 0 },
    ]);
    expect(await ask('2025-10-24', '2025-10-29')).to.deep.equal([
      { start: '2025-10-25T22:00:00.000Z', clicks: 3, visitors: 0 },
      { start: '2025-10-26T23:00:00.000Z', clicks: 1, visitors: 0 },
    ]);
    // Clocks go back that night, so the hour from two to three occurs twice.
    expect(await ask('2025-10-26T00:00:00Z', '2025-10-26T03:00:00Z')).to.deep.equal([
      { start: '2025-10-26T00:00:00.000Z', clicks: 1, visitors: 0 },
      { start: '2025-10-26T01:00:00.000Z', clicks: 1, visitors: 0 },
    ]);
  });

  const lists: [query: string, clicks: number][] = [
    ['device=Desktop,Mobile', 5],
    ['device=Desktop&device=Mobile', 5],
    ['device=Desktop,Mobile&device=Tablet', 6],
    ['device=Wearable', 0],
    ['browser=Chrome,Mobile%20Safari', 6],
    ['browser=Vivaldi', 0],
    ['os=iOS&device=Tablet,Desktop', 1],
    ['country=DE,FR&continent=EU', 3],
    ['country=Unknown', 1],
    ['continent=AS,SA', 2],
  ];
  for (const [query, clicks] of lists) {
    it(`counts events with any of the values of ${query}`, async () => {
      const { status, body } = await world.api.get(`/analytics?${query}`);
      expect([status, body.clicks]).to.deep.equal([200, clicks]);
      expect((await world.api.get(`/events?${query}`)).body).to.have.length(clicks);
    });
  }

  const excluding: [query: string, clicks: number][] = [
    ['country=DE&exclude=country', 4],
    ['country=DE,FR&exclude=country', 3],
    ['country=DE&device=Desktop&exclude=country', 1],
    ['country=DE&device=Desktop&exclude=country,device', 3],
    ['city=Berlin&city=Paris&exclude=city&country=DE', 0],
    ['domain=localhost&exclude=domain', 5],
    ['referer=NEWS&exclude=referer', 4],
    ['utm_source=mail&exclude=utm_source', 6],
    ['pageId=PAGE&exclude=pageId', 6],
  ];
  for (const [query, clicks] of excluding) {
    it(`counts events with none of the excluded values of ${query}`, async () => {
      const { body: page } = await world.api.post('/pages', { title: 'P' });
      const asked = query.replace('PAGE', page.id);
      const { status, body } = await world.api.get(`/analytics?${asked}`);
      expect([status, body.clicks], JSON.stringify(body)).to.deep.equal([200, clicks]);
      expect((await world.api.get(`/events?${asked}`)).body).to.have.length(clicks);
    });
  }

  it('selects and excludes links, tags and folders, also several, and counts by them', async () => {
    const own = await aWorkspace();
    const { api, projectId, domain } = own;
    const idOf = async (path: string, body: object): Promise<string> =>
      (await api.post(path, body)).body.id;
    const tags = [await idOf('/tags', { name: 'Spring' }), await idOf('/tags', { name: 'Autumn' })];
    const folderId = await idOf('/folders', { name: 'Shop' });
    const links = [
      await idOf('/links', { url: A, tagIds: tags, externalId: 'x-1' }),
      await idOf('/links', { url: A, tagIds: [tags[1]], folderId }),
      await idOf('/links', { url: A }),
    ];
    const code = await idOf('/qrcodes', { type: 'url', url: A, tagIds: [tags[0]] });
    const occurred_at = new Date().toISOString();
    const events = [...links, links[1]!, null].map((link_id, n) =>
      anEvent(projectId, { id: `clk_of_${n}`, occurred_at, domain, link_id, visitor: 'new' }),
    );
    const scan = anEvent(projectId, {
      id: 'clk_scan',
      occurred_at,
      domain,
      link_id: code,
      event: 'scan',
    });
    await db().transaction((trx) => append(trx, [...events, scan]));
    const count = async (query: string) => {
      const { status, body } = await api.get(`/analytics?${query}`);
      expect(status, JSON.stringify(body)).to.equal(200);
      return [body.clicks, body.scans];
    };
    expect(await count(`linkId=${links[0]}&linkId=${links[1]}`)).to.deep.equal([3, 0]);
    expect(await count(`linkId=ext_x-1,${links[2]}`)).to.deep.equal([2, 0]);
    expect(await count(`linkId=${links[1]}&exclude=linkId`)).to.deep.equal([3, 1]);
    expect(await count(`qrcodeId=${code}&exclude=qrcodeId`)).to.deep.equal([5, 0]);
    expect(await count(`tagId=${tags[1]}`)).to.deep.equal([3, 0]);
    expect(await count(`tagId=${tags[0]}&exclude=tagId`)).to.deep.equal([4, 0]);
    expect(await count(`tagId=${tags[1]}&linkId=${links[0]}&exclude=linkId`)).to.deep.equal([2, 0]);
    expect(await count(`folderId=${folderId}&tagId=${tags[0]}&exclude=folderId,tagId`)).to.eql([
      2, 0,
    ]);
    const rows = async (query: string) => (await api.get(`/analytics?${query}`)).body;
    expect(await rows('groupBy=top_tags')).to.deep.equal([
      { tag: tags[1], id: tags[1], name: 'Autumn', clicks: 3, visitors: 3 },
      { tag: tags[0], id: tags[0], name: 'Spring', clicks: 1, visitors: 1 },
    ]);
    expect(await rows('groupBy=top_tags&event=scans')).to.deep.equal([
      { tag: tags[0], id: tags[0], name: 'Spring', scans: 1, visitors: 0 },
    ]);
    const ofFolder = { folder: folderId, id: folderId, name: 'Shop', clicks: 2, visitors: 2 };
    expect(await rows('groupBy=top_folders')).to.deep.equal([ofFolder]);
    expect(await rows(`groupBy=top_folders&tagId=${tags[0]}`)).to.deep.equal([]);
    expect(await rows(`groupBy=top_folders&linkId=${links[1]}`)).to.deep.equal([ofFolder]);
  });

  it('accepts any browser name', async () => {
    const { api, projectId } = await aWorkspace();
    const rare = anEvent(projectId, {
      id: 'clk_rare',
      occurred_at: new Date().toISOString(),
      browser: 'Rare, indeed',
    });
    const other = { ...rare, id: 'clk_other', browser: 'Odd' };
    await db().transaction((trx) => append(trx, [rare, other]));
    const { body } = await api.get('/analytics', { browser: 'Odd,Chrome' });
    expect(body.clicks).to.equal(1);
    expect((await api.get('/analytics', { browser: 'Even' })).body.error.message).to.contain('Odd');
  });

  it('distinguishes visits of a domain’s root from all others, and from sales without a link', async () => {
    const { api, projectId, domain } = await aWorkspace();
    const { body: link } = await api.post('/links', { url: A });
    const occurred_at = new Date().toISOString();
    const sale = { event: 'sale' as const, event_name: 'Purchase', amount_cents: 100 };
    const root = { domain, key: '_root' };
    await db().transaction((trx) =>
      append(trx, [
        anEvent(projectId, { id: 'clk_root', occurred_at, ...root }),
        anEvent(projectId, { id: 'clk_link', occurred_at, domain, link_id: link.id }),
        anEvent(projectId, { id: 'evt_root', occurred_at, ...root, ...sale }),
        anEvent(projectId, { id: 'evt_none', occurred_at, domain: '', key: '', ...sale }),
      ]),
    );
    const ask = async (query: object) => {
      const { body } = await api.get('/analytics', { ...query });
      return [body.clicks, body.sales];
    };
    expect(await ask({})).to.deep.equal([2, 2]);
    expect(await ask({ root: true })).to.deep.equal([1, 1]);
    expect(await ask({ root: false })).to.deep.equal([1, 1]);
    expect(await ask({ excludeRoot: true })).to.deep.equal([1, 1]);
    expect(await ask({ excludeRoot: false })).to.deep.equal([2, 2]);
    expect(await ask({ domain, key: '_root' })).to.deep.equal([1, 1]);
    expect(await ask({ root: true, excludeRoot: true })).to.deep.equal([0, 0]);
    const sales = (await api.get('/events', { event: 'sales', root: false })).body;
    expect(sales.map(({ link: of }: { link: unknown }) => of)).to.deep.equal([null]);
  });

  it('uses an end without start as the end of a day', async () => {
    const end = new Date(Date.now() + 60_000).toISOString();
    expect(await clicksOf(world, { end })).to.equal(6);
    expect(await clicksOf(world, { end: '2020-01-01' })).to.equal(0);
  });

  it('returns every group for an empty interval, and for a quarter of an hour', async () => {
    const start = '2025-06-01T12:00:00Z';
    for (const groupBy of Object.keys(GROUPS)) {
      for (const end of [start, '2025-06-01T12:15:00Z']) {
        const { status, body } = await world.api.get('/analytics', { groupBy, start, end });
        expect(status, `${groupBy} ${JSON.stringify(body)}`).to.equal(200);
      }
    }
    expect(await clicksOf(world, { start, end: start })).to.equal(0);
  });

  it('paginates and sorts events', async () => {
    const { api } = world;
    const times = (body: { timestamp: string }[]) => body.map(({ timestamp }) => timestamp);
    const newest = times((await api.get('/events')).body);
    expect(newest).to.have.length(6);
    expect(newest).to.deep.equal(newest.toSorted().toReversed());
    expect(times((await api.get('/events', { order: 'asc' })).body)).to.deep.equal(
      newest.toReversed(),
    );
    expect(times((await api.get('/events', { limit: 4, page: 2 })).body)).to.deep.equal(
      newest.slice(4),
    );
    expect((await api.get('/events', { linkId })).body).to.have.length(3);
    expect((await api.get('/events', { domain: world.domain })).body).to.have.length(5);
  });

  const refused: [query: Record<string, string>, status: number, message: string][] = [
    [{ timezone: 'Mars/Olympus' }, 422, 'timezone must be an IANA time zone'],
    [{ timezone: '+01:00' }, 422, 'timezone'],
    [{ exclude: 'country' }, 422, 'exclude must name filters of the request; country has no value'],
    [
      { tagId: '', exclude: 'tagId' },
      422,
      'exclude must name filters of the request; tagId has no value',
    ],
    [
      { types: '', exclude: 'types' },
      422,
      'exclude must name filters of the request; types has no value',
    ],
    [{ exclude: 'root', root: 'true' }, 422, 'exclude'],
    [{ exclude: 'types', types: 'qr', type: 'qr' }, 422, 'exclude must not be types'],
    [{ exclude: 'tagId', tagId: 'tag_none' }, 404, 'There is no tag "tag_none"'],
    [{ exclude: 'folderId', folderId: 'fold_none' }, 404, 'There is no folder "fold_none"'],
    [{ domain: 'a.test,b.test', key: 'k' }, 422, 'domain is required with key, and must be one'],
    [{ start: '2025-02-01', end: '2025-01-01' }, 422, 'start must not be after end'],
    [{ start: '0001-01-01' }, 422, 'start must not be more than 400 years before end'],
    [{ start: 'soon' }, 422, 'start'],
    [{ interval: '2d' }, 422, 'interval'],
    [{ key: 'a' }, 422, 'domain is required with key'],
    [{ linkId: 'link_nope' }, 404, 'link "link_nope"'],
    [{ externalId: 'ext_nope' }, 404, 'link "ext_nope"'],
    [{ domain: 'x.test', key: 'nope' }, 404, 'link "nope"'],
    [{ event: 'nothing' }, 422, 'event'],
    [{ nope: '1' }, 422, 'nope is not a known query parameter'],
    [{ device: 'Toaster' }, 422, 'must be one of Desktop, Mobile'],
    [{ device: 'Desktop,Toaster' }, 422, 'must be one of Desktop, Mobile'],
    [{ device: '' }, 422, 'device must'],
    [{ browser: 'Chorme' }, 422, 'Chrome'],
    [{ browser: 'Chrome,Chorme' }, 422, '"Chorme" is none'],
    [{ os: 'Windoze' }, 422, 'os must be one of'],
    [{ country: 'DE,XX' }, 422, 'country'],
    [{ continent: 'Unknown' }, 422, 'continent'],
  ];
  for (const [query, status, message] of refused) {
    it(`refuse ${JSON.stringify(query)} with ${status}`, async () => {
      for (const path of ['/analytics', '/events']) {
        const answer = await world.api.get(path, query);
        expect(answer.status, path).to.equal(status);
        expect(answer.body.error.message).to.contain(message);
      }
    });
  }
});
