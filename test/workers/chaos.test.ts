import { expect } from 'chai';
import type { Knex } from '../../src/infra/db.ts';
import { eventually } from '../support/eventually.ts';
import { OwnService } from '../support/own-service.ts';
import { rolledUp } from '../support/rolled-up.ts';
import type { Service } from '../support/service.ts';
import { type Tally, Visitors, Writers, type WriteTally } from '../support/traffic.ts';

/*
 * Processes are killed and servers stopped under steady traffic, and afterwards everything must add up. On
 * servers of its own: Postgres and Redis can be stopped one by one. CHAOS_ROUNDS asks for more than one round
 * of kills, CHAOS_OUTAGE_SECONDS for other outages than 10 s.
 */

const ROUNDS = Number(process.env['CHAOS_ROUNDS'] ?? 1);
const OUTAGE_MS = Number(process.env['CHAOS_OUTAGE_SECONDS'] ?? 10) * 1000;
const VISITS_PER_SECOND = 150;
const WRITES_PER_SECOND = 10;
const SETTLE_MS = 90_000;
/** Longer than the API waits for Redis, and than jobs are locked. */
const FROZEN_MS = 12_000;
/** As long as visits fit into memory with room to spare. */
const FULL_MS = 5_000;

/** The length of an outage. */
const outage = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Waits until as many more visits were answered as are made in so many seconds. */
async function moreVisits({ tally }: Visitors, seconds = 1): Promise<void> {
  const count = tally.answered.size + seconds * VISITS_PER_SECOND;
  await eventually(() => expect(tally.answered.size).to.be.at.least(count), 30_000);
}

