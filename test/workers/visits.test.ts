import { expect } from 'chai';
import { isbot } from 'isbot';
import { pino } from 'pino';
import { publishStored } from '../../src/event-records/publish.ts';
import { VisitRecorder } from '../../src/events/ingest/record-visits.ts';
import { listRejected, retryRejected } from '../../src/events/ingest/rejected-visits.ts';
import { eventsStore } from '../../src/events/store/index.ts';
import type { CountQuery } from '../../src/events/store/store.ts';
import { newId } from '../../src/ids.ts';
import { db } from '../../src/infra/db.ts';
import type { Visit } from '../../src/visits/visit.ts';
import { seeded } from '../qr/pairwise.ts';
import { browser } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { aWorkspace, type World } from '../support/world.ts';

const UNKNOWN_PLACE = { continent: '', country: 'Unknown', region: 'Unknown', city: 'Unknown' };

describe('recording visits', () => {
  let world: World;
  let links: { id: string; key: string }[];
  const recorder = () =>
    new VisitRecorder({
      eventsStore: eventsStore(),
      findPlace: () => UNKNOWN_PLACE,
      publish: publishStored,
      log: pino({ level: 'silent' }),
    });

  beforeEach(async () => {
    world = await aWorkspace();
    const { body } = await world.api.post(
      '/links/bulk',
      Array.from({ length: 20 }, (_, n) => ({ url: 'https://example.com', key: `k${n}` })),
    );
    links = body;
  });

  function visits(count: number, fields: Partial<Visit> = {}): Visit[] {
    return Array.from({ length: count }, (_, n) => {
      const link = links[n % links.length]!;
      return {
        id: newId('event'),
        at: Date.now() - n,
        projectId: world.projectId,
        linkId: link.id,
        domain: world.domain,
        key: link.key,
        destination: 'https://example.com',
        ip: `192.0.2.${n % 250}`,
        userAgent: browser(n),
        referer: '',
        via: 'link' as const,
        ...fields,
      };
    });
  }

  async function sums() {
    const { rows } = await db().raw<{ rows: [{ events: number; counters: number }] }>(
      `SELECT (SELECT count(*) FROM events WHERE project_id = :id) AS events,
              (SELECT coalesce(sum(visits), 0)::bigint FROM counters WHERE project_id = :id) AS counters`,
      { id: world.projectId },
    );
    const { clicks } = await eventsStore().totals(everything());
    return { ...rows[0], clicks };
  }

  const everything = (): CountQuery => ({
    projectId: world.projectId,
    span: {
      start: new Date(0),
      end: new Date('9999-01-01'),
      granularity: 'month',
      timezone: 'UTC',
    },
    filter: {},
    events: ['click'],
  });
  const all = (count: number) => ({ events: count, counters: count, clicks: count });

  it('counts each visit once in repeated, concurrent and reordered batches', async () => {
    const [one, two] = [recorder(), recorder()];
    const batches = Array.from({ length: 8 }, () => visits(100));
    const unique = new Set(
      batches.flat().map(({ linkId, userAgent, ip }) => linkId + userAgent + ip),
    ).size;
    await Promise.all(
      batches.flatMap((batch) => [one.record(batch), two.record(batch.toReversed())]),
    );
    await Promise.all(batches.toReversed().map((batch) => two.record(batch)));
    expect(await sums()).to.deep.equal(all(unique));
  });

  it('does not cause deadlocks between two workers', async () => {
    await world.set({ clickDedupeSeconds: 0 });
    const workers = [recorder(), recorder(), recorder()];
    const jobs = Array.from({ length: 60 }, (_, n) => {
      const batch = visits(50);
      return workers[n % 3]!.record(n % 2 === 0 ? batch : batch.toReversed());
    });
    await Promise.all(jobs);
    expect(await sums()).to.deep.equal(all(3_000));
  });

  /** Links whose counters differ from their events, in one snapshot. */
  async function differing(): Promise<string[]> {
    const { rows } = await db().raw<{ rows: { key: string }[] }>(
      `SELECT l.key FROM links l
         LEFT JOIN counters c ON c.project_id = l.project_id AND c.record_id = l.id
         CROSS JOIN LATERAL (
           SELECT count(*) FILTER (WHERE event = 'click') AS clicks, count(*) FILTER (WHERE event = 'lead') AS leads,
                  max(occurred_at) FILTER (WHERE event = 'click') AS last
             FROM events WHERE project_id = l.project_id AND link_id = l.id) AS e
        WHERE l.project_id = ? AND (coalesce(c.visits, 0) <> e.clicks OR coalesce(c.leads, 0) <> e.leads
              OR c.last_visit_at IS DISTINCT FROM e.last)`,
      [world.projectId],
    );
    return rows.map(({ key }) => key);
  }

  it('counts or deletes each visit of links that are reset meanwhile, and repeats none', async () => {
    await world.set({ clickDedupeSeconds: 0 });
    const workers = [recorder(), recorder()];
    const batches = Array.from({ length: 40 }, () => {
      const lead = { eventId: newId('event'), nonce: newId('event'), pageId: '', answers: {} };
      return [...visits(100), ...visits(1, { lead })];
    });
    const reset = async (of: { id: string }) => {
      const { status, body } = await world.api.post(`/links/${of.id}/reset`);
      expect(status, JSON.stringify(body)).to.equal(200);
    };
    const [first, second, ...others] = links;
    const resets = async () => {
      for (let n = 0; n < 8; n += 1) {
        await Promise.all([reset(first!), reset(second!)]);
        expect(await differing()).to.deep.equal([]);
      }
    };
    const record = async (worker: number) => {
      for (let n = worker; n < batches.length; n += 2) {
        // Every third batch is delivered twice.
        const times = n % 3 === 0 ? 2 : 1;
        for (let time = 0; time < times; time += 1) await workers[worker]!.record(batches[n]!);
      }
    };
    await Promise.all([record(0), record(1), resets()]);
    expect(await differing()).to.deep.equal([]);
    const clicksOf = async (ids: readonly { id: string }[]) =>
      (await world.api.get('/links', { pageSize: 100 })).body
        .filter(({ id }: { id: string }) => ids.some((one) => one.id === id))
        .map(({ clicks }: { clicks: number }) => clicks);
    expect(await clicksOf(others)).to.deep.equal(others.map(() => 200));

    await Promise.all([reset(first!), reset(second!)]);
    for (const batch of batches) await workers[0]!.record(batch.toReversed());
    expect(await clicksOf([first!, second!])).to.deep.equal([0, 0]);
    expect(await differing()).to.deep.equal([]);
    const { clicks } = await eventsStore().totals(everything());
    expect(clicks).to.equal(200 * others.length);
  });

  it('stores visits of the distant past and future', async () => {
    await recorder().record([
      ...visits(1, { at: Date.UTC(2001, 0, 1) }),
      ...visits(1, { at: Date.UTC(2090, 0, 1) }),
    ]);
    expect(await sums()).to.deep.equal(all(2));
  });

  it('keeps the visits of links that were deleted for good meanwhile, without counters', async () => {
    await world.set({ clickDedupeSeconds: 0 });
    const [gone, other] = links as [{ id: string; key: string }, { id: string; key: string }];
    await recorder().record(visits(20));
    expect(await sums()).to.deep.equal({ events: 20, counters: 20, clicks: 20 });
    await world.api.delete(`/links/${gone.id}`);
    await world.api.delete(`/trash/${gone.id}`);
    await recorder().record(
      [gone, other, gone].flatMap(({ id, key }) => visits(2, { linkId: id, key })),
    );
    const { rows } = await db().raw(
      'SELECT record_id, visits FROM counters WHERE record_id IN (:gone, :other)',
      {
        gone: gone.id,
        other: other.id,
      },
    );
    expect(rows).to.deep.equal([{ record_id: other.id, visits: 3 }]);
    expect(await sums()).to.deep.equal({ events: 26, counters: 21, clicks: 26 });
  });

  it('drops visits of deleted workspaces, and of bots', async () => {
    await recorder().record([
      ...visits(1, { projectId: 'proj_gone' }),
      ...visits(1, { userAgent: 'Googlebot/2.1' }),
      ...visits(1),
    ]);
    expect(await sums()).to.deep.equal(all(1));
  });

  it('counts visitors with WeChat', async () => {
    const userAgent =
      'Mozilla/5.0 (Linux; Android 10; M2007J3SC Build/QKQ1.200419.002; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/86.0.4240.99 XWEB/3211 Mobile Safari/537.36 MMWEBID/4985 MicroMessenger/7.0.22.1820(0x2700163B) Process/tools WeChat/arm64 Weixin NetType/WIFI Language/zh_CN ABI/arm64';
    expect((await world.visit('/k0', { userAgent })).status).to.equal(302);
    await eventually(async () => expect(await sums()).to.deep.equal(all(1)));
  });

  it('stores any data of a visitor', async () => {
    const hostile = [
      '\0',
      'a\0b',
      '\ud800',
      '\u202e',
      "'; --",
      '"\\',
      '{}',
      'x'.repeat(50_000),
      '\r\n',
      '',
    ];
    await world.set({ clickDedupeSeconds: 0 });
    await recorder().record(
      hostile.flatMap((text) =>
        visits(1, {
          referer: `https://x.example/${text}`,
          key: text,
          destination: text,
          ip: text,
          userAgent: `${browser()} ${text}`,
        }),
      ),
    );
    expect((await sums())['events']).to.equal(hostile.length);
  });

  /** Fills every field that visitors control with random bytes, as a request can contain them. */
  function strange(random: () => number): Partial<Visit> {
    const int = (most: number) => Math.floor(random() * most);
    const bytes = () => Buffer.from(Array.from({ length: int(3_000) }, () => int(256)));
    const text = () => bytes().toString(int(2) === 0 ? 'latin1' : 'utf8');
    const units = () =>
      String.fromCharCode(...Array.from({ length: int(600) }, () => int(0x10000)));
    const any = () => [text, units][int(2)]!();
    const scheme = ['', 'foo://', 'http://', 'https://a.test/', 'data:'][int(5)]!;
    const fields: Partial<Visit> = {
      referer: scheme + any(),
      userAgent: `${browser(int(1_000))} ${any()}`,
      ip: int(2) === 0 ? any() : '192.0.2.9',
      key: any(),
      destination: scheme + any(),
      domain: any(),
    };
    if (int(4) === 0) {
      const answers = { [any()]: any(), ok: true };
      fields.lead = { eventId: newId('event'), nonce: newId('event'), pageId: '', answers };
    }
    return fields;
  }

  it('stores every regular visit of a batch with random bytes in others', async () => {
    const seed = Number(process.env['VISITS_SEED'] ?? Date.now() % 1_000_000);
    const random = seeded(seed);
    await world.set({ clickDedupeSeconds: 0, keepFullIp: true });
    const regular = visits(60);
    const all = regular.flatMap((visit) => [visit, ...visits(1, strange(random))]);

    await recorder().record(all);

    const stored = await db()('events').where({
      project_id: world.projectId,
      domain: world.domain,
    });
    expect(stored, `seed ${seed}`).to.have.length(regular.length);
    const rejected = await listRejected(db(), { projectId: world.projectId }, 100);
    expect(rejected.length, `seed ${seed}: ${rejected[0]?.message}`).to.equal(0);
    const people = all.filter(({ lead, userAgent }) => lead !== undefined || !isbot(userAgent));
    expect((await sums())['events'], `seed ${seed}`).to.equal(people.length);
  });

  it('counts regular visits beside one with a referrer too long for an index', async () => {
    await world.set({ clickDedupeSeconds: 0 });
    const random = seeded(1);
    const latin = Array.from({ length: 1_990 }, () => String.fromCharCode(0xa1 + random() * 94));
    const referers = [`foo://${latin.join('')}`, `http://${'a'.repeat(254)}`, 'foo://a.test/'];
    const went = await Promise.all(
      [...referers, ...Array.from({ length: 20 }, () => 'https://news.example/')].map(
        (referer, n) => world.visit(`/k${n % 20}`, { userAgent: browser(n), headers: { referer } }),
      ),
    );
    expect(went.map(({ status }) => status)).to.deep.equal(went.map(() => 302));
    await eventually(async () => {
      const { body } = await world.api.get('/analytics', { groupBy: 'referers' });
      expect(body).to.deep.equal([
        { referer: 'news.example', clicks: 20, visitors: 20 },
        { referer: '(direct)', clicks: 3, visitors: 3 },
      ]);
    });
  });

  it('stores the visits of a batch with other data in it', async () => {
    const others = [null, undefined, 1, 'x', [], {}, { ...visits(1)[0], ip: null }];
    const [first, second] = visits(2);
    await recorder().record([first, ...others, second] as Visit[]);
    await recorder().record(null as unknown as Visit[]);
    expect(await sums()).to.deep.equal(all(2));
  });

  it('keeps a visit that the database refuses as a dead letter, stores all others, and retries it on request', async () => {
    await world.set({ clickDedupeSeconds: 0 });
    // Postgres cannot store this time, since its year has six digits.
    const [bad] = visits(1, { at: 8.64e15 });
    // Not even JavaScript can represent this time.
    const [worse] = visits(1, { at: 8.64e15 + 1 });
    const batches = [visits(150), [...visits(20), bad!, ...visits(20)], [worse!, ...visits(3)]];
    const all = recorder();

    await Promise.all(batches.map((batch) => all.record(batch)));
    await all.record(batches[1]!);

    expect((await sums())['events']).to.equal(193);
    const { projectId, slug } = world;
    const list = () => listRejected(db(), { projectId }, 10);
    const letters = await list();
    expect(letters.map(({ workspace, attempts }) => [workspace, attempts])).to.have.deep.members([
      [slug, 2],
      [slug, 1],
    ]);
    const letter = letters.find(({ visit }) => visit.id === bad!.id)!;
    expect(letter).to.deep.include({ visit: bad, code: '22009' });
    expect(letter.message).to.match(/^time zone displacement out of range/);

    const retry = () => retryRejected(db(), { projectId }, (some) => recorder().record(some));
    expect(await retry()).to.deep.equal({ stored: 0, rejected: 2 });
    expect((await list()).map(({ attempts }) => attempts)).to.have.members([3, 2]);
    await db()('rejected_visits')
      .where({ id: letter.id })
      .update({ visit: JSON.stringify({ ...bad, at: Date.now() }) });
    expect(await retry()).to.deep.equal({ stored: 1, rejected: 1 });
    expect((await sums())['events']).to.equal(194);
    expect(await list()).to.have.length(1);
  });

  it('is counted by analytics in every dimension', async () => {
    await recorder().record(visits(200));
    for (const dimension of ['country', 'device', 'browser', 'os', 'referer'] as const) {
      const { rows } = await db().raw<{ rows: { value: string; count: number }[] }>(
        `SELECT ${dimension} AS value, count(*) FROM events WHERE project_id = ? GROUP BY 1`,
        [world.projectId],
      );
      const counted = new Map(rows.map(({ value, count }) => [value, count]));
      const values = await eventsStore().countByValue(everything(), dimension);
      expect(
        new Map(values.map(({ value, numbers }) => [value, numbers['clicks']])),
        dimension,
      ).to.deep.equal(counted);
    }
  });
});
