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
import type { Log } from '../infra/log.ts';
import type { Visit } from '../queues/clicks.ts';
import { appendAll, linesOf, syncFolder } from './spool-file.ts';

/*
 * Visits on disk while Redis cannot take them: files of one JSON line per visit.
 *
 *   current ──full, or a replay begins──▶ closed ──all its visits acknowledged──▶ deleted
 *                                           ▲
 *                     another process's file, whose process is gone (renamed to ours)
 *
 * - `append` resolves when the lines are on the disk. All that wait share one write and one fsync.
 * - A crash in the middle of a replay makes the file replay once more: harmless, because visits have ids.
 * - A file belongs to the process that its name tells. Whoever adopts one renames it first, so that two cannot
 *   adopt it; an owner that finds its file gone after a write (it lived after all) writes once more elsewhere.
 */

/** Visits of one job. */
export const VISITS_PER_JOB = 500;
/** A file is closed at this size: what is replayed twice after a crash stays bounded. */
const FILE_BYTES = 64 << 20;
/** A living owner touches its files more often than this. Process ids are used again, so they do not suffice. */
const ABANDONED_MS = 60_000;
const FILE_NAME = /^visits-(?<pid>\d+)-(?<instance>[0-9a-f]+)-\d+\.ndjson$/;

/** Hands visits to the queue; resolves when they are acknowledged. */
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

/** The spool of one redirect process. */
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
   * Hands every spooled visit to the queue, and says how many there were. What comes in meanwhile goes to a
   * new file.
   *
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
          this.#log.error({ err: error, file }, 'spooled visits cannot be read');
          continue;
        }
        // Adopted by a process that thought us gone, which hands them in now.
      }
      if (this.#isStopping) break;
      await unlink(file).catch(() => {});
      this.#closed.delete(file);
    }
    return count;
  }

  /** Tells other processes that this one lives, and takes over the files of those that do not. */
  async tend(): Promise<void> {
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
        this.#log.info({ file: name }, 'took over the visits of a process that is gone');
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
      // Nobody may add a line behind a torn one, nor trust a file whose fsync failed.
      await current.handle.truncate(current.size).catch(() => {});
      await this.#closeCurrent();
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
    await syncFolder(this.#folder);
    return { file, handle, size: 0 };
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
    const hand = async () => {
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
      if (visits.length >= VISITS_PER_JOB) await hand();
    }
    await hand();
    return count;
  }
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
