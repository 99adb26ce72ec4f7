import { randomBytes } from 'node:crypto';
import {
  type FileHandle,
  mkdir,
  open,
  readdir,
  rename,
  stat,
  unlink,
  utimes,
} from 'node:fs/promises';
import path from 'node:path';
import { appendAll, linesOf, syncFolder } from '../infra/files.ts';
import type { Log } from '../infra/log.ts';
import { heldVisits, visitsNotRecorded } from '../infra/metrics.ts';
import type { Visit } from '../queues/clicks.ts';

/*
 * Storage of visits while the queue does not take them: on disk (`Spool`), and if the disk fails too, in bounded memory
 * (`HeldVisits`). `visit-log.ts` chooses.
 *
 * On disk they are files of one JSON line per visit:
 *
 *   current ──full, or a replay begins──▶ closed ──all its visits acknowledged──▶ deleted
 *                                           ▲
 *                     another process's file, whose process has ended (renamed to ours)
 *
 * - `append` resolves when the lines are on the disk. All that wait share one write and one fsync.
 * - A crash in the middle of a replay makes the file replay once more: harmless, because visits have ids.
 * - A file belongs to the process in its name. A process that adopts one renames it first, so that two cannot adopt it.
 *   An owner whose file is missing after a write (it had not ended after all) writes the visits once more elsewhere.
 */

/** Most visits of one batch. */
export const VISITS_PER_BATCH = 500;
/** A file is closed at this size: what is replayed twice after a crash stays bounded. */
const FILE_BYTES = 64 << 20;
/** A living owner touches its files more often than this. Process ids are used again, so they do not suffice. */
const ABANDONED_MS = 60_000;
/** Limit of visits in memory, in characters of their JSON: some 60,000 usual ones. */
const MOST_HELD_CHARACTERS = 32 << 20;
const FILE_NAME = /^visits-(?<pid>\d+)-(?<instance>[0-9a-f]+)-\d+\.ndjson$/;

/** Adds visits to the queue; resolves when Redis has acknowledged it. */
export type Deliver = (visits: Visit[]) => Promise<void>;

/** The queue did not take visits; `cause` says why. */
class NotDelivered extends Error {}

interface Waiting {
  visits: readonly Visit[];
  resolve(): void;
  reject(error: unknown): void;
}

interface Current {
  file: string;
  handle: FileHandle;
  /** Bytes that are known to be on the disk. */
  size: number;
}

interface Held {
  visit: Visit;
  characters: number;
}

/** Visits of one redirect process on disk. */
export class Spool {
  readonly #folder: string;
  readonly #log: Log;
  readonly #instance = randomBytes(6).toString('hex');
  #sequence = 0;
  #current: Current | undefined;
  /** Files that are complete and wait for their replay. */
  readonly #closed = new Set<string>();
  #waiting: Waiting[] = [];
  /** Writes and changes of the current file happen one after the other. */
  #lastTurn: Promise<void> = Promise.resolve();
  #isStopping = false;

  constructor(folder: string, log: Log) {
    this.#folder = folder;
    this.#log = log;
  }

  /** True when visits wait for their replay. */
  get hasVisits(): boolean {
    return this.#current !== undefined || this.#closed.size > 0;
  }

