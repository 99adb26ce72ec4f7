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
 * Storage of items on disk while a queue does not take them: files of one JSON line per item.
 *
 *   current ──full, or a replay begins──▶ closed ──all its items acknowledged──▶ deleted
 *                                           ▲
 *                     another process's file, whose process has ended (renamed to ours)
 *
 * - `append` resolves when the lines are on the disk. All that wait share one write and one fsync.
 * - A crash in the middle of a replay makes the file replay once more: harmless, because items have ids.
 * - A file belongs to the process in its name. A process that adopts one renames it first, so that two cannot adopt it.
 *   An owner whose file is missing after a write (it had not ended after all) writes the items once more elsewhere.
 */

/** A file is closed at this size: what is replayed twice after a crash stays bounded. */
const FILE_BYTES = 64 << 20;
/** A living owner touches its files more often than this. Process ids are used again, so they do not suffice. */
const ABANDONED_MS = 60_000;
const FILE_NAME = /^(?<kind>[a-z]+)-(?<pid>\d+)-(?<instance>[0-9a-f]+)-\d+\.ndjson$/;

/** The kind of the items of a spool, with which the names of its files begin. */
export type SpoolKind = 'visits' | 'jobs';

/** Folder of all spools, below DATA_DIR. */
export const spoolFolder = (dataDir: string): string => path.join(dataDir, 'spool');

/** The name of a file of a spool. */
export const spoolFile = (
  kind: SpoolKind,
  { pid, instance, sequence }: { pid: number; instance: string; sequence: number },
): string => `${kind}-${pid}-${instance}-${sequence}.ndjson`;

/** The kind of spool that a file belongs to; `undefined` for any other file. */
export function spoolKindOf(name: string): string | undefined {
  return FILE_NAME.exec(name)?.groups!['kind'];
}

/** Adds items to the queue; resolves when Redis has acknowledged them. */
export type Deliver<Item> = (items: Item[]) => Promise<void>;

/** The queue did not take items; `cause` says why. */
class NotDelivered extends Error {}

/** Settings of a spool. */
interface SpoolOptions {
  folder: string;
  kind: SpoolKind;
  /** Most items that are delivered at once. */
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
  /** Bytes that are known to be on the disk. */
  size: number;
  /** Time at which it was made, in ms since 1970. */
  since: number;
}

/** Items of one process on disk. */
export class Spool<Item> {
  readonly #options: SpoolOptions;
  readonly #instance = randomBytes(6).toString('hex');
  #sequence = 0;
  #current: Current | undefined;
  /** Files that are complete and wait for their replay, with the times at which they were made. */
  readonly #closed = new Map<string, number>();
  #waiting: Waiting<Item>[] = [];
  /** Writes and changes of the current file happen one after the other. */
  #lastTurn: Promise<void> = Promise.resolve();
  #isStopping = false;

  constructor(options: SpoolOptions) {
    this.#options = options;
  }

  /** True when items wait for their replay. */
  get hasItems(): boolean {
    return this.#current !== undefined || this.#closed.size > 0;
  }

  /** Time since which the oldest item waits for its replay, in ms since 1970; `undefined` where none does. */
  get oldestAt(): number | undefined {
    const times = [...this.#closed.values(), ...(this.#current ? [this.#current.since] : [])];
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /** Resolves when the items are on the disk; rejects when they are not. */
  append(items: readonly Item[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ items, resolve, reject });
      if (this.#waiting.length === 1) void this.#inTurn(() => this.#writeWaiting());
    });
  }

  /**
   * Delivers every spooled item to the queue. Items that are appended meanwhile go to a new file.
   *
   * @returns how many were delivered
   * @throws Error when `deliver` does; what was not acknowledged stays
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
        // Adopted by a process that took this one for ended, which delivers them now.
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
    const mine = [
      ...this.#closed.keys(),
      ...(this.#current === undefined ? [] : [this.#current.file]),
    ];
    await Promise.all(mine.map((file) => utimes(file, now, now).catch(() => {})));
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
        // 0 where the file system does not know it.
        this.#closed.set(adopted, birthtimeMs || Date.now());
        log.info({ file: name }, `adopted the spooled ${kind} of a process that has ended`);
      } catch {
        // Another process was faster.
      }
    }
  }

  /** Waits for what is being written. Items that are left wait for the next process. */
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

/** Leaves no file behind where nothing could be written. */
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
