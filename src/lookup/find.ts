import { BufferedCounter } from '../infra/buffered-counter.ts';
import type { Log } from '../infra/log.ts';
import { lookups, rememberedLinks } from '../infra/metrics.ts';
import type { Redis, SingleRedis } from '../infra/redis.ts';
import { isStorable } from '../infra/storable-text.ts';
import {
  BLOCKLIST_NAME,
  decodeBlocklist,
  decodePage,
  decodeWorkspace,
  pageName,
  readEntry,
  workspaceName,
} from './codec.ts';
import { groupOf, type Lookup, type LookupGroup, SharedLookups } from './concurrent-lookups.ts';
import type {
  Blocklist,
  Found,
  KeyPrefix,
  PageEntry,
  SiteFilesEntry,
  WorkspaceEntry,
} from './entry.ts';
import { HotKeys } from './hot-keys.ts';
import {
  domainTarget,
  type LookupTarget,
  linkTarget,
  NearCache,
  otherTarget,
  siteFilesTarget,
} from './near-cache.ts';
import { fill, KeptMisses } from './publish.ts';
import type { Row } from './rows.ts';
import type { EntrySource } from './source.ts';
import { SourceReads } from './source-reads.ts';
import { Epoch, InvalidationMonitor } from './validity.ts';

/*
 * Finds the entries of host and key in the nearest store that may answer:
 *
 *   invalidations arrive:   own memory → Redis → Postgres
 *   invalidations are lost: Postgres → own memory, at most REMEMBERED_MS after the loss
 *
 * A process without Postgres asks others in its place (`questions.ts`). While none of them answers either, it goes by the
 * Redis near it, whether invalidations arrive or not: that may be all that its place can reach. What it had in memory when
 * invalidations were connected again counts as its memory for the rest of REMEMBERED_MS: after a failover, those others are
 * found again later than Redis.
 *
 * - A created link is found at the instant of the answer, also where its key was asked for before: misses are not
 *   remembered in memory, and no request joins a look-up that began before it.
 * - An update or deletion is seen by every redirect process within 100 ms of its answer.
 *
 * `docs/decisions/0003-lookup-cache.md` says why.
 */

/** Time for which an unreachable store is not queried, in ms: other requests do not wait for the same failure. */
const PAUSE_MS = 250;
/** Time for which the memory cache is used without invalidations while Postgres is unavailable, in ms. */
const REMEMBERED_MS = 60_000;

/** Time for which the blocklist is not read again while invalidations are lost, in ms. */
const BLOCKLIST_MS = 1_000;

/** No store can be asked, and memory holds no answer that may still be given. */
export class Unavailable extends Error {}

/** The value in Redis behind a miss: none, or one that is not trusted. */
interface Unknown {
  read: string | null;
  epoch: string;
}

type Stored<Entry> = { found: Entry | null } | Unknown;

/** Dependencies and settings of a finder. */
export interface FinderOptions {
  /** Connection to the look-up Redis whose commands time out soon. */
  commands: Redis;
  /** Connection to the same Redis for invalidations alone, of `connectSubscriber`. */
  subscriber: SingleRedis;
  /** Connection to its primary, which is used where it is a replica. */
  primary: Redis;
  /** Source of the entries that Redis doesn't have. */
  source: EntrySource;
  /** Connection to the Redis of the queues, where processes tell each other their hottest links. */
  queue: Redis;
  /** Unique to this process. */
  instance: string;
  limits: { entries: number; seconds: number };
  log: Log;
}

const answeredBy = {
  near: new BufferedCounter(lookups.labels('near')),
  redis: lookups.labels('redis'),
  remembered: lookups.labels('remembered'),
};

/** Looks up hosts and keys for one redirect process. */
export class Finder {
  readonly #redis: Redis;
  readonly #limits: FinderOptions['limits'];
  #near: NearCache;
  /** What was in memory when it was last emptied, on a host without Postgres: for when no store answers. */
  #past: { near: NearCache; until: number } | undefined;
  readonly #invalidations: InvalidationMonitor;
  readonly #epoch: Epoch;
  /** Apart by priority: who asks for a key is not to wait for others who ask for what follows it. */
  readonly #shared = { exact: new SharedLookups(), prefix: new SharedLookups() };
  readonly #primary: Redis;
  readonly #source: EntrySource;
  readonly #sourceReads: SourceReads;
  readonly #hotKeys: HotKeys;
  readonly #connected: Promise<void>;
  readonly #misses = new KeptMisses();
  readonly #answeredBySource: { inc(): void };
  #redisPausedUntil = 0;
  #blocklist: Blocklist = { hosts: new Set(), links: new Set() };
  #blocklistReadAt = Number.NEGATIVE_INFINITY;

