import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { pino } from 'pino';
import { publishStored } from '../../src/event-records/publish.ts';
import type { EventRow } from '../../src/events/event.ts';
import { VisitRecorder } from '../../src/events/ingest/record-visits.ts';
import { eventsStore } from '../../src/events/store/index.ts';
import type { GuardedEvent } from '../../src/events/store/store.ts';
import { newId } from '../../src/ids.ts';
import { db } from '../../src/infra/db.ts';
import { decodeVisits, encodeVisits } from '../../src/visits/batch.ts';
import type { Visit } from '../../src/visits/visit.ts';
import { browser } from '../support/browser.ts';
import { anEvent } from '../support/events.ts';
import { eventually } from '../support/eventually.ts';
import { aWorkspace, type World } from '../support/world.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** Midnight of a past day, so that visits of all its hours can be recorded. */
const DAY = Math.floor(Date.now() / DAY_MS - 3) * DAY_MS;

describe('visitors', () => {
  let world: World;
  let link: { id: string; key: string };

  const recorder = () =>
    new VisitRecorder({
      eventsStore: eventsStore(),
      findPlace: () => ({ continent: '', country: 'DE', region: 'Unknown', city: 'Unknown' }),
      publish: publishStored,
      log: pino({ level: 'silent' }),
    });

  beforeEach(async () => {
    world = await aWorkspace();
    await world.set({ clickDedupeSeconds: 0 });
    ({ body: link } = await world.api.post('/links', { url: 'https://example.com', key: 'a' }));
  });

  const aVisit = (fields: Partial<Visit> = {}): Visit => ({
    id: newId('event'),
    at: DAY + 10 * HOUR_MS,
    projectId: world.projectId,
    linkId: link.id,
    domain: world.domain,
    key: link.key,
    destination: 'https://example.com',
    ip: '192.0.2.1',
    userAgent: browser(1),
    referer: '',
    via: 'link',
    ...fields,
  });

  /** Records each of these visits in a batch of its own. */
  async function record(...visits: Partial<Visit>[]): Promise<void> {
    for (const visit of visits) await recorder().record([aVisit(visit)]);
  }

  async function analytics(query: object = {}) {
    const start = new Date(DAY - DAY_MS).toISOString();
    const { body } = await world.api.get('/analytics', { start, ...query });
    return body;
  }

  async function counted(query: object = {}): Promise<{ clicks: number; visitors: number }> {
    const { clicks, visitors } = await analytics(query);
    return { clicks, visitors };
  }

  it('counts a visitor once a day, in a workspace that counts every visit', async () => {
    await record({}, { at: DAY + 22 * HOUR_MS }, { at: DAY + DAY_MS - 1 });
    expect(await counted()).to.deep.equal({ clicks: 3, visitors: 1 });
  });

  it('counts a visitor again on the next day (UTC)', async () => {
    await record({ at: DAY + DAY_MS - 1 }, { at: DAY + DAY_MS });
    expect(await counted()).to.deep.equal({ clicks: 2, visitors: 2 });
  });

  it('counts two user agents as two visitors, and two addresses of one network as one', async () => {
    await record({}, { userAgent: browser(2) }, { ip: '192.0.2.99' }, { ip: '192.0.3.1' });
    expect(await counted()).to.deep.equal({ clicks: 4, visitors: 3 });
    await record({ ip: '2001:db8:1::1' }, { ip: '2001:db8:1:ffff::2' }, { ip: '2001:db8:2::1' });
    expect(await counted()).to.deep.equal({ clicks: 7, visitors: 5 });
  });

  it('counts a visitor of two links, of a domain root, of a QR code and of a page once each', async () => {
    const { body: other } = await world.api.post('/links', { url: 'https://example.com' });
    const { body: code } = await world.api.post('/qrcodes', { type: 'url', url: 'https://a.test' });
    const { body: page } = await world.api.post('/pages', { title: 'Page' });
    const view = { pageId: page.id };
    const visits: Partial<Visit>[] = [
      {},
      { linkId: other.id },
      { linkId: '', key: '_root' },
      { linkId: code.id },
      { view },
    ];
    await record(...visits, ...visits);
    expect(await analytics()).to.deep.equal({
      clicks: 6,
      scans: 2,
      viwes: 2,
      leads: 0,
      sales: 0,
      saleAmount: 0,
      refunds: 0,
      refundAmount: 0,
      // Those of the page are not counted together with those of the link behind it.
      visitors: 4,
    });
    expect(await analytics({ groupBy: 'clicks' })).to.deep.equal({ clicks: 6, visitors: 3 });
    expect(await analytics({ groupBy: 'scans' })).to.deep.equal({ scans: 2, visitors: 1 });
    expect(await analytics({ groupBy: 'views' })).to.deep.equal({ views: 2, visitors: 1 });
    expect(await analytics({ groupBy: 'leads' })).to.deep.equal({ leads: 0 });
    expect(await analytics({ groupBy: 'composite' })).to.deep.equal({
      clicks: 6,
      leads: 0,
      sales: 0,
      saleAmount: 0,
      refunds: 0,
      refundAmount: 0,
      visitors: 3,
    });
    const rows = await analytics({ groupBy: 'top_links' });
    expect(rows.map(({ id, clicks, visitors }: typeof rows) => [id, clicks, visitors]))
      .to.have //
      .deep.members([
        [link.id, 2, 1],
        [other.id, 2, 1],
      ]);
    const [country] = await analytics({ groupBy: 'continents' });
    expect(country).to.deep.equal({ continent: 'EU', clicks: 6, visitors: 3 });
  });

  it('counts a visitor in the hour and with the referrer of the first visit', async () => {
    const referer = 'https://news.example/a';
    await record({ referer }, { at: DAY + 12 * HOUR_MS });
    const referers = await analytics({ groupBy: 'referers' });
    expect(referers).to.have.deep.members([
      { referer: 'news.example', clicks: 1, visitors: 1 },
      { referer: '(direct)', clicks: 1, visitors: 0 },
    ]);
    const times = await analytics({
      groupBy: 'timeseries',
      start: new Date(DAY + 9 * HOUR_MS).toISOString(),
      end: new Date(DAY + 13 * HOUR_MS).toISOString(),
    });
    expect(times.map(({ visitors }: { visitors: number }) => visitors)).to.deep.equal([0, 1, 0, 0]);
    const end = new Date(DAY + 11 * HOUR_MS).toISOString();
    const { visitors } = await analytics({
      groupBy: 'kpis',
      start: new Date(DAY).toISOString(),
      end,
    });
    expect(visitors).to.deep.equal({ value: 1, previous: 0, change: null });
  });

  it('counts no visitor for visits with Do Not Track or Global Privacy Control', async () => {
    const [visit] = decodeVisits(encodeVisits([aVisit({ wantsPrivacy: true })]));
    await recorder().record([visit!]);
    expect(await counted()).to.deep.equal({ clicks: 1, visitors: 0 });
    await record({});
    expect(await counted()).to.deep.equal({ clicks: 2, visitors: 1 });
  });

  it('counts no visitor of redirects with Do Not Track or Global Privacy Control', async () => {
    const visited = async (headers: Record<string, string>, clicks: number, visitors: number) => {
      expect((await world.visit('/a', { userAgent: browser(1), headers })).status).to.equal(302);
      const start = new Date(Date.now() - DAY_MS).toISOString();
      await eventually(async () =>
        expect(await counted({ start })).to.deep.equal({ clicks, visitors }),
      );
    };
    await visited({ dnt: '1' }, 1, 0);
    await visited({ 'sec-gpc': '1' }, 2, 0);
    await visited({}, 3, 1);
  });

  it('counts one visitor in 30 concurrent visits', async () => {
    const recorders = [recorder(), recorder(), recorder()];
    const jobs = Array.from({ length: 30 }, (_, n) => recorders[n % 3]!.record([aVisit()]));
    await Promise.all(jobs);
    expect(await counted()).to.deep.equal({ clicks: 30, visitors: 1 });
  });

  it('counts the same when a batch runs again, partly or in another order', async () => {
    const batch = Array.from({ length: 40 }, (_, n) => aVisit({ userAgent: browser(n % 10) }));
    const [one, two] = [recorder(), recorder()];
    await Promise.all([one.record(batch), two.record(batch.toReversed())]);
    await Promise.all([one.record(batch.slice(20)), two.record(batch)]);
    const agents = new Set(batch.map(({ userAgent }) => userAgent)).size;
    expect(await counted()).to.deep.equal({ clicks: 40, visitors: agents });
    expect(await counted({ interval: 'all' })).to.deep.equal({ clicks: 40, visitors: agents });
  });

  it('does not mark a visit again whose first transaction failed, once another is marked', async () => {
    const [row, other] = [1, 2].map((n) =>
      anEvent(world.projectId, {
        id: newId('event'),
        occurred_at: new Date(DAY).toISOString(),
        link_id: link.id,
        browser: String(n),
      }),
    ) as [EventRow, EventRow];
    const visitorId = randomBytes(16).toString('hex');
    const guarded = (event: EventRow): GuardedEvent => ({
      row: event,
      guardId: event.id,
      visitorId,
      guardUntil: new Date(Date.now() + DAY_MS),
    });
    const append = (event: EventRow, fails = false) =>
      db().transaction(async (trx) => {
        await eventsStore().appendVisits(trx, [guarded(event)]);
        if (fails) throw new Error('the connection was lost');
      });
    await append(row, true).catch(() => {});
    await append(other);
    await append(row);
    expect(await counted()).to.deep.equal({ clicks: 2, visitors: 1 });
  });

  it('counts a repeat across midnight as no visit, and the visitor of the next visit as new', async () => {
    const midnight = DAY + DAY_MS;
    // Windows are aligned to the epoch; one of these lengths does not begin at this midnight.
    const seconds = [5_000, 7_000].find((length) => (midnight / 1_000) % length !== 0)!;
    await world.set({ clickDedupeSeconds: seconds });
    // Another address of the network is another visit of the same visitor.
    await recorder().record([aVisit({ at: midnight - 1 })]);
    await recorder().record([
      aVisit({ at: midnight }),
      aVisit({ at: midnight, ip: '192.0.2.2' }),
      aVisit({ at: midnight, ip: '192.0.2.3' }),
    ]);
    expect(await counted()).to.deep.equal({ clicks: 3, visitors: 2 });
  });

  it('recognizes a repeat by a visitor who asks for privacy in the meantime', async () => {
    await world.set({ clickDedupeSeconds: 3_600 });
    await record({}, { wantsPrivacy: true }, {});
    await record({ wantsPrivacy: true, ip: '198.51.100.1' }, { ip: '198.51.100.1' });
    await record({ ip: '198.51.100.2' });
    expect(await counted()).to.deep.equal({ clicks: 3, visitors: 2 });
  });

  it('counts visits of one visitor in one batch, in batches at the same time and again', async () => {
    const visits = Array.from({ length: 60 }, (_, n) => aVisit({ ip: `192.0.2.${n % 30}` }));
    const batches = [visits.slice(0, 40), visits.slice(20), visits.toReversed()];
    await Promise.all(batches.map((batch) => recorder().record(batch)));
    await recorder().record(visits);
    expect(await counted()).to.deep.equal({ clicks: 60, visitors: 1 });
  });

  it('knows the visitors that the previous version counted, and the other way round', async () => {
    const guardsOf = () => db()('visit_guards').whereNotNull('visitor').pluck('visitor');
    const earlier = new Set(await guardsOf());
    await record({});
    const [visitor] = (await guardsOf()).filter((id: string) => !earlier.has(id)) as [string];
    const bytes = Buffer.from(visitor.replaceAll('-', '').slice(0, 24), 'hex');
    const oldGuard = { id: `vis_${bytes.toString('base64url')}`, expires_at: new Date() };
    const insertOld = () =>
      db()('visit_guards').insert(oldGuard).onConflict().ignore().returning('id');
    expect(await insertOld()).to.deep.equal([]);
    await db()('visit_guards').where({ visitor }).delete();
    expect(await insertOld()).to.deep.equal([{ id: oldGuard.id }]);
    await record({ at: DAY + 11 * HOUR_MS });
    expect(await counted()).to.deep.equal({ clicks: 2, visitors: 1 });
  });

  it('stores no address, user agent or lasting id of a visitor', async () => {
    // Other tests store visits of far days.
    const earlier = await db()('visit_guards').pluck('id');
    await record({});
    const guards = await db()('visit_guards')
      .whereNotNull('visitor')
      .whereNotIn('id', earlier)
      .select('*');
    expect(guards.length).to.be.greaterThan(0);
    for (const { id, visitor, expires_at } of guards) {
      expect(id).to.match(/^clk_[\w-]{24}$/);
      expect(visitor).to.match(/^[\da-f-]{28}00000000$/);
      expect(expires_at.getTime() - Date.now()).to.be.lessThan(4 * DAY_MS);
    }
  });
});
