import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { OwnService } from '../support/own-service.ts';

/*
 * Schedules changes of links at random times, and moves links into the trash and back, while
 * processes are killed; then kills all of them and Redis, and starts them after changes became due. Each
 * change must be applied once, not before its time, in order, and soon after the processes are
 * back; or fail once, if its link was in the trash. CHAOS_LINKS sets the number of links.
 */

const LINKS = Number(process.env['CHAOS_LINKS'] ?? 12);
/** Changes of a link that are scheduled before and during the accidents. */
const BEFORE = 3;
const DURING = 2;
/** Number of processes to kill, one after the other. */
const KILLS = 12;
/** Time until the first changes become due at the earliest, and their period, in ms. */
const FIRST_MS = 4_000;
const WINDOW_MS = 12_000;
/** Time until changes that are scheduled during the accidents become due at the earliest, in ms. */
const AHEAD_MS = 12_000;
/** Time for which Redis alone is dead after a change became due, in ms. */
const WITHOUT_REDIS_MS = 10_000;
/** Time for which all processes are dead, in ms. */
const DEAD_MS = 8_000;
/** The promise is one second; a busy machine has room for a load of 20. */
const LATEST_MS = 20_000;
const KILLED = ['worker_writes', 'worker_writes', 'worker_maintenance', 'worker_scheduler', 'api'];
const A = 'https://example.com/';

const between = (least: number, most: number) => least + Math.random() * (most - least);
const oneOf = <Item>(items: readonly Item[]): Item =>
  items[Math.floor(Math.random() * items.length)]!;

/** A change that a link was given. */
interface Given {
  url: string;
  at: number;
  /** False if no answer told that it was stored. */
  isSure: boolean;
}

interface Answer {
  status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into bodies of every shape
  body: any;
}

interface Entry {
  at: string;
  action: string;
  changes: { url?: { from: string; to: string } };
}