describe('under steady traffic', function () {
  this.timeout(600_000);
  const own = new OwnService();
  let service: Service;
  let db: Knex;
  let projectId: string;
  let apiKey: string;
  const keys = Array.from({ length: 20 }, (_, n) => `known-${n}`);

  before(async () => {
    await own.start({ WRITE_WAIT_MS: '3000' });
    ({ service, db, projectId, apiKey } = own);
    await own.post(
      '/links/bulk',
      keys.map((key) => ({ url: `https://example.com/${key}`, key })),
    );
  });

  after(() => own.stop());

  /** Every redirect that a client received is exactly one event; what was cut off is at most one. */
  async function visitsAddUp(name: string, tally: Tally): Promise<void> {
    const counts = await eventually(async () => {
      const { rows } = await db.raw<{ rows: { visitor: string; count: number }[] }>(
        `SELECT substr(referer_url, length('https://visitor.example/') + 1) AS visitor, count(*)
           FROM events WHERE project_id = ? AND referer_url LIKE ? GROUP BY 1`,
        [projectId, `https://visitor.example/${name}-%`],
      );
      const found = new Map(rows.map(({ visitor, count }) => [visitor, count]));
      const missing = [...tally.answered].filter((visitor) => !found.has(visitor));
      expect(missing, `answered and not counted: ${missing.length}`).to.deep.equal([]);
      return found;
    }, SETTLE_MS);
    const twice = [...counts].filter(([, count]) => count > 1);
    expect(twice, 'counted more than once').to.deep.equal([]);
    const uncut = [...counts.keys()].filter(
      (visitor) => !tally.answered.has(visitor) && !tally.cut.has(visitor),
    );
    expect(uncut, 'counted although they got no redirect').to.deep.equal([]);
    const kept = [...tally.cut].filter((visitor) => counts.has(visitor)).length;
    console.log(
      `      ${name}: ${tally.answered.size} redirects received, ${counts.size} events; ` +
        `${tally.cut.size} answers cut off, of which ${kept} are counted; ${tally.others.size} other answers`,
    );
    const { rows } = await db.raw<{
      rows: { events: number; counters: number }[];
    }>(
      `SELECT (SELECT count(*) FROM events WHERE project_id = :projectId) AS events,
              (SELECT sum(visits)::bigint FROM counters WHERE project_id = :projectId) AS counters`,
      { projectId },
    );
    expect(rows[0]!.counters).to.equal(rows[0]!.events);
    expect((await rolledUp(db, projectId, 'all')).get('')).to.equal(rows[0]!.events);
  }

  /** Every answered write is stored once, every accepted job has ended, and no write is stored in part. */
  async function writesAddUp(name: string, { made, accepted, failed }: WriteTally): Promise<void> {
    for (const [externalId, jobId] of accepted) {
      await eventually(async () => {
        const answer = await fetch(`${service.apiUrl}/jobs/${jobId}`, {
          headers: { authorization: `Bearer ${apiKey}` },
        });
        const { status } = (await answer.json()) as { status: string };
        expect(['done', 'failed'], `job ${jobId} of ${externalId}: ${status}`).to.include(status);
      }, SETTLE_MS);
    }
    const { rows } = await db.raw<{
      rows: { external_id: string; count: number; claims: number }[];
    }>(
      `SELECT l.external_id, count(*), count(c.key) AS claims
         FROM links l LEFT JOIN claims c ON c.record_id = l.id AND c.domain_id = l.domain_id AND c.key = l.key
        WHERE l.project_id = ? AND l.external_id LIKE ? GROUP BY 1`,
      [projectId, `${name}-%`],
    );
    const there = new Map(rows.map((row) => [row.external_id, row]));
    for (const externalId of made) expect(there.get(externalId)?.count, externalId).to.equal(1);
    for (const row of rows)
      expect(row.claims, `${row.external_id} has its claim`).to.equal(row.count);
    const { rows: orphans } = await db.raw<{ rows: object[] }>(
      `SELECT key FROM claims c WHERE project_id = ? AND NOT EXISTS
        (SELECT 1 FROM links l WHERE l.project_id = c.project_id AND l.id = c.record_id)`,
      [projectId],
    );
    expect(orphans, 'claims without a link').to.deep.equal([]);
    console.log(
      `      ${name}: ${made.length} links answered with 201, ${accepted.size} with 202, ${failed.size} not (` +
        `${[...failed.values()].filter((status) => status > 0).length} with a status)`,
    );
  }

  it('kill -9 of each process loses no visit or write and counts none twice', async () => {
    const visitors = new Visitors('kill', service.redirectPorts, keys, VISITS_PER_SECOND);
    const writers = new Writers('kill', service.apiUrl, apiKey, WRITES_PER_SECOND);
    await moreVisits(visitors);
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const name of service.runner.names) {
        const before = service.runner.restarts(name);
        service.runner.kill(name, 'SIGKILL');
        await eventually(async () => {
          expect(service.runner.restarts(name)).to.be.greaterThan(before);
          expect((await fetch(`${service.runner.healthUrlOf(name)}/readyz`)).status).to.equal(200);
        }, 30_000);
        await moreVisits(visitors);
      }
    }
    const [visits, writes] = await Promise.all([visitors.stop(), writers.stop()]);
    expect([...visits.others], 'answers that are neither redirects nor cut off').to.deep.equal([]);
    expect(visits.answered.size).to.be.greaterThan(500);
    expect(writes.made.length).to.be.greaterThan(20);
    for (const status of writes.failed.values()) expect([0, 500]).to.include(status);
    await visitsAddUp('kill', visits);
    await writesAddUp('kill', writes);
  });

  it('redirects continue while Redis is stopped, and no answered visit is lost', async () => {
    const visitors = new Visitors('redis', service.redirectPorts, keys, VISITS_PER_SECOND);
    await moreVisits(visitors);
    await own.stopRedis();
    await outage(OUTAGE_MS);
    await own.startRedis();
    await moreVisits(visitors, 2);
    const visits = await visitors.stop();
    expect([...visits.others], 'answers other than redirects').to.deep.equal([]);
    expect([...visits.cut], 'answers cut off').to.deep.equal([]);
    await visitsAddUp('redis', visits);
  });

  it('redirects continue while Redis is frozen for 12 s; writes are accepted, and no failed one is executed', async () => {
    const visitors = new Visitors('frozen', service.redirectPorts, keys, VISITS_PER_SECOND);
    const writers = new Writers('frozen', service.apiUrl, apiKey, WRITES_PER_SECOND);
    await moreVisits(visitors);
    await own.freezeRedis(FROZEN_MS);
    await moreVisits(visitors, 2);
    const [visits, writes] = await Promise.all([visitors.stop(), writers.stop()]);
    expect([...visits.others], 'answers other than redirects').to.deep.equal([]);
    expect([...visits.cut], 'answers cut off').to.deep.equal([]);
    expect(writes.accepted.size).to.be.greaterThan(0);
    await visitsAddUp('frozen', visits);
    await writesAddUp('frozen', writes);
    const done = await db('links')
      .where({ project_id: projectId })
      .whereIn('external_id', [...writes.failed.keys()])
      .select('external_id');
    expect(done, 'answered with an error, and done').to.deep.equal([]);
  });

  it('redirects continue while Redis is stopped and the disk is full, and no answered visit is lost', async () => {
    const visitors = new Visitors('full', service.redirectPorts, keys, VISITS_PER_SECOND);
    await moreVisits(visitors);
    const unblock = own.blockSpool();
    await own.stopRedis();
    await outage(FULL_MS);
    await own.startRedis();
    await moreVisits(visitors, 2);
    unblock();
    const visits = await visitors.stop();
    expect([...visits.others], 'answers other than redirects').to.deep.equal([]);
    expect([...visits.cut], 'answers cut off').to.deep.equal([]);
    await visitsAddUp('full', visits);
  });

  it('redirects continue while Postgres is stopped; writes return 500 or 202, and none is executed in part', async () => {
    const visitors = new Visitors('postgres', service.redirectPorts, keys, VISITS_PER_SECOND);
    const writers = new Writers('postgres', service.apiUrl, apiKey, WRITES_PER_SECOND);
    await moreVisits(visitors);
    await own.stopPostgres();
    await outage(OUTAGE_MS);
    await own.startPostgres();
    await moreVisits(visitors, 2);
    const [visits, writes] = await Promise.all([visitors.stop(), writers.stop()]);
    expect([...visits.others], 'answers other than redirects').to.deep.equal([]);
    expect([...visits.cut], 'answers cut off').to.deep.equal([]);
    for (const status of writes.failed.values()) expect(status).to.equal(500);
    await visitsAddUp('postgres', visits);
    await writesAddUp('postgres', writes);
  });
});
