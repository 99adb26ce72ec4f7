import { execFile } from 'node:child_process';
import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { connectDb, rows } from '../../src/infra/db.ts';
import { connectRedis, type Redis } from '../../src/infra/redis.ts';
import { OwnService } from '../support/own-service.ts';
import type { Pgbouncer } from '../support/pgbouncer.ts';

/** Service, servers and tools that faults use. */
export interface Means {
  own: OwnService;
  random: () => number;
  /** Environment of operator commands for this service. */
  env: Record<string, string>;
  /** Folder for files of the run. */
  folder: string;
  /** Pooler in front of Postgres, if the run has one. */
  pgbouncer: Pgbouncer | undefined;
  /** Shifts the clocks of all processes of the service, if the run can shift clocks. */
  moveClocks(offset: string): void;
  /** Starts every stopped server, then every stopped process. */
  startAll(): Promise<void>;
  /** Returns the names of all visits and link creations answered as done so far. */
  answered(): { visits: string[]; links: string[] };
  say(text: string): void;
}

/** A series of faults under traffic. */
export interface Run {
  name: string;
  /** Description of the faults for the table. */
  faults: string;
  procfile?: 'Procfile' | 'Procfile.small';
  /** DATA_DIR is a small separate disk. */
  hasSmallDisk?: true;
  /** Debian's pgbouncer runs in front of Postgres. */
  hasPgbouncer?: true;
  /** Debian's libfaketime shifts the clocks of processes. */
  movesClocks?: true;
  /** Answered visits can be lost, since the run wipes the queue. */
  losesVisits?: true;
  /**
   * Causes the faults.
   * @returns a check that runs after all other comparisons and lists its findings
   */
  happen(means: Means): Promise<void | (() => Promise<string[]>)>;
}

const SECOND = 1_000;
/** Time between faults in which their effects end, in ms. */
const BETWEEN_MS = 6 * SECOND;
/** Longest time until a restored service has stored the visits of its queue, in ms. */
const RESTORED_MS = 60 * SECOND;
/**
 * Processes to stop in order during an outage: servers of requests, and workers with answered
 * writes.
 */
const TERMINATED = ['api', 'redirect.1', 'worker_writes', 'worker_bulk', 'worker_clicks'];

function signal({ own, say }: Means, name: string, kind: NodeJS.Signals): void {
  const { runner } = own.service;
  if (!runner.isRunning(name)) return;
  say(`${kind} to ${name}`);
  runner.kill(name, kind);
}

async function queueRedis<T>({ own }: Means, work: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = connectRedis(own.redisAdminUrl, 'wait');
  try {
    return await work(redis);
  } finally {
    redis.disconnect();
  }
}

async function restartRedis({ own, say }: Means): Promise<void> {
  say('Redis is killed');
  await own.killRedis();
  await delay(3 * SECOND);
  await own.startRedis();
}

async function restartPostgres({ own, say }: Means): Promise<void> {
  say('Postgres is killed');
  await own.killPostgres();
  await delay(3 * SECOND);
  await own.startPostgres();
}

async function frozen({ own, say }: Means, name: 'Redis' | 'Postgres', seconds: number) {
  say(`${name} is frozen for ${seconds} s`);
  await (name === 'Redis' ? own.freezeRedis : own.freezePostgres).call(own, seconds * SECOND);
}

