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
import { appendAll, linesOf, syncFolder } from './files.ts';
import type { Log } from './log.ts';
import { spoolAge } from './metrics.ts';

/*
 * Storage of items on disk while a queue does not accept them: files with one line of JSON per
 * item.
 *
 *   current ──full, or a replay begins──▶ closed ──all its items acknowledged──▶ deleted
 *                                           ▲
 *                     file of another process that has ended (renamed to this process)
 *
 * - `append` resolves when the lines are on disk. All waiting items share one write and one fsync.
 * - A crash in the middle of a replay makes the file replay once more: harmless, because items have
 *   ids.
 * - A file belongs to the process in its name. A process that adopts one renames it first, so that
 *   two cannot adopt it. If the owner is still alive and finds its file missing after a write, it
 *   writes the items again to another file.
 */

/** Size at which a file is closed, which limits what is replayed twice after a crash. */
const FILE_BYTES = 64 << 20;
/**
 * Age after which an untouched file counts as abandoned, in ms; a living owner touches its files
 * more often. Process ids alone do not suffice, because they are reused.
 */
const ABANDONED_MS = 60_000;
const FILE_NAME = /^(?<kind>[a-z]+)-(?<pid>\d+)-(?<instance>[0-9a-f]+)-\d+\.ndjson$/;

/** Kind of the items of a spool, with which the names of its files begin. */
export type SpoolKind = 'visits' | 'jobs';

/** Returns the folder of all spools, below DATA_DIR. */
export const spoolFolder = (dataDir: string): string => path.join(dataDir, 'spool');

/** Returns the name of a spool file. */
export const spoolFile = (
  kind: SpoolKind,
  { pid, instance, sequence }: { pid: number; instance: string; sequence: number },
): string => `${kind}-${pid}-${instance}-${sequence}.ndjson`;

/** Returns the kind of spool that a file belongs to; `undefined` for any other file. */
export function spoolKindOf(name: string): string | undefined {
  return FILE_NAME.exec(name)?.groups!['kind'];
}

/** Adds items to the queue; resolves when Redis has acknowledged them. */
export type Deliver<Item> = (items: Item[]) => Promise<void>;

/** Error when the queue did not accept items; `cause` has the reason. */
class NotDelivered extends Error {}

/** Settings of a spool. */
interface SpoolOptions {
  folder: string;
  kind: SpoolKind;
  /** Maximum number of items per delivery. */
  perDelivery: number;
  log: Log;
}

interface Waiting<Item> {
  items: readonly Item[];
  resolve(): void;
  reject(error: unknown): void;
}

interface Current {
  file: string;
  handle: FileHandle;
  /** Number of bytes known to be on disk. */
  size: number;
  /** Time of creation, in ms since 1970. */
  since: number;
}

/** Items of one process on disk. */
export class Spool<Item> {
  readonly #options: SpoolOptions;
  readonly #instance = randomBytes(6).toString('hex');
  #sequence = 0;
  #current: Current | undefined;
  /** Complete files that wait for their replay, with their times of creation. */
  readonly #closed = new Map<string, number>();
  #waiting: Waiting<Item>[] = [];
  /** Serializes writes and changes of the current file. */
  #lastTurn: Promise<void> = Promise.resolve();
  #isStopping = false;

  constructor(options: SpoolOptions) {
    this.#options = options;
  }

  /** True if items wait for their replay. */
  get hasItems(): boolean {
    return this.#current !== undefined || this.#closed.size > 0;
  }

  /**
   * Time since which the oldest item waits for its replay, in ms since 1970; `undefined` if none
   * waits.
   */
  get oldestAt(): number | undefined {
    const times = [...this.#closed.values(), ...(this.#current ? [this.#current.since] : [])];
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /** Resolves when the items are on disk; rejects if they could not be written. */
  append(items: readonly Item[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ items, resolve, reject });
      if (this.#waiting.length === 1) void this.#inTurn(() => this.#writeWaiting());
    });
  }

  /**
   * Delivers every spooled item to the queue. Items appended meanwhile go to a new file.
   *
   * @returns the number of delivered items
   * @throws Error when `deliver` does; items that were not acknowledged stay
   */
  async replay(deliver: Deliver<Item>): Promise<number> {
    await this.#inTurn(() => this.#closeCurrent());
    let count = 0;
    for (const file of Array.from(this.#closed.keys())) {
      try {
        count += await this.#replayFile(file, deliver);
      } catch (error) {
        if (error instanceof NotDelivered) throw error;
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
          this.#options.log.error(
            { err: error, file },
            `spooled ${this.#options.kind} could not be read`,
          );
          continue;
        }
        // A process that believed this one had ended has adopted the file, and delivers it.
      }
      if (this.#isStopping) break;
      await unlink(file).catch(() => {});
      this.#closed.delete(file);
    }
    this.#measure();
    return count;
  }

