import { config } from '../config.ts';
import { Refusal } from '../errors.ts';
import { within } from './clock.ts';
import {
  applicationName,
  connectDb,
  type Db,
  db,
  isTimeout,
  type Knex,
  openPool,
  readFrom,
  rows,
} from './db.ts';
import { laggingReads, standbyLag } from './metrics.ts';
import { isOutage } from './outage.ts';
import { queueRedis } from './redis.ts';

/** Maximum lag of a standby that is read, in ms. */
const MAX_LAG_MS = 1_000;
/** Interval between two checks of the servers, and time limit of a check, in ms. */
const CHECK_INTERVAL_MS = 250;
const CHECK_MS = 1_000;
/**
 * Time for which the position of a workspace's last write is remembered, in ms. No standby with
 * that lag is read.
 */
const WRITTEN_MS = 60_000;
/** Time limit for reading that position from Redis, in ms; after it, the primary is read. */
const REDIS_MS = 200;

/**
 * Codes with which a standby ends a statement that the primary would not (PostgreSQL, "Hot
 * Standby").
 */
const STANDBY_ONLY = new Set(['40001', '25006']);

/** A position in the write-ahead log. */
type Position = bigint;

/** @param text two hexadecimal numbers, as Postgres prints it */
function toPosition(text: string): Position {
  const [high = '0', low = '0'] = text.split('/');
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`);
}

/** Error of a standby that became unavailable during a query. */
class Unavailable extends Error {}

/** A standby: its replay position, and the queries that it is running. */
class Standby {
  readonly pool: Knex;
  /** Separate connection that is free even if all connections of the pool are in use. */
  readonly #probe: Knex;
  readonly #name: string;
  readonly #running = new Set<(error: Unavailable) => void>();
  #replayed: Position = 0n;
  /**
   * Time at which the primary was at the position that the standby has replayed, on the clock of
   * this process, in ms.
   */
  #provenAt = Number.NEGATIVE_INFINITY;

  constructor(url: string) {
    this.#name = new URL(url).host;
    this.pool = openPool(url);
    this.#probe = connectDb(url, 1, applicationName('_lag'));
  }

  /**
   * Returns true if the standby lags by less than {@link MAX_LAG_MS} and has replayed up to a
   * position.
   */
  has(position: Position): boolean {
    return performance.now() - this.#provenAt <= MAX_LAG_MS && this.#replayed >= position;
  }

  /**
   * Checks the replay position.
   *
   * @param history positions of the primary with their times, in order
   */
  async check(history: readonly { at: number; position: Position }[]): Promise<void> {
    try {
      const sql = `SELECT pg_is_in_recovery() AS "isStandby", coalesce(pg_last_wal_replay_lsn()::text, '0/0') AS replayed`;
      const [row] = await rows<{ isStandby: boolean; replayed: string }>(
        this.#probe,
        sql,
        [],
        CHECK_MS,
      );
      if (!row!.isStandby) throw new Unavailable(`${this.#name} is no longer a standby`);
      const replayed = toPosition(row!.replayed);
      this.#replayed = replayed;
      this.#provenAt =
        history.findLast(({ position }) => position <= replayed)?.at ?? this.#provenAt;
    } catch {
      this.leave();
    }
    standbyLag.set({ standby: this.#name }, (performance.now() - this.#provenAt) / 1_000);
  }

  /** Stops using the standby until a check succeeds; the primary answers its running queries. */
  leave(): void {
    this.#provenAt = Number.NEGATIVE_INFINITY;
    for (const reject of this.#running) reject(new Unavailable(`${this.#name} does not answer`));
  }

  /** @throws Unavailable when the standby becomes unavailable meanwhile */
  async run<T>(read: () => Promise<T>): Promise<T> {
    let reject!: (error: Unavailable) => void;
    const unavailable = new Promise<never>((_, refuse) => {
      reject = refuse;
      this.#running.add(refuse);
    });
    try {
      return await Promise.race([readFrom(this.pool, read), unavailable]);
    } finally {
      this.#running.delete(reject);
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.pool.destroy(), this.#probe.destroy()]);
  }
}

/** The standbys of DATABASE_READ_URLS, watched by this process. */
class Standbys {
  readonly #all: Standby[];
  readonly #primary = connectDb(config().DATABASE_URL, 1, applicationName('_lag'));
  readonly #timer: NodeJS.Timeout;
  #history: { at: number; position: Position }[] = [];
  readonly #checking = new Set<unknown>();

  constructor(urls: readonly string[]) {
    this.#all = urls.map((url) => new Standby(url));
    this.#timer = setInterval(() => this.#check(), CHECK_INTERVAL_MS).unref();
    this.#check();
  }

  /** Chooses a standby that has replayed up to a position. */
  choose(position: Position): Standby | undefined {
    const able = this.#all.filter((standby) => standby.has(position));
    return able[Math.floor(Math.random() * able.length)];
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all([this.#primary.destroy(), ...this.#all.map((standby) => standby.close())]);
  }

  #check(): void {
    this.#once(this, async () => {
      // Taken before the answer: the primary may have moved on by then, but had reached the
      // position at this time.
      const at = performance.now();
      const position = await positionOf(this.#primary);
      const oldest = at - MAX_LAG_MS;
      this.#history = [...this.#history.filter((entry) => entry.at >= oldest), { at, position }];
    });
    for (const standby of this.#all) this.#once(standby, () => standby.check(this.#history));
  }

  /** Runs a check unless the previous one is still running. */
  #once(what: unknown, check: () => Promise<void>): void {
    if (this.#checking.has(what)) return;
    this.#checking.add(what);
    void check()
      .catch(() => {})
      .finally(() => this.#checking.delete(what));
  }
}

/** Reads the current position of a primary. */
async function positionOf(primary: Db): Promise<Position> {
  const sql = 'SELECT pg_current_wal_insert_lsn()::text AS position';
  const [row] = await rows<{ position: string }>(primary, sql, [], CHECK_MS);
  return toPosition(row!.position);
}

// One per process: reads of all callers share its pools.
let shared: Standbys | undefined;

function standbys(): Standbys | undefined {
  const urls = config().DATABASE_READ_URLS;
  if (urls.length > 0) shared ??= new Standbys(urls);
  return shared;
}

const keyOf = (projectId: string): string => `written:${projectId}`;

/** A position that no standby reaches, used if the position of a write could not be read. */
const BEYOND: Position = 2n ** 64n;

/**
 * Stores the position of a workspace's write, so that its next reads include it. Called after the
 * commit and before the answer.
 */
export async function recordWrite(projectId: string): Promise<void> {
  if (config().DATABASE_READ_URLS.length === 0) return;
  const position = await positionOf(db()).catch(() => BEYOND);
  await queueRedis().set(keyOf(projectId), String(position), 'PX', WRITTEN_MS);
}

/** Reads the position of a workspace's last write. */
async function writtenBy(projectId: string): Promise<Position> {
  const text = await within(REDIS_MS, queueRedis().get(keyOf(projectId)), 'Redis');
  return BigInt(text ?? 0);
}

/**
 * Reads data that may lag by a second from a standby that has everything the workspace has written.
 * Uses the primary if there is none, or if the standby fails or ends the statement meanwhile.
 * Within `read`, `db()` is the chosen server.
 *
 * @param projectId the workspace that reads its own data; absent if the reader has written nothing
 * @param read may run twice
 */
export async function readLagging<T>(
  projectId: string | undefined,
  read: () => Promise<T>,
): Promise<T> {
  const watched = standbys();
  if (watched === undefined) return read();
  const standby = await chooseFor(watched, projectId);
  if (standby !== undefined) {
    try {
      const answer = await standby.run(read);
      laggingReads.inc({ server: 'standby' });
      return answer;
    } catch (error) {
      if (!isOfStandby(error)) throw error;
      laggingReads.inc({ server: 'primary, after a standby' });
      return read();
    }
  }
  laggingReads.inc({ server: 'primary' });
  return read();
}

async function chooseFor(
  watched: Standbys,
  projectId: string | undefined,
): Promise<Standby | undefined> {
  try {
    return watched.choose(projectId === undefined ? 0n : await writtenBy(projectId));
  } catch {
    return undefined;
  }
}

/** Returns true for an error that the primary would not return. */
function isOfStandby(error: unknown): boolean {
  if (error instanceof Refusal || isTimeout(error)) return false;
  const cause = (error as { nativeError?: unknown }).nativeError ?? error;
  return isOutage(cause) || STANDBY_ONLY.has((cause as { code?: string }).code ?? '');
}

/** Stops watching the standbys, and closes their pools. */
export async function closeStandbys(): Promise<void> {
  await shared?.close();
  shared = undefined;
}