/** Holds an exclusive lock on a table for some seconds. */
async function locked({ env, say }: Means, table: string, seconds: number): Promise<void> {
  const client = new pg.Client(env['DATABASE_URL']!);
  await client.connect();
  await client.query('BEGIN');
  await client.query(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
  say(`the table ${table} is locked for ${seconds} s`);
  await delay(seconds * SECOND);
  await client.query('ROLLBACK');
  await client.end();
}

/** Occupies every free connection of Postgres. */
async function connectionsTaken({ env, say }: Means, seconds: number): Promise<void> {
  const clients: pg.Client[] = [];
  const until = Date.now() + seconds * SECOND;
  while (Date.now() < until) {
    const client = new pg.Client(env['DATABASE_URL']!);
    client.on('error', () => {});
    try {
      await client.connect();
      clients.push(client);
    } catch {
      await delay(100);
    }
  }
  say(`${clients.length} connections of Postgres were taken for ${seconds} s`);
  await Promise.all(clients.map((client) => client.end()));
}

/** Terminates every other connection to the database. */
async function connectionsEnded({ own, say }: Means): Promise<void> {
  const ended = await rows(
    own.db,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  );
  say(`${ended.length} connections of Postgres are ended`);
}

async function redisFull(means: Means, seconds: number): Promise<void> {
  await queueRedis(means, async (redis) => {
    await redis.config('SET', 'maxmemory', '1mb');
    means.say(`Redis is at maxmemory for ${seconds} s`);
    await delay(seconds * SECOND);
    await redis.config('SET', 'maxmemory', '0');
  });
}

async function diskFull({ own, say }: Means, seconds: number): Promise<void> {
  const file = path.join(own.folders[1]!, 'filler');
  const until = Date.now() + seconds * SECOND;
  say(`the disk of DATA_DIR is full for ${seconds} s`);
  while (Date.now() < until) {
    const { bavail, bsize } = statfsSync(own.folders[1]!);
    try {
      if (bavail > 0) writeFileSync(file, Buffer.alloc(bavail * bsize), { flag: 'a' });
    } catch {
      // The disk is full.
    }
    await delay(100);
  }
  rmSync(file, { force: true });
}

async function stackKilled({ own, say, startAll }: Means): Promise<void> {
  say('kill -9 of the whole stack');
  own.service.runner.abandon();
  await Promise.all([own.killRedis(), own.killPostgres()]);
  await startAll();
}

async function stackTerminated({ own, say, startAll }: Means): Promise<void> {
  say('SIGTERM to the whole stack');
  await own.service.runner.stop();
  await Promise.all([own.stopRedis(), own.stopPostgres()]);
  await startAll();
}

/** Freezes a server and stops processes in order meanwhile, one after the other. */
async function frozenWithSigterm(means: Means, name: 'Redis' | 'Postgres'): Promise<void> {
  const freeze = frozen(means, name, 20);
  for (const [n, process] of TERMINATED.entries()) {
    await delay((n === 0 ? 5 : 2) * SECOND);
    signal(means, process, 'SIGTERM');
  }
  await freeze;
  await delay(BETWEEN_MS);
}

/** Stops `api` 9 s into a Redis outage of 25 s, while writes wait for Redis. */
async function fz202(means: Means): Promise<void> {
  await delay(3 * SECOND);
  const freeze = frozen(means, 'Redis', 25);
  await delay(9 * SECOND);
  signal(means, 'api', 'SIGTERM');
  await freeze;
  await delay(10 * SECOND);
}

const runCli = (env: Record<string, string>, ...args: string[]) =>
  promisify(execFile)(process.execPath, ['dist/programs/cli.js', ...args], { env });

/**
 * Restores a backup into another service, and looks there for everything answered before the
 * backup.
 */
async function compareRestored(
  { own, env, say }: Means,
  backup: string,
  { visits, links }: ReturnType<Means['answered']>,
): Promise<string[]> {
  const restored = new OwnService();
  const isMissing = async () => {
    const db = connectDb(restored.commandEnv['DATABASE_URL']!, 1, 'restored');
    try {
      const stored = await rows<{ name: string }>(
        db,
        `SELECT substr(referer_url, length('https://visitor.example/') + 1) AS name
           FROM events WHERE project_id = :projectId AND event = 'click'
          UNION ALL
         SELECT comments FROM links WHERE project_id = :projectId AND comments IS NOT NULL`,
        { projectId: own.projectId },
      );
      const names = new Set(stored.map(({ name }) => name));
      return [...visits, ...links].filter((name) => !names.has(name));
    } finally {
      await db.destroy();
    }
  };
  try {
    // Jobs in the restored queue are sealed with the key of the original installation.
    await restored.prepare({ OUTBOUND_ALLOW: '', LOG_LEVEL: 'warn', SECRET_KEY: own.secretKey });
    await runCli({ ...env, ...restored.commandEnv }, 'restore', '--from', backup);
    await restored.startAgain({});
    const until = Date.now() + RESTORED_MS;
    let missing = await isMissing();
    while (missing.length > 0 && Date.now() < until) {
      await delay(SECOND);
      missing = await isMissing();
    }
    say(`restored: ${visits.length} visits and ${links.length} links of before the backup`);
    return missing.map((name) => `answered before the backup, and not restored: ${name}`);
  } finally {
    await restored.stop();
  }
}

/** All runs, in the order in which they happen. */
export const RUNS: readonly Run[] = [
  { name: 'calm', faults: 'none, 15 s', happen: () => delay(15 * SECOND) },
  {
    name: 'kill',
    faults: 'kill -9 of each process and 6 random ones',
    async happen(means) {
      const { names } = means.own.service.runner;
      const others = Array.from(
        { length: 6 },
        () => names[Math.floor(means.random() * names.length)]!,
      );
      for (const name of [...names, ...others]) {
        signal(means, name, 'SIGKILL');
        await delay(2.5 * SECOND);
      }
    },
  },
  {
    name: 'redis',
    faults: 'Redis killed ×3, SIGSTOP 3, 12, 30 s',
    async happen(means) {
      for (const seconds of [3, 12, 30]) {
        await restartRedis(means);
        await delay(BETWEEN_MS);
        await frozen(means, 'Redis', seconds);
        await delay(BETWEEN_MS);
      }
    },
  },
  {
    name: 'pg',
    faults:
      'Postgres killed, SIGSTOP 3, 12, 30 s; Postgres and Redis killed, both SIGSTOP 12 s; connections ended',
    async happen(means) {
      await restartPostgres(means);
      for (const seconds of [3, 12, 30]) {
        await delay(BETWEEN_MS);
        await frozen(means, 'Postgres', seconds);
      }
      await delay(BETWEEN_MS);
      await restartPostgres(means);
      await restartRedis(means);
      await delay(BETWEEN_MS);
      await Promise.all([frozen(means, 'Postgres', 12), frozen(means, 'Redis', 12)]);
      await delay(BETWEEN_MS);
      await connectionsEnded(means);
      await delay(BETWEEN_MS);
    },
  },
  {
    name: 'whole',
    faults: 'whole stack kill -9, SIGTERM ×2',
    async happen(means) {
      await delay(5 * SECOND);
      await stackKilled(means);
      for (let times = 0; times < 2; times += 1) {
        await delay(BETWEEN_MS);
        await stackTerminated(means);
      }
      await delay(BETWEEN_MS);
    },
  },
  {
    name: 'mix',
    faults: 'Redis at maxmemory 20 s; links locked 30 s, events 30 s; connections taken 15 s',
    async happen(means) {
      await redisFull(means, 20);
      for (const table of ['links', 'events']) {
        await delay(BETWEEN_MS);
        await locked(means, table, 30);
      }
      await delay(BETWEEN_MS);
      await connectionsTaken(means, 15);
      await delay(BETWEEN_MS);
    },
  },
  {
    name: 'full',
    faults: 'DATA_DIR full for 30 s, then Redis killed',
    hasSmallDisk: true,
    async happen(means) {
      await delay(5 * SECOND);
      await diskFull(means, 30);
      await delay(BETWEEN_MS);
      await restartRedis(means);
      await delay(BETWEEN_MS);
    },
  },
  {
    name: 'bak',
    faults: 'worker_clicks and worker_bulk SIGSTOP 40 s, backup meanwhile',
    async happen(means) {
      const { env, folder } = means;
      await delay(5 * SECOND);
      for (const name of ['worker_clicks', 'worker_bulk']) signal(means, name, 'SIGSTOP');
      const thaw = delay(40 * SECOND).then(() => {
        for (const name of ['worker_clicks', 'worker_bulk']) signal(means, name, 'SIGCONT');
      });
      await delay(10 * SECOND);
      const backup = path.join(folder, 'backup');
      const before = means.answered();
      means.say('a backup is made');
      await runCli(env, 'backup', '--to', backup);
      await thaw;
      await delay(BETWEEN_MS);
      return () => compareRestored(means, backup, before);
    },
  },
  {
    name: 'flush',
    faults: 'FLUSHALL of the Redis of the queues (known to lose what waits there)',
    losesVisits: true,
    async happen(means) {
      await delay(10 * SECOND);
      await queueRedis(means, (redis) => redis.flushall());
      means.say('FLUSHALL');
      await delay(15 * SECOND);
    },
  },
  {
    name: 'small',
    faults: 'Procfile.small: worker_all, Redis, Postgres killed',
    procfile: 'Procfile.small',
    async happen(means) {
      await delay(5 * SECOND);
      signal(means, 'worker_all', 'SIGKILL');
      await delay(BETWEEN_MS);
      await restartRedis(means);
      await delay(BETWEEN_MS);
      await restartPostgres(means);
      await delay(2 * BETWEEN_MS);
    },
  },
  {
    name: 'pgb',
    faults: 'pgbouncer (transactions): killed for 6 s, connections ended twice',
    hasPgbouncer: true,
    async happen(means) {
      const pgbouncer = means.pgbouncer!;
      await delay(5 * SECOND);
      means.say('pgbouncer is killed for 6 s');
      await pgbouncer.kill();
      await delay(6 * SECOND);
      pgbouncer.startAgain();
      for (let times = 0; times < 2; times += 1) {
        await delay(BETWEEN_MS);
        await connectionsEnded(means);
      }
      await delay(BETWEEN_MS);
    },
  },
  {
    name: 'clock',
    faults: 'clocks of all processes +2 h, −2 h, +40 days, and back',
    movesClocks: true,
    async happen({ moveClocks, say }) {
      for (const offset of ['+2h', '+0', '-2h', '+0', '+40d', '+0']) {
        await delay(10 * SECOND);
        say(`the clocks of all processes are at ${offset}`);
        moveClocks(offset);
      }
      await delay(10 * SECOND);
    },
  },
  ...['fz202.1', 'fz202.2', 'fz202.3'].map(
    (name): Run => ({
      name,
      faults: 'Redis SIGSTOP 25 s, api SIGTERM 9 s into it',
      happen: fz202,
    }),
  ),
  {
    name: 'fzterm',
    faults:
      'Redis, then Postgres SIGSTOP 20 s with SIGTERM of api, redirect and workers; Redis SIGSTOP 15 s with SIGTERM of the whole stack',
    async happen(means) {
      await delay(3 * SECOND);
      await frozenWithSigterm(means, 'Redis');
      await frozenWithSigterm(means, 'Postgres');
      const freeze = frozen(means, 'Redis', 15);
      await delay(6 * SECOND);
      means.say('SIGTERM to the whole stack');
      await means.own.service.runner.stop();
      await freeze;
      await Promise.all([means.own.stopRedis(), means.own.stopPostgres()]);
      await means.startAll();
      await delay(BETWEEN_MS);
    },
  },
];
