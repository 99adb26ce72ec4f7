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

/** Longest lag with which a standby is read, in ms. */
const MOST_LAG_MS = 1_000;
/** Pause between two looks at the servers, and longest time that a look may take, in ms. */
const LOOK_EVERY_MS = 250;
const LOOK_MS = 1_000;
/** Time for which the position of a workspace's last write is known, in ms. No standby with that lag is read. */
const WRITTEN_MS = 60_000;
/** Longest that Redis may take to tell that position, in ms; the primary is read then. */
const REDIS_MS = 200;

/** Codes with which a standby ends a statement that the primary would not (PostgreSQL, "Hot Standby"). */
const STANDBY_ONLY = new Set(['40001', '25006']);

/** A position in the write-ahead log. */
type Position = bigint;

/** @param text as Postgres prints it: two hexadecimal numbers */
function toPosition(text: string): Position {
  const [high = '0', low = '0'] = text.split('/');
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`);
}

/** The server went away while it was asked. */
class Gone extends Error {}

/** A standby: how much it has replayed, and the questions that it is being asked. */
class Standby {
  readonly pool: Knex;
  /** Free when all connections of the pool are in use. */
  readonly #probe: Knex;
  readonly #name: string;
  readonly #asked = new Set<(gone: Gone) => void>();
  #replayed: Position = 0n;
  /** When the primary had what it has replayed; of the clock of this process, in ms. */
  #provenAt = Number.NEGATIVE_INFINITY;

  constructor(url: string) {
    this.#name = new URL(url).host;
    this.pool = openPool(url);
    this.#probe = connectDb(url, 1, applicationName('_lag'));
  }

  /** True if it lags by less than {@link MOST_LAG_MS}, and has what was written up to a position. */
  has(position: Position): boolean {
    return performance.now() - this.#provenAt <= MOST_LAG_MS && this.#replayed >= position;
  }

  /**
   * Looks how far it is.
   *
   * @param history positions of the primary with their times, in order
   */
  async look(history: readonly { at: number; position: Position }[]): Promise<void> {
    try {
      const sql = `SELECT pg_is_in_recovery() AS "isStandby", coalesce(pg_last_wal_replay_lsn()::text, '0/0') AS replayed`;
      const [row] = await rows<{ isStandby: boolean; replayed: string }>(
        this.#probe,
        sql,
        [],
        LOOK_MS,
      );
      if (!row!.isStandby) throw new Gone(`${this.#name} is no standby any more`);
      const replayed = toPosition(row!.replayed);
      this.#replayed = replayed;
      this.#provenAt =
        history.findLast(({ position }) => position <= replayed)?.at ?? this.#provenAt;
    } catch {
      this.leave();
    }
    standbyLag.set({ standby: this.#name }, (performance.now() - this.#provenAt) / 1_000);
  }

  /** Takes it out of use until it is seen again; what it is being asked is answered by the primary. */
  leave(): void {
    this.#provenAt = Number.NEGATIVE_INFINITY;
    for (const reject of this.#asked) reject(new Gone(`${this.#name} does not answer`));
  }

  /** @throws Gone when it goes away meanwhile */
  async ask<T>(read: () => Promise<T>): Promise<T> {
    let reject!: (gone: Gone) => void;
    const gone = new Promise<never>((_, refuse) => {
      reject = refuse;
      this.#asked.add(refuse);
    });
    try {
      return await Promise.race([readFrom(this.pool, read), gone]);
    } finally {
      this.#asked.delete(reject);
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
  readonly #looking = new Set<unknown>();

  constructor(urls: readonly string[]) {
    this.#all = urls.map((url) => new Standby(url));
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS).unref();
    this.#look();
  }

  /** One that has what was written up to a position. */
  choose(position: Position): Standby | undefined {
    const able = this.#all.filter((standby) => standby.has(position));
    return able[Math.floor(Math.random() * able.length)];
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all([this.#primary.destroy(), ...this.#all.map((standby) => standby.close())]);
  }

  #look(): void {
    this.#once(this, async () => {
      // Before the answer: the primary may be further by then, but has been so far at this time.
      const at = performance.now();
      const position = await positionOf(this.#primary);
      const oldest = at - MOST_LAG_MS;
      this.#history = [...this.#history.filter((seen) => seen.at >= oldest), { at, position }];
    });
    for (const standby of this.#all) this.#once(standby, () => standby.look(this.#history));
  }

  /** A look that takes long is not begun again meanwhile. */
  #once(what: unknown, look: () => Promise<void>): void {
    if (this.#looking.has(what)) return;
    this.#looking.add(what);
    void look()
      .catch(() => {})
      .finally(() => this.#looking.delete(what));
  }
}

/** Position of a primary now. */
async function positionOf(primary: Db): Promise<Position> {
  const sql = 'SELECT pg_current_wal_insert_lsn()::text AS position';
  const [row] = await rows<{ position: string }>(primary, sql, [], LOOK_MS);
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

/** A position that no standby has: where that of a write could not be read. */
const BEYOND: Position = 2n ** 64n;

/** Notes that a workspace has written, so that its next reads find it. Called after the commit and before the answer. */
export async function noteWrite(projectId: string): Promise<void> {
  if (config().DATABASE_READ_URLS.length === 0) return;
  const position = await positionOf(db()).catch(() => BEYOND);
  await queueRedis().set(keyOf(projectId), String(position), 'PX', WRITTEN_MS);
}

/** Position of the last write of a workspace. */
async function writtenBy(projectId: string): Promise<Position> {
  const text = await within(REDIS_MS, queueRedis().get(keyOf(projectId)), 'Redis');
  return BigInt(text ?? 0);
}

/**
 * Reads what may lag a second from a standby that has all that the workspace has written; from the primary where there is
 * none, or where it goes away or ends the statement meanwhile. Within `read`, `db()` is the server that is read.
 *
 * @param projectId the workspace that reads its own data; without it, the reader has written nothing
 * @param read may run twice
 */
export async function readLagging<T>(
  projectId: string | undefined,
  read: () => Promise<T>,
): Promise<T> {
  const all = standbys();
  if (all === undefined) return read();
  const standby = await chooseFor(all, projectId);
  if (standby !== undefined) {
    try {
      const answer = await standby.ask(read);
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
  all: Standbys,
  projectId: string | undefined,
): Promise<Standby | undefined> {
  try {
    return all.choose(projectId === undefined ? 0n : await writtenBy(projectId));
  } catch {
    return undefined;
  }
}

/** True for an error that the primary would not give. */
function isOfStandby(error: unknown): boolean {
  if (error instanceof Refusal || isTimeout(error)) return false;
  const cause = (error as { nativeError?: unknown }).nativeError ?? error;
  return isOutage(cause) || STANDBY_ONLY.has((cause as { code?: string }).code ?? '');
}

/** Ends the watch over the standbys, and closes their pools. */
export async function closeStandbys(): Promise<void> {
  await shared?.close();
  shared = undefined;
}
