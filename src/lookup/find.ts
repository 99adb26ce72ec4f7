import { BufferedCounter } from '../infra/buffered-counter.ts';
import { lookups, rememberedLinks } from '../infra/metrics.ts';
import type { Redis } from '../infra/redis.ts';
import { isStorable } from '../infra/storable-text.ts';
import {
  decodePage,
  decodeService,
  decodeWorkspace,
  pageName,
  readEntry,
  SERVICE_NAME,
  workspaceName,
} from './codec.ts';
import { groupOf, type Lookup, type LookupGroup, SharedLookups } from './concurrent-lookups.ts';
import type {
  Entries,
  PageEntry,
  RequestedKeys,
  ServiceEntry,
  SiteFilesEntry,
  WorkspaceEntry,
} from './entry.ts';
import type { FinderOptions } from './finder-options.ts';
import { HotKeys } from './hot-keys.ts';
import { findLink, spellingKey } from './key-spelling.ts';
import {
  domainTarget,
  type LookupTarget,
  linkTarget,
  NearCache,
  otherTarget,
  siteFilesTarget,
} from './near-cache.ts';
import { fill, MissLimit } from './publish.ts';
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
 * The memory from before the reconnection of invalidations stays usable for the rest of
 * REMEMBERED_MS while no store answers: after a failover, Postgres and other processes are often
 * reachable later than Redis.
 *
 * A process without Postgres asks other processes in its place (`remote-source.ts`). While none of
 * them answers, it trusts the Redis near it even without invalidations, since that may be the only
 * store in reach.
 *
 * - A created link is found at the instant of the answer, even if its key was requested before:
 *   misses are not remembered in memory, and no request joins a look-up that began before it.
 * - Every redirect process sees an update or deletion within 100 ms of its answer.
 *
 * `docs/decisions/0003-lookup-cache.md` gives the reasons.
 */

/**
 * Time for which an unreachable store is not queried, in ms, so that other requests do not wait for
 * the same failure.
 */
const PAUSE_MS = 250;
/** Time for which memory is used without invalidations while Postgres is unavailable, in ms. */
const REMEMBERED_MS = 60_000;
/**
 * Number of memories that are kept after they were emptied. A failover empties memory twice: when
 * invalidations arrive again, and when its epoch is known.
 */
const MOST_PAST = 2;

/** Minimum time between two reads of the service's entry while invalidations are lost, in ms. */
const SERVICE_MS = 1_000;

const WWW = 'www.';

/** No store can be asked, and memory holds no answer that is still valid. */
export class Unavailable extends Error {}

/** The value in Redis behind a miss: none, or one that cannot be trusted. */
interface Unknown {
  value: string | null;
  epoch: string;
}

