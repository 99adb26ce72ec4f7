import { chmodSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { reloadConfig } from '../../src/config.ts';
import { closeDb, db, execute, rows } from '../../src/infra/db.ts';
import { closeStandbys, readLagging } from '../../src/infra/standbys.ts';
import { eventually } from '../support/eventually.ts';
import { OwnService } from '../support/own-service.ts';
import { hasPostgresPair, PostgresPair } from '../support/postgres-pair.ts';

/**
 * Delay with which the standby replays commits, in ms: below the lag at which it stops serving
 * reads.
 */
const APPLY_DELAY_MS = 300;

/**
 * A primary and a standby that serves reads. Each test depends on the previous one: the last one
 * promotes the standby.
 */
describe('reads from a standby', function () {
  let pair: PostgresPair;
  const own = new OwnService(async (folder) => {
    chmodSync(folder, 0o755);
    pair = await PostgresPair.start(folder);
    return {
      databaseUrl: pair.primary.url,
      secretKey: 'x'.repeat(32),
      settings: { DATABASE_READ_URLS: pair.standby.url },
      stop: () => pair.stop(),
    };
  });

  before(async function () {
    if (!hasPostgresPair()) this.skip();
    await own.start({}, 'Procfile.small');
  });

  after(() => own.stop());

  const get = async (route: string) => {
    const answer = await fetch(own.service.apiUrl + route, {
      headers: { authorization: `Bearer ${own.apiKey}` },
    });
    expect(answer.status, await answer.clone().text()).to.equal(200);
    return answer.json() as Promise<number>;
  };
  const countLinks = () => get('/links/count');
  const metric = async (name: string) => {
    const text = await (await fetch(`${own.service.runner.healthUrlOf('api')}/metrics`)).text();
    const line = text.split('\n').find((one) => one.startsWith(name)) ?? `${name} 0`;
    return Number(line.split(' ').at(-1));
  };
  const readsFrom = (server: string) =>
    metric(`shortlinks_lagging_reads_total{server="${server}"}`);
  /** Reads until the standby answers. */
  const isTakenUp = () =>
    eventually(async () => {
      const before = await readsFrom('standby');
      await countLinks();
      expect(await readsFrom('standby')).to.be.greaterThan(before);
    });
  let made = 0;
  const makeLink = async () => {
    await own.post('/links', { url: 'https://example.com/' });
    made += 1;
  };

  it('answers analytics and lists of events, and tells its lag', async () => {
    await isTakenUp();
    const before = await readsFrom('standby');
    await get('/analytics?groupBy=timeseries');
    await get('/events');
    expect((await readsFrom('standby')) - before).to.equal(2);
    expect(await metric('shortlinks_standby_lag_seconds')).to.be.within(0, 1);
  });

  it('finds every write of the workspace at once, though the standby replays it later', async () => {
    pair.standby.configure(`recovery_min_apply_delay = ${APPLY_DELAY_MS}`);
    await pair.standby.query('SELECT pg_reload_conf()');
    await isTakenUp();
    const before = await readsFrom('primary');
    for (let n = 0; n < 20; n += 1) {
      await makeLink();
      expect(await countLinks()).to.equal(made);
    }
    expect((await readsFrom('primary')) - before).to.be.greaterThan(10);
    pair.standby.configure('recovery_min_apply_delay = 0');
    await pair.standby.query('SELECT pg_reload_conf()');
    await isTakenUp();
    expect(await countLinks()).to.equal(made);
  });

  it('reads the primary while the standby lags', async () => {
    await pair.standby.query('SELECT pg_wal_replay_pause()');
    await makeLink();
    await delay(2_000);
    const before = await readsFrom('standby');
    expect(await countLinks()).to.equal(made);
    expect(await readsFrom('standby')).to.equal(before);
    await pair.standby.query('SELECT pg_wal_replay_resume()');
    await isTakenUp();
  });

  it('asks the primary again where recovery cancels the statement', async () => {
    await pair.standby.query("ALTER SYSTEM SET max_standby_streaming_delay = '0'");
    await pair.standby.query('SELECT pg_reload_conf()');
    await pair.primary.query('CREATE TABLE conflicting AS SELECT 1 AS value');
    const { DATABASE_URL, REDIS_URL } = process.env;
    await closeDb();
    Object.assign(process.env, {
      DATABASE_URL: pair.primary.url,
      DATABASE_READ_URLS: pair.standby.url,
      REDIS_URL: own.redisUrl,
    });
    reloadConfig();
    try {
      const asked: boolean[] = [];
      const read = async () => {
        const [server] = await rows<{ isStandby: boolean }>(
          db(),
          'SELECT pg_is_in_recovery() AS "isStandby"',
        );
        asked.push(server!.isStandby);
        if (!server!.isStandby) return rows(db(), 'SELECT value FROM conflicting');
        const truncate = async () => {
          await delay(300);
          await pair.primary.query('TRUNCATE conflicting');
        };
        const sql = 'SELECT value, pg_sleep(20) FROM conflicting';
        const [answer] = await Promise.all([rows(db(), sql), truncate()]);
        return answer;
      };
      await eventually(async () => {
        await readLagging(undefined, () => execute(db(), 'SELECT 1 FROM conflicting'));
        expect(await readLagging(undefined, read)).to.deep.equal([]);
        expect(asked.slice(-2)).to.deep.equal([true, false]);
      });
    } finally {
      await closeStandbys();
      await closeDb();
      Object.assign(process.env, { DATABASE_URL, REDIS_URL });
      delete process.env['DATABASE_READ_URLS'];
      reloadConfig();
    }
  });

  it('reads the primary when the standby freezes or stops, and the standby when it is back', async () => {
    const pids = (await pair.standby.query(
      "SELECT pid FROM pg_stat_activity WHERE application_name LIKE 'api%'",
    )) as { pid: number }[];
    for (const { pid } of pids) process.kill(pid, 'SIGSTOP');
    const began = performance.now();
    expect(await countLinks()).to.equal(made);
    expect(performance.now() - began).to.be.lessThan(4_000);
    for (const { pid } of pids) process.kill(pid, 'SIGCONT');
    await isTakenUp();

    await pair.standby.stop();
    for (let n = 0; n < 20; n += 1) expect(await countLinks()).to.equal(made);
    await pair.standby.start();
    await isTakenUp();
  });

  it('does not read a standby that was promoted', async () => {
    await pair.standby.promote();
    await delay(1_500);
    const before = await readsFrom('standby');
    await makeLink();
    expect(await countLinks()).to.equal(made);
    expect(await readsFrom('standby')).to.equal(before);
  });
});
