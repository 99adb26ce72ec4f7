import { expect } from 'chai';
import type { Knex } from '../../src/infra/db.ts';
import { visitsAddUp, writesAddUp } from '../support/adding-up.ts';
import { eventually } from '../support/eventually.ts';
import { OwnService } from '../support/own-service.ts';
import type { Service } from '../support/service.ts';
import { Visitors, Writers } from '../support/traffic.ts';

/*
 * Kills processes and stops servers under steady traffic; afterwards, nothing may be lost or
 * counted twice. The service has its own Postgres and Redis, which stop one by one. CHAOS_ROUNDS
 * sets the number of rounds of kills, CHAOS_OUTAGE_SECONDS the length of outages, which is 10 s by
 * default.
 */

const ROUNDS = Number(process.env['CHAOS_ROUNDS'] ?? 1);
const OUTAGE_MS = Number(process.env['CHAOS_OUTAGE_SECONDS'] ?? 10) * 1000;
const VISITS_PER_SECOND = 150;
const WRITES_PER_SECOND = 10;
/** Longer than the API waits for Redis and than jobs are locked, in ms. */
const FROZEN_MS = 12_000;
/** Duration of a full Redis, in ms; visits meanwhile certainly fit into memory. */
const FULL_MS = 5_000;

/** Waits for the length of an outage. */
const outage = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Waits until the visits of some seconds more have been answered. */
async function moreVisits({ tally }: Visitors, seconds = 1): Promise<void> {
  const count = tally.answered.size + seconds * VISITS_PER_SECOND;
  await eventually(() => expect(tally.answered.size).to.be.at.least(count));
}

describe('under steady traffic', function () {
  // Each kill waits until a process runs again, which takes long on a busy machine.
  this.timeout(1_800_000);
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

  it('kill -9 of each process loses no visit or write and counts none twice', async () => {
    const visitors = new Visitors('kill', service.redirectPorts, keys, VISITS_PER_SECOND);
    const writers = new Writers('kill', service.apiUrl, apiKey, WRITES_PER_SECOND);
    await moreVisits(visitors);
    // A busy machine answers most writes with 202 at first.
    await eventually(() => expect(writers.tally.made.length).to.be.greaterThan(20));
    const made = writers.answered;
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const name of service.runner.names) {
        const before = service.runner.restarts(name);
        service.runner.kill(name, 'SIGKILL');
        await eventually(async () => {
          expect(service.runner.restarts(name)).to.be.greaterThan(before);
          expect((await fetch(`${service.runner.healthUrlOf(name)}/readyz`)).status).to.equal(200);
        });
        await moreVisits(visitors);
      }
    }
    const [visits, writes] = await Promise.all([visitors.stop(), writers.stop()]);
    expect([...visits.others], 'answers that are neither redirects nor cut off').to.deep.equal([]);
    expect(visits.answered.size).to.be.greaterThan(500);
    expect(writes.made.length + writes.accepted.size).to.be.greaterThan(made);
    for (const status of writes.failed.values()) expect([0, 500]).to.include(status);
    await visitsAddUp(own, 'kill', visits);
    await writesAddUp(own, 'kill', writes);
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
    await visitsAddUp(own, 'redis', visits);
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
    await visitsAddUp(own, 'frozen', visits);
    await writesAddUp(own, 'frozen', writes);
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
    await visitsAddUp(own, 'full', visits);
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
    for (const status of writes.failed.values()) expect(status).to.be.oneOf([500, 503]);
    await visitsAddUp(own, 'postgres', visits);
    await writesAddUp(own, 'postgres', writes);
  });
});