  /** Resolves when the visits are on the disk; rejects when they are not. */
  append(visits: readonly Visit[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ visits, resolve, reject });
      if (this.#waiting.length === 1) void this.#inTurn(() => this.#writeWaiting());
    });
  }

  /**
   * Delivers every spooled visit to the queue. Visits that are appended meanwhile go to a new file.
   *
   * @returns how many were delivered
   * @throws Error when `deliver` does; what was not acknowledged stays
   */
  async replay(deliver: Deliver): Promise<number> {
    await this.#inTurn(() => this.#closeCurrent());
    let count = 0;
    for (const file of Array.from(this.#closed)) {
      try {
        count += await this.#replayFile(file, deliver);
      } catch (error) {
        if (error instanceof NotDelivered) throw error;
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
          this.#log.error({ err: error, file }, 'spooled visits could not be read');
          continue;
        }
        // Adopted by a process that took this one for ended, which delivers them now.
      }
      if (this.#isStopping) break;
      await unlink(file).catch(() => {});
      this.#closed.delete(file);
    }
    return count;
  }

  /** Marks the files of this process as in use, and adopts those of processes that have ended. */
  async maintain(): Promise<void> {
    const now = new Date();
    const mine = [...this.#closed, ...(this.#current === undefined ? [] : [this.#current.file])];
    await Promise.all(mine.map((file) => utimes(file, now, now).catch(() => {})));
    for (const name of await readdir(this.#folder).catch(() => [])) {
      const { pid, instance } = FILE_NAME.exec(name)?.groups ?? {};
      if (pid === undefined || instance === this.#instance) continue;
      const adopted = this.#nextFile();
      try {
        const file = path.join(this.#folder, name);
        const isAbandoned = async () => Date.now() - (await stat(file)).mtimeMs > ABANDONED_MS;
        if (isAlive(Number(pid)) && !(await isAbandoned())) continue;
        await rename(file, adopted);
        this.#closed.add(adopted);
        this.#log.info({ file: name }, 'adopted the spooled visits of a process that has ended');
      } catch {
        // Another process was faster.
      }
    }
  }

  /** Waits for what is being written. Visits that are left wait for the next process. */
  async close(): Promise<void> {
    this.#isStopping = true;
    await this.#inTurn(() => this.#closeCurrent());
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    this.#lastTurn = this.#lastTurn.then(work);
    return this.#lastTurn;
  }

  async #writeWaiting(): Promise<void> {
    const group = this.#waiting;
    this.#waiting = [];
    const lines = group.flatMap(({ visits }) =>
      visits.map((visit) => `${JSON.stringify(visit)}\n`),
    );
    try {
      await this.#commit(Buffer.from(lines.join('')));
      for (const { resolve } of group) resolve();
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }

  async #commit(bytes: Buffer): Promise<void> {
    this.#current ??= await this.#create();
    const current = this.#current;
    try {
      await appendAll(current.handle, bytes);
      await current.handle.sync();
      current.size += bytes.length;
    } catch (error) {
      // No line may be added behind a torn one, and a file whose fsync failed cannot be trusted.
      await current.handle.truncate(current.size).catch(() => {});
      if (current.size > 0) await this.#closeCurrent();
      else {
        this.#current = undefined;
        await discard(current);
      }
      throw error;
    }
    const isStillOurs = await stat(current.file).then(
      () => true,
      () => false,
    );
    if (!isStillOurs || current.size >= FILE_BYTES) await this.#closeCurrent();
    if (!isStillOurs) await this.#commit(bytes);
  }

  async #create(): Promise<Current> {
    await mkdir(this.#folder, { recursive: true });
    const file = this.#nextFile();
    const handle = await open(file, 'ax', 0o600);
    const created = { file, handle, size: 0 };
    try {
      await syncFolder(this.#folder);
    } catch (error) {
      await discard(created);
      throw error;
    }
    return created;
  }

  #nextFile(): string {
    this.#sequence += 1;
    const name = `visits-${process.pid}-${this.#instance}-${this.#sequence}.ndjson`;
    return path.join(this.#folder, name);
  }

  async #closeCurrent(): Promise<void> {
    const current = this.#current;
    if (current === undefined) return;
    this.#current = undefined;
    this.#closed.add(current.file);
    await current.handle.close().catch(() => {});
  }

  async #replayFile(file: string, deliver: Deliver): Promise<number> {
    let count = 0;
    let visits: Visit[] = [];
    const deliverGroup = async () => {
      if (visits.length === 0) return;
      await deliver(visits).catch((error: unknown) => {
        throw new NotDelivered('the queue did not take spooled visits', { cause: error });
      });
      count += visits.length;
      visits = [];
    };
    for await (const line of linesOf(file)) {
      if (this.#isStopping) return count;
      const visit = parse(line);
      if (visit === undefined) this.#log.warn({ file }, 'a torn line in the spool was skipped');
      else visits.push(visit);
      if (visits.length >= VISITS_PER_BATCH) await deliverGroup();
    }
    await deliverGroup();
    return count;
  }
}

/** Visits that neither the queue nor the disk takes, in bounded memory. Those beyond the limit are counted as not recorded. */
export class HeldVisits {
  #held: Held[] = [];
  #characters = 0;
  readonly #limit: number;
  /** Visits that were answered and will not be counted. */
  notRecorded = 0;

  /** @param limit in characters of JSON */
  constructor(limit = MOST_HELD_CHARACTERS) {
    this.#limit = limit;
  }

  get count(): number {
    return this.#held.length;
  }

  add(visits: readonly Visit[]): void {
    for (const visit of visits) {
      const characters = JSON.stringify(visit).length;
      if (this.#characters + characters > this.#limit) this.#countLost(1);
      else {
        this.#held.push({ visit, characters });
        this.#characters += characters;
      }
    }
    heldVisits.set(this.count);
  }

  /** Discards all visits. Returns how many there were. */
  discard(): number {
    const { count } = this;
    this.#countLost(count);
    this.#held = [];
    this.#characters = 0;
    heldVisits.set(0);
    return count;
  }

  /**
   * Passes all visits to `take`, those of a job at a time.
   *
   * @throws Error when `take` does; what it did not take stays
   */
  async drain(take: (visits: Visit[]) => Promise<void>): Promise<void> {
    while (this.#held.length > 0) {
      const group = this.#held.slice(0, VISITS_PER_BATCH);
      await take(group.map(({ visit }) => visit));
      this.#held.splice(0, group.length);
      for (const { characters } of group) this.#characters -= characters;
      heldVisits.set(this.count);
    }
  }

  #countLost(count: number): void {
    this.notRecorded += count;
    visitsNotRecorded.inc(count);
  }
}

/** Leaves no file behind where nothing could be written. */
async function discard({ file, handle }: Current): Promise<void> {
  await handle.close().catch(() => {});
  await unlink(file).catch(() => {});
}

function parse(line: string): Visit | undefined {
  try {
    return JSON.parse(line) as Visit;
  } catch {
    return undefined;
  }
}

/** Our own id in the name of a file that is not ours: the process before us had it. */
function isAlive(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
