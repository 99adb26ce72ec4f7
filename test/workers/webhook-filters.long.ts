import { expect } from 'chai';
import { freePort } from '../../scripts/ports.ts';
import { seeded } from '../qr/pairwise.ts';
import type { ApiClient } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { Receiver } from '../support/receiver.ts';
import { RedisNode } from '../support/redis-node.ts';
import { entriesOf } from '../support/streams.ts';
import { aWorkspace, type World } from '../support/world.ts';

/*
 * Random visits reach webhooks and destinations with filters, and the same filters are given to GET
 * /events: all must have the same events, with the same fields.
 */

const VISITS = 10_000;
/** Visits at a time. */
const AT_ONCE = 50;
const SEED = 20_261_129;
const URL_A = 'https://example.com/a';
const KINDS = ['link.clicked', 'qrcode.scanned'];

/** Networks of the test's database of places, one that it lacks, and one of a mail scanner. */
const NETWORKS = ['192.0.2.', '198.51.100.', '203.0.113.', '198.18.3.', '40.94.16.'];

/** User agents by device; the number makes each a visitor of its own. */
const AGENTS: ((n: number) => string)[] = [
  (n) =>
    `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/139.0.${n}.1 Safari/537.36`,
  (n) =>
    `Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.${n} Mobile/15E148 Safari/604.1`,
  (n) =>
    `Mozilla/5.0 (iPad; CPU OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.${n} Mobile/15E148 Safari/604.1`,
  (n) =>
    `Mozilla/5.0 (SMART-TV; Linux; Tizen 6.5) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/4.0 Chrome/76.0.${n}.1 TV Safari/537.36`,
];

interface Filter {
  country?: string[];
  device?: string[];
  qr?: boolean;
  traffic?: 'person' | 'suspect' | 'all';
}

const FILTERS: (Filter | null)[] = [
  null,
  { country: ['DE'] },
  { country: ['JP', 'Unknown'] },
  { device: ['Mobile'] },
  { device: ['Tablet', 'Smarttv'], country: ['BR', 'DE'] },
  { qr: true },
  { qr: false, device: ['Desktop'] },
  { traffic: 'suspect' },
  { traffic: 'all' },
  { traffic: 'all', country: ['US', 'Unknown', 'DE'], device: ['Desktop'], qr: false },
];

interface Seen {
  timestamp: string;
  click: { id: string };
}

describe('filters of webhooks', () => {
  let world: World;
  let api: ApiClient;
  const receivers = new Map<Filter | null, Receiver>();
  let redis: RedisNode;

  before(async function () {
    world = await aWorkspace();
    ({ api } = world);
    redis = new RedisNode(await freePort());
    await redis.start();
    for (const [n, filter] of FILTERS.entries()) {
      const receiver = await Receiver.start();
      receivers.set(filter, receiver);
      const webhook = {
        name: `filter ${n}`,
        url: receiver.url,
        kinds: KINDS,
        scope: 'all',
        filter,
      };
      const { status, body } = await api.post('/webhooks', webhook);
      expect(status, JSON.stringify(body)).to.equal(201);
      const settings = { url: `redis://127.0.0.1:${redis.port}`, stream: `filter ${n}` };
      const destination = { type: 'redis', name: `filter ${n}`, settings, filter };
      expect((await api.post('/destinations', destination)).status).to.equal(201);
    }
    await api.post('/links', { url: URL_A, key: 'link' });
    await api.post('/qrcodes', { type: 'url', url: URL_A, key: 'code' });
    await sendVisits();
    await eventually(async () => {
      const { body } = await api.get('/analytics', { traffic: 'all' });
      expect(body.clicks + body.scans).to.equal(VISITS);
    });
  });

  after(async () => {
    for (const receiver of receivers.values()) await receiver.stop();
    await redis.stop();
  });

  async function sendVisits(): Promise<void> {
    const random = seeded(SEED);
    const oneOf = <Value>(values: readonly Value[]): Value =>
      values[Math.floor(random() * values.length)]!;
    let next = 0;
    const visitor = async () => {
      for (let n = next++; n < VISITS; n = next++) {
        const path = oneOf(['/link', '/link?qr=1', '/code']);
        const userAgent = oneOf(AGENTS)(n);
        const headers = { 'x-forwarded-for': `${oneOf(NETWORKS)}${1 + (n % 250)}` };
        const { status } = await world.visit(path, { userAgent, headers });
        expect(status).to.be.below(400);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, visitor));
  }

  /** Reads all events of a kind that match a filter. */
  async function eventsOf(event: string, { qr, ...filter }: Filter): Promise<Seen[]> {
    const events: Seen[] = [];
    const query: Record<string, string> = { event };
    for (const [name, value] of Object.entries(filter)) query[name] = String(value);
    if (qr !== undefined) query['type'] = qr ? 'qr' : 'link';
    for (let cursor: string | null = ''; cursor !== null; ) {
      if (cursor !== '') query['cursor'] = cursor;
      const { status, body, headers } = await api.get('/events', query);
      expect(status, JSON.stringify(body)).to.equal(200);
      events.push(...body);
      cursor = headers.get('x-next-cursor');
    }
    return events;
  }

  const byId = (events: readonly Seen[]) =>
    events
      .map(({ timestamp, click }) => ({ timestamp, click }))
      .toSorted((a, b) => (a.click.id < b.click.id ? -1 : 1));

  for (const [n, filter] of FILTERS.entries()) {
    it(`have the events of GET /events: ${JSON.stringify(filter)}`, async () => {
      const clicks = await eventsOf('clicks', filter ?? {});
      const scans = await eventsOf('scans', filter ?? {});
      const expected = byId([...clicks, ...scans]);
      expect(expected.length).to.be.within(1, VISITS);
      const { received } = receivers.get(filter)!;
      await eventually(() => {
        expect(new Set(received.map(({ id }) => id)).size).to.equal(expected.length);
      });
      const all = new Map(
        received.map(({ id, body }) => [id, { timestamp: body.timestamp, click: body.data.click }]),
      );
      expect(byId([...all.values()])).to.deep.equal(expected);
      const streamed = await eventually(async () => {
        const entries = await entriesOf(redis.port, '', `filter ${n}`);
        expect(new Set(entries.map(({ id }) => id)).size).to.equal(expected.length);
        return entries;
      });
      const sent = new Map(
        streamed.map(({ id, timestamp, data }) => [id, { timestamp, click: data.click }]),
      );
      expect(byId([...sent.values()])).to.deep.equal(expected);
    });
  }
});
