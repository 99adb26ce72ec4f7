import { chmodSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { rows } from '../../src/infra/db.ts';
import { eventually } from '../support/eventually.ts';
import { OwnService } from '../support/own-service.ts';
import { hasPostgresPair, PostgresPair } from '../support/postgres-pair.ts';
import { Writers } from '../support/traffic.ts';

const WRITES_PER_SECOND = 20;
/** Longest time from the promotion to the next answered write, in ms; a busy machine takes most of it. */
const AGAIN_MS = 20_000;

/** A primary, and a synchronous standby that takes over. */
describe('failover of Postgres', function () {
  this.timeout(180_000);
  let pair: PostgresPair;
  const own = new OwnService(async (folder) => {
    chmodSync(folder, 0o755);
    pair = await PostgresPair.start(folder);
    pair.primary.configure("synchronous_standby_names = 'standby'");
    await pair.primary.query('SELECT pg_reload_conf()');
    return {
      databaseUrl: pair.url,
      secretKey: 'x'.repeat(32),
      stop: () => pair.stop(),
    };
  });

  before(async function () {
    if (!hasPostgresPair()) this.skip();
    await own.start();
  });

  after(() => own.stop());

  const restarts = () => own.service.lines.filter((line) => line.includes('restart'));

  it('loses no answered write, and the service goes on without a restart', async () => {
    const writers = new Writers('failover', own.service.apiUrl, own.apiKey, WRITES_PER_SECOND);
    await eventually(() => expect(writers.tally.made.length).to.be.greaterThan(40), 30_000);

    await pair.primary.stop();
    await delay(1_000);
    await pair.standby.promote();
    const promoted = Date.now();
    const before = writers.tally.made.length;
    await eventually(() => expect(writers.tally.made.length).to.be.greaterThan(before), AGAIN_MS);
    const again = Date.now() - promoted;
    await delay(3_000);
    const { made, accepted, failed } = await writers.stop();

    const stored = async () => {
      const found = await rows<{ id: string }>(
        own.db,
        'SELECT external_id AS id FROM links WHERE project_id = ?',
        [own.projectId],
      );
      return found.map(({ id }) => id);
    };
    expect(await stored()).to.include.members(made);
    // What was promised for later comes too.
    await eventually(async () => {
      expect(await stored()).to.include.members([...accepted.keys()]);
    }, 60_000);
    expect(new Set(await stored()).size).to.equal((await stored()).length);
    expect(restarts()).to.deep.equal([]);
    console.log(
      `      ${made.length} writes answered, ${accepted.size} accepted, ${failed.size} failed; again after ${again} ms`,
    );
  });
});