type Stored<Entry> = { entry: Entry | null } | Unknown;

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
  /** The memory from before it was emptied, the newest first, for when no store answers. */
  #past: { near: NearCache; until: number }[] = [];
  readonly #invalidations: InvalidationMonitor;
  readonly #epoch: Epoch;
  /** Separate by priority, so that an exact key does not wait for look-ups of prefixes. */
  readonly #shared = { exact: new SharedLookups(), prefix: new SharedLookups() };
  readonly #primary: Redis;
  readonly #source: EntrySource;
  readonly #sourceReads: SourceReads;
  readonly #hotKeys: HotKeys;
  readonly #connected: Promise<void>;
  readonly #misses = new MissLimit();
  readonly #answeredBySource: { inc(): void };
  #redisPausedUntil = 0;
  #service: ServiceEntry = { hosts: new Set(), links: new Set(), excluding: new Set() };
  #serviceReadAt = Number.NEGATIVE_INFINITY;

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
        this.#past = this.#past.filter(({ until }) => now < until);
        rememberedLinks.set(this.#near.size);
      },
    });
  }

  /**
   * Returns the entries in memory while they are known to be current; `undefined` if `find` must be
   * called.
   */
  near(host: string, key: string): Entries | undefined {
    if (!this.#invalidations.isReceiving(performance.now())) return undefined;
    const domain = this.#near.domain(host);
    if (domain === undefined) return undefined;
    if (key === '') return { domain, link: null };
    const name = domain.ignoresCase === true ? spellingKey(key, domain)! : key;
    const link = this.#near.link(domain.id, name);
    if (link === undefined) return undefined;
    this.#hotKeys.record(host, key);
    answeredBy.near.add();
    return { domain, link };
  }

  /**
   * Finds the entries of a host and a path; `null` for a host that is not a domain. `www.` before a
   * domain finds the domain, unless it is a domain itself.
   *
   * @throws Unavailable
   */
  async find(host: string, keys: RequestedKeys): Promise<Entries | null> {
    if (!isStorable(host)) return null;
    const exact = await this.#lookUp(domainTarget(host));
    const bareHost = exact === null && host.startsWith(WWW) ? host.slice(WWW.length) : undefined;
    const domain = bareHost === undefined ? exact : await this.#lookUp(domainTarget(bareHost));
    if (domain === null) return null;
    const link = await findLink(domain, keys, (key, group) =>
      this.#lookUp(linkTarget(domain.id, key), group),
    );
    return bareHost === undefined ? { domain, ...link } : { domain, ...link, domainName: bareHost };
  }

  /**
   * Finds a workspace; `null` if it was deleted.
   *
   * @throws Unavailable
   */
  workspace(projectId: string): Promise<WorkspaceEntry | null> {
    return this.#lookUp(otherTarget(workspaceName(projectId), decodeWorkspace));
  }

  /**
   * Finds a page before destinations; `null` if it was deleted.
   *
   * @throws Unavailable
   */
  page(projectId: string, id: string): Promise<PageEntry | null> {
    return this.#lookUp(otherTarget(pageName(projectId, id), decodePage));
  }

  /**
   * Finds the files of a domain for apps; `null` if it has none. They are not kept in memory, since
   * they are large and operating systems rarely request them.
   *
   * @throws Unavailable
   */
  siteFiles(domainId: string): Promise<SiteFilesEntry | null> {
    return this.#lookUp(siteFilesTarget(domainId));
  }

  /**
   * Returns the entry of the service in memory while that is known to be current; `undefined` if
   * `service` must be called.
   */
  nearService(): ServiceEntry | undefined {
    return this.#invalidations.isReceiving(performance.now())
      ? (this.#near.other(SERVICE_NAME) as ServiceEntry | undefined)
      : undefined;
  }

  /**
   * Reads the entry of the service. Without invalidations it is read at most once in {@link
   * SERVICE_MS}; while no store answers, the last read applies, so that redirects continue.
   */
  async service(): Promise<ServiceEntry> {
    const now = performance.now();
    if (!this.#invalidations.isReceiving(now) && now < this.#serviceReadAt + SERVICE_MS) {
      return this.#service;
    }
    this.#serviceReadAt = now;
    const target = otherTarget(SERVICE_NAME, decodeService);
    try {
      this.#service = (await this.#lookUp(target)) ?? this.#service;
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
    }
    return this.#service;
  }

  /**
   * Loads the most requested links of all processes into memory.
   *
   * @returns the number of looked up links; 0 if none are known
   */
  warmUp(): Promise<number> {
    return this.#hotKeys.warmUp((host, key) => this.find(host, { key }), this.#connected);
  }

  close(): void {
    this.#invalidations.close();
    this.#hotKeys.close();
  }

  /** The connection for writes: a replica receives what its primary stores. */
  get #writable(): Redis | undefined {
    const { isReplica } = this.#epoch;
    return isReplica === undefined ? undefined : isReplica ? this.#primary : this.#redis;
  }

  async #lookUp<Entry>(
    target: LookupTarget<Entry>,
    group = groupOf('exact'),
  ): Promise<Entry | null> {
    const remembered = this.#invalidations.isReceiving(performance.now())
      ? target.recall(this.#near)
      : undefined;
    if (remembered !== undefined) return remembered;
    const shared = this.#shared[group.priority];
    return shared.ask(target.name, (lookup) => this.#read(target, group, lookup));
  }

  async #read<Entry>(
    target: LookupTarget<Entry>,
    group: LookupGroup,
    lookup: Lookup,
  ): Promise<Entry | null> {
    const isReceiving = this.#invalidations.isReceiving(performance.now());
    const stored = isReceiving ? await this.#readRedis(target) : undefined;
    let entry: Entry | null;
    if (stored !== undefined && 'entry' in stored) entry = stored.entry;
    else {
      try {
        entry = await this.#readSource(target, group, stored);
      } catch (error) {
        return this.#fallBack(target, error);
      }
    }
    if (lookup.isOutdated) return entry;
    if (entry === null) target.forget(this.#near);
    else target.remember(this.#near, entry, performance.now());
    return entry;
  }

  /** Reads an entry from Redis; `undefined` if it does not answer. */
  async #readRedis<Entry>({
    name,
    decode,
  }: LookupTarget<Entry>): Promise<Stored<Entry> | undefined> {
    const epoch = this.#epoch.known;
    if (epoch === undefined || performance.now() < this.#redisPausedUntil) return undefined;
    let value: string | null;
    try {
      value = await this.#redis.get(name);
    } catch {
      this.#redisPausedUntil = performance.now() + PAUSE_MS;
      return undefined;
    }
    const entry = epoch === this.#epoch.known ? readEntry(value, epoch, decode) : undefined;
    if (entry === undefined) return { value, epoch };
    answeredBy.redis.inc();
    return { entry };
  }

  async #readSource<Entry>(
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

  #fill(name: string, stored: Unknown, row: Row | null): void {
    const redis = this.#writable;
    if (redis === undefined || !(row !== null || this.#misses.tryTake())) return;
    fill(redis, name, { ...stored, row }).catch(() => {
      // The next look-up asks Postgres again.
    });
  }

  async #fallBack<Entry>(target: LookupTarget<Entry>, error: unknown): Promise<Entry | null> {
    if (this.#source.isRemote) {
      const stored = await this.#readRedis(target);
      if (stored !== undefined && 'entry' in stored) return stored.entry;
    }
    const now = performance.now();
    const canRecall =
      this.#invalidations.isReceiving(now) || now < this.#invalidations.lostAt + REMEMBERED_MS;
    const past = this.#past.filter(({ until }) => now < until).map(({ near }) => near);
    const remembered = (canRecall ? [this.#near, ...past] : past)
      .map((memory) => target.recall(memory))
      .find((entry) => entry !== undefined);
    if (remembered === undefined) {
      throw new Unavailable('no store answers', { cause: error });
    }
    answeredBy.remembered.inc();
    return remembered;
  }

  #forgetAll(): void {
    const now = performance.now();
    if (this.#near.size > 0) {
      const until = Math.min(now, this.#invalidations.lostAt) + REMEMBERED_MS;
      this.#past = [{ near: this.#near, until }, ...this.#past].slice(0, MOST_PAST);
    }
    this.#near = new NearCache(this.#limits, now);
    for (const shared of Object.values(this.#shared)) shared.invalidateAll();
  }

  #forget(name: string): void {
    for (const shared of Object.values(this.#shared)) shared.invalidate(name);
    this.#near.forget(name);
    for (const { near } of this.#past) near.forget(name);
  }
}