  constructor(options: FinderOptions) {
    const { commands, subscriber, primary, source, queue, instance, limits, log } = options;
    let setConnected = () => {};
    this.#connected = new Promise((resolve) => {
      setConnected = resolve;
    });
    this.#hotKeys = new HotKeys(queue);
    this.#redis = commands;
    this.#primary = primary;
    this.#source = source;
    this.#sourceReads = new SourceReads(source, log);
    this.#answeredBySource = lookups.labels(source.label);
    this.#limits = limits;
    this.#near = new NearCache(limits, performance.now());
    this.#epoch = new Epoch(commands, () => {
      this.#forgetAll();
      log.warn('Redis began a new epoch, look-ups ignore older entries');
    });
    this.#invalidations = new InvalidationMonitor(() => this.#writable, subscriber, instance, {
      onChanged: (names) => names.forEach((name) => this.#forget(name)),
      onConnected: () => {
        this.#forgetAll();
        setConnected();
        log.info('invalidations were connected, look-ups use memory');
      },
      onLost: () => log.warn('invalidations were lost, look-ups ask Postgres'),
      onHeartbeat: (now) => {
        this.#epoch.refresh(now);
        this.#near.age(now);
        if (this.#past !== undefined && now >= this.#past.until) this.#past = undefined;
        rememberedLinks.set(this.#near.size);
      },
    });
  }

  /** The entries in memory, while they are known to be current; `undefined` when `find` has to be asked. */
  near(host: string, key: string): Found | undefined {
    if (!this.#invalidations.isReceiving(performance.now())) return undefined;
    const domain = this.#near.domain(host);
    if (domain === undefined) return undefined;
    if (key === '') return { domain, link: null };
    const link = this.#near.link(domain.id, key);
    if (link === undefined) return undefined;
    this.#hotKeys.note(host, key);
    answeredBy.near.add();
    return { domain, link };
  }

  /**
   * Finds the entries of a host and a key; `null` for a host that is nobody's domain.
   *
   * @param key `null` when no link can have it
   * @param prefixes beginnings of the path that may be the key of a flexible link or a wildcard, the longest first; they are looked up
   *   where nothing has `key`. While no store answers, those that are in memory are found.
   * @throws Unavailable
   */
  async find(
    host: string,
    key: string | null,
    prefixes: readonly KeyPrefix[] = [],
  ): Promise<Found | null> {
    if (!isStorable(host)) return null;
    const domain = await this.#lookUp(domainTarget(host));
    if (domain === null) return null;
    const lookUp = async (one: string | null, group: LookupGroup) =>
      one === null || one === '' || !isStorable(one)
        ? null
        : this.#lookUp(linkTarget(domain.id, one), group);
    const [exact] = await Promise.allSettled([lookUp(key, groupOf('exact'))]);
    const link = entryOf(exact!);
    if (link !== null) return { domain, link };
    // Nobody else pays for twice as many look-ups.
    const candidates =
      domain.hasWildcards === true
        ? prefixes.flatMap((one) => [{ ...one, isWildcard: true as const }, one])
        : prefixes;
    const group = groupOf('prefix');
    const flexible = await Promise.allSettled(
      candidates.map((one) => lookUp(one.isWildcard ? `${one.key}/*` : one.key, group)),
    );
    const at = flexible.findIndex((one) => entryOf(one)?.forwardsPath === true);
    if (at >= 0) return { domain, link: entryOf(flexible[at]!), prefix: candidates[at]! };
    const failed = [exact!, ...flexible].find((one) => one.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    return { domain, link: null };
  }

  /**
   * The workspace of a link; `null` when it is gone.
   *
   * @throws Unavailable
   */
  workspace(projectId: string): Promise<WorkspaceEntry | null> {
    return this.#lookUp(otherTarget(workspaceName(projectId), decodeWorkspace));
  }

  /**
   * A page before destinations; `null` when it is gone.
   *
   * @throws Unavailable
   */
  page(projectId: string, id: string): Promise<PageEntry | null> {
    return this.#lookUp(otherTarget(pageName(projectId, id), decodePage));
  }

  /**
   * The files of a domain for apps; `null` where it has none. Not remembered in memory: they are large, and operating
   * systems ask for them seldom.
   *
   * @throws Unavailable
   */
  siteFiles(domainId: string): Promise<SiteFilesEntry | null> {
    return this.#lookUp(siteFilesTarget(domainId));
  }

  /** What is blocked, from memory, while that is known to be current; `undefined` when `blocklist` has to be asked. */
  nearBlocklist(): Blocklist | undefined {
    return this.#invalidations.isReceiving(performance.now())
      ? (this.#near.other(BLOCKLIST_NAME) as Blocklist | undefined)
      : undefined;
  }

  /**
   * What the operator blocks. Without invalidations it is read at most once in {@link BLOCKLIST_MS}, and while no store answers
   * it is what was read last: redirects go on.
   */
  async blocklist(): Promise<Blocklist> {
    const now = performance.now();
    if (!this.#invalidations.isReceiving(now) && now < this.#blocklistReadAt + BLOCKLIST_MS) {
      return this.#blocklist;
    }
    this.#blocklistReadAt = now;
    const target = otherTarget(BLOCKLIST_NAME, decodeBlocklist);
    try {
      this.#blocklist = (await this.#lookUp(target)) ?? this.#blocklist;
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
    }
    return this.#blocklist;
  }

  /**
   * Looks up, into memory, the links that this process and others were asked for most.
   *
   * @returns how many were looked up; 0 where none are known
   */
  warmUp(): Promise<number> {
    return this.#hotKeys.warmUp((host, key) => this.find(host, key), this.#connected);
  }

  close(): void {
    this.#invalidations.close();
    this.#hotKeys.close();
  }

  /** The connection on which can be written; a replica passes on what its primary gets. */
  get #writable(): Redis | undefined {
    const { isReplica } = this.#epoch;
    return isReplica === undefined ? undefined : isReplica ? this.#primary : this.#redis;
  }

  async #lookUp<Entry>(
    target: LookupTarget<Entry>,
    group = groupOf('exact'),
  ): Promise<Entry | null> {
    const known = this.#invalidations.isReceiving(performance.now())
      ? target.recall(this.#near)
      : undefined;
    if (known !== undefined) return known;
    const shared = this.#shared[group.priority];
    return shared.ask(target.name, (lookup) => this.#ask(target, group, lookup));
  }

  async #ask<Entry>(
    target: LookupTarget<Entry>,
    group: LookupGroup,
    lookup: Lookup,
  ): Promise<Entry | null> {
    const isReceiving = this.#invalidations.isReceiving(performance.now());
    const stored = isReceiving ? await this.#askRedis(target) : undefined;
    let found: Entry | null;
    if (stored !== undefined && 'found' in stored) found = stored.found;
    else {
      try {
        found = await this.#askSource(target, group, stored);
      } catch (error) {
        return this.#fallBack(target, error);
      }
    }
    if (lookup.isOutdated) return found;
    if (found === null) target.forget(this.#near);
    else target.remember(this.#near, found, performance.now());
    return found;
  }

  /** The answer of Redis; `undefined` when it does not answer. */
  async #askRedis<Entry>({
    name,
    decode,
  }: LookupTarget<Entry>): Promise<Stored<Entry> | undefined> {
    const epoch = this.#epoch.known;
    if (epoch === undefined || performance.now() < this.#redisPausedUntil) return undefined;
    let read: string | null;
    try {
      read = await this.#redis.get(name);
    } catch {
      this.#redisPausedUntil = performance.now() + PAUSE_MS;
      return undefined;
    }
    const found = epoch === this.#epoch.known ? readEntry(read, epoch, decode) : undefined;
    if (found === undefined) return { read, epoch };
    answeredBy.redis.inc();
    return { found };
  }

  async #askSource<Entry>(
    target: LookupTarget<Entry>,
    group: LookupGroup,
    stored: Unknown | undefined,
  ): Promise<Entry | null> {
    const row = await this.#sourceReads.read(target.name, group);
    if (row === undefined) return null;
    if (stored !== undefined && !this.#source.isRemote) this.#fill(target.name, stored, row);
    this.#answeredBySource.inc();
    return row === null ? null : target.decode(row.entry);
  }

  #fill(name: string, stored: Unknown, found: Row | null): void {
    const redis = this.#writable;
    if (redis === undefined || !(found !== null || this.#misses.mayKeep())) return;
    fill(redis, name, { ...stored, found }).catch(() => {
      // The next look-up asks Postgres again.
    });
  }

  async #fallBack<Entry>(target: LookupTarget<Entry>, error: unknown): Promise<Entry | null> {
    if (this.#source.isRemote) {
      const stored = await this.#askRedis(target);
      if (stored !== undefined && 'found' in stored) return stored.found;
    }
    const now = performance.now();
    const mayRecall =
      this.#invalidations.isReceiving(now) || now < this.#invalidations.lostAt + REMEMBERED_MS;
    const known =
      (mayRecall ? target.recall(this.#near) : undefined) ??
      (this.#past !== undefined && now < this.#past.until
        ? target.recall(this.#past.near)
        : undefined);
    if (known === undefined) {
      throw new Unavailable('no store answers', { cause: error });
    }
    answeredBy.remembered.inc();
    return known;
  }

  #forgetAll(): void {
    const now = performance.now();
    // A failover empties memory twice: when invalidations arrive again, and when its epoch is known.
    if (this.#source.isRemote && this.#past === undefined && this.#near.size > 0) {
      const until = Math.min(now, this.#invalidations.lostAt) + REMEMBERED_MS;
      this.#past = { near: this.#near, until };
      this.#near = new NearCache(this.#limits, now);
    } else this.#near.clear(now);
    for (const shared of Object.values(this.#shared)) shared.invalidateAll();
  }

  #forget(name: string): void {
    for (const shared of Object.values(this.#shared)) shared.invalidate(name);
    for (const memory of [this.#near, this.#past?.near]) memory?.forget(name);
  }
}

const entryOf = <Entry>(asked: PromiseSettledResult<Entry | null>): Entry | null =>
  asked.status === 'fulfilled' ? asked.value : null;