  /** Marks the files of this process as in use, and adopts those of processes that have ended. */
  async maintain(): Promise<void> {
    this.#measure();
    const now = new Date();
    const ownFiles = [
      ...this.#closed.keys(),
      ...(this.#current === undefined ? [] : [this.#current.file]),
    ];
    await Promise.all(ownFiles.map((file) => utimes(file, now, now).catch(() => {})));
    const { folder, log } = this.#options;
    for (const name of await readdir(folder).catch(() => [])) {
      const { kind, pid, instance } = FILE_NAME.exec(name)?.groups ?? {};
      if (kind !== this.#options.kind || instance === this.#instance) continue;
      const adopted = this.#nextFile();
      try {
        const file = path.join(folder, name);
        const { mtimeMs, birthtimeMs } = await stat(file);
        if (isAlive(Number(pid)) && Date.now() - mtimeMs <= ABANDONED_MS) continue;
        await rename(file, adopted);
        // 0 if the file system has no time of creation.
        this.#closed.set(adopted, birthtimeMs || Date.now());
        log.info({ file: name }, `adopted the spooled ${kind} of a process that has ended`);
      } catch {
        // Another process was faster.
      }
    }
  }

  /** Waits for pending writes. The remaining items wait for the next process. */
  async close(): Promise<void> {
    this.#isStopping = true;
    await this.#inTurn(() => this.#closeCurrent());
  }

  #measure(): void {
    const { oldestAt } = this;
    const ageMs = oldestAt === undefined ? 0 : Math.max(0, Date.now() - oldestAt);
    spoolAge.set({ kind: this.#options.kind }, ageMs / 1_000);
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    this.#lastTurn = this.#lastTurn.then(work);
    return this.#lastTurn;
  }

  async #writeWaiting(): Promise<void> {
    const group = this.#waiting;
    this.#waiting = [];
    const lines = group.flatMap(({ items }) => items.map((item) => `${JSON.stringify(item)}\n`));
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
      // No line may follow a torn one, and a file whose fsync failed cannot be trusted.
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
    const { folder } = this.#options;
    await mkdir(folder, { recursive: true });
    const file = this.#nextFile();
    const handle = await open(file, 'ax', 0o600);
    const created = { file, handle, size: 0, since: Date.now() };
    try {
      await syncFolder(folder);
    } catch (error) {
      await discard(created);
      throw error;
    }
    return created;
  }

  #nextFile(): string {
    this.#sequence += 1;
    const { folder, kind } = this.#options;
    const name = { pid: process.pid, instance: this.#instance, sequence: this.#sequence };
    return path.join(folder, spoolFile(kind, name));
  }

  async #closeCurrent(): Promise<void> {
    const current = this.#current;
    if (current === undefined) return;
    this.#current = undefined;
    this.#closed.set(current.file, current.since);
    await current.handle.close().catch(() => {});
  }

  async #replayFile(file: string, deliver: Deliver<Item>): Promise<number> {
    const { kind, perDelivery, log } = this.#options;
    let count = 0;
    let items: Item[] = [];
    const deliverGroup = async () => {
      if (items.length === 0) return;
      await deliver(items).catch((error: unknown) => {
        throw new NotDelivered(`the queue did not take spooled ${kind}`, { cause: error });
      });
      count += items.length;
      items = [];
    };
    for await (const line of linesOf(file)) {
      if (this.#isStopping) return count;
      const item = parse<Item>(line);
      if (item === undefined) log.warn({ file }, 'a torn line in the spool was skipped');
      else items.push(item);
      if (items.length >= perDelivery) await deliverGroup();
    }
    await deliverGroup();
    return count;
  }
}

/** Removes a file to which nothing could be written. */
async function discard({ file, handle }: Current): Promise<void> {
  await handle.close().catch(() => {});
  await unlink(file).catch(() => {});
}

function parse<Item>(line: string): Item | undefined {
  try {
    return JSON.parse(line) as Item;
  } catch {
    return undefined;
  }
}

/**
 * Returns true if the process exists. Its own id in the name of a foreign file means that an
 * earlier process had it.
 */
function isAlive(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