describe('scheduled changes while processes are killed', () => {
  const own = new OwnService();
  const given = new Map<string, Given[]>();
  const deleted = new Set<string>();

  before(() => own.start());
  after(() => own.stop());

  /** Sends a request until a process answers it, and waits for a job that was only accepted. */
  const send = (method: string, path: string, body?: object): Promise<Answer> =>
    eventually(async () => {
      const response = await fetch(own.service.apiUrl + path, {
        method,
        headers: { authorization: `Bearer ${own.apiKey}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const answer: Answer = { status: response.status, body: await response.json() };
      expect(answer.status, JSON.stringify(answer.body)).to.be.below(500);
      return answer.status === 202 ? endOf(answer.body.id) : answer;
    });

  /** Waits for the end of a job. A repeat of its request could come after the time of its change. */
  const endOf = (jobId: string): Promise<Answer> =>
    eventually(async () => {
      const { body: job } = await send('GET', `/jobs/${jobId}`);
      expect(job.status, JSON.stringify(job)).to.be.oneOf(['done', 'failed']);
      return { status: job.status === 'done' ? 201 : 422, body: job.result ?? job };
    });

  async function schedule(id: string, at: number): Promise<void> {
    const changes = given.get(id)!;
    const change = { url: `${A}${id}/${changes.length}`, at, isSure: false };
    changes.push(change);
    const { status, body } = await send('PATCH', `/links/${id}`, {
      url: change.url,
      at: new Date(at).toISOString(),
    });
    // A repeat can come after the time of the change.
    expect(status, JSON.stringify(body)).to.be.oneOf([201, 404, 422]);
    change.isSure = status === 201;
  }

  async function trashAndRestore(id: string): Promise<void> {
    deleted.add(id);
    await send('DELETE', `/links/${id}`);
    await pause(between(0, 3_000));
    await send('POST', `/links/${id}/restore`);
  }

  const isReady = (name: string): Promise<boolean> =>
    fetch(`${own.service.runner.healthUrlOf(name)}/readyz`).then(
      ({ status }) => status === 200,
      () => false,
    );

  /** Kills processes at random, each only when it is ready, and waits until all are ready again. */
  async function killProcesses(): Promise<void> {
    for (let kills = 0; kills < KILLS; kills += 1) {
      const name = oneOf(KILLED);
      await eventually(async () => expect(await isReady(name), name).to.equal(true));
      own.service.runner.kill(name, 'SIGKILL');
      await pause(between(50, 900));
    }
    await eventually(async () => {
      for (const name of new Set(KILLED)) expect(await isReady(name), name).to.equal(true);
    });
  }

  it('do not wait longer for a Redis that is down for longer', async () => {
    const { id } = await own.post('/links', { url: A });
    given.set(id, []);
    const at = Date.now() + FIRST_MS;
    await schedule(id, at);
    await own.killRedis();
    await pause(Math.max(0, at - Date.now()) + WITHOUT_REDIS_MS);
    const [pending, ...others] = (await own.db('scheduled_changes').where({ record_id: id })) as {
      jobs: number;
      queue_at: Date;
    }[];
    expect(others).to.deep.equal([]);
    expect(pending!.jobs).to.be.at.most(1);
    await own.startRedis();
    await eventually(async () =>
      expect((await send('GET', `/links/${id}`)).body.url).to.equal(given.get(id)![0]!.url),
    );
    given.clear();
  });

  it('are applied once, in order, never early, and soon after a recovery', async () => {
    // Redis was down until just now, so a process can still be connecting.
    for (let n = 0; n < LINKS; n += 1) {
      given.set((await send('POST', '/links', { url: A })).body.id, []);
    }
    const ids = [...given.keys()];
    for (const id of ids) {
      for (let n = 0; n < BEFORE; n += 1)
        await schedule(id, Date.now() + FIRST_MS + between(0, WINDOW_MS));
    }
    const lastAt = Date.now() + AHEAD_MS + DEAD_MS;
    await Promise.all([
      ...ids.map(async (id) => {
        for (let n = 0; n < DURING; n += 1) {
          await pause(between(0, 2_000));
          await schedule(id, between(Date.now() + AHEAD_MS, lastAt + DEAD_MS));
        }
      }),
      ...ids.slice(0, LINKS / 3).map(async (id) => {
        await pause(between(0, WINDOW_MS));
        await trashAndRestore(id);
      }),
      killProcesses(),
    ]);
    const calmAt = Date.now();

    const { runner } = own.service;
    for (const name of runner.names) if (runner.isRunning(name)) runner.kill(name, 'SIGKILL');
    await runner.stop();
    const deadAt = Date.now();
    await own.killRedis();
    await pause(DEAD_MS);
    await own.startRedis();
    await own.startAgain({});
    const backAt = Date.now();

    const latest = Math.max(...[...given.values()].flat().map(({ at }) => at));
    await pause(Math.max(0, latest - Date.now()));
    await eventually(async () => {
      const pending = await own.db('scheduled_changes').whereNull('failed_at');
      expect(pending).to.deep.equal([]);
    });
    // A deletion whose answer was lost is sent again, and the first one can run after the restoration.
    for (const id of deleted) {
      await eventually(async () => {
        const { status } = await send('GET', `/links/${id}`);
        if (status === 404) await send('POST', `/links/${id}/restore`);
        expect(status, id).to.equal(200);
      });
    }

    /** Time from which a change can be late. */
    const promisedAt = (at: number) => {
      if (at < calmAt) return calmAt;
      return at < deadAt || at > backAt ? at : backAt;
    };
    for (const id of ids) {
      const changes = given.get(id)!;
      const history = (await send('GET', `/links/${id}/history`)).body as Entry[];
      const failed = (await send('GET', `/links/${id}/changes`)).body as {
        changes: { url: string };
        error: { code: string };
      }[];
      const applied = history.filter(({ action }) => action === 'updated').toReversed();
      const urls = applied.map((entry) => entry.changes.url!.to);
      for (const { url, at, isSure } of changes) {
        const entries = applied.filter((entry) => entry.changes.url!.to === url);
        const failures = failed.filter((one) => one.changes.url === url);
        const outcomes = entries.length + failures.length;
        expect(outcomes, `outcomes of ${url}`).to.be.oneOf(isSure ? [1] : [0, 1]);
        if (!deleted.has(id)) expect(failures, JSON.stringify(failures)).to.deep.equal([]);
        for (const { error } of failures) expect(error.code).to.equal('not_found');
        for (const entry of entries) {
          const appliedAt = Date.parse(entry.at);
          expect(appliedAt, url).to.be.at.least(at);
          expect(appliedAt - promisedAt(at), url).to.be.below(LATEST_MS);
        }
      }
      expect(new Set(urls).size).to.equal(urls.length);
      const { url } = (await send('GET', `/links/${id}`)).body;
      expect(url).to.equal(urls.at(-1) ?? A);
    }
    const all = [...given.values()].flat();
    expect(all.filter(({ isSure }) => isSure)).to.have.lengthOf.at.least(LINKS);
  });
});
