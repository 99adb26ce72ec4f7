import { within } from '../infra/clock.ts';
import type { Log } from '../infra/log.ts';
import { lookups, rememberedLinks } from '../infra/metrics.ts';
import { isDataError, isOutage } from '../infra/outage.ts';
import type { Redis } from '../infra/redis.ts';
import { isStorable } from '../infra/storable-text.ts';
import { Tally } from '../infra/tally.ts';
import {
  BLOCKLIST_NAME,
  CURRENT_PREFIX,
  decodeBlocklist,
  decodeDomain,
  decodeLink,
  decodePage,
  decodeSiteFiles,
  decodeWorkspace,
  domainName,
  linkName,
  pageName,
  readStored,
  siteFilesName,
  workspaceName,
} from './codec.ts';
import { Batch, type Lookup, SharedLookups } from './concurrent-lookups.ts';
import type {
  Blocklist,
  DomainEntry,
  LinkEntry,
  PageEntry,
  SiteFilesEntry,
  WorkspaceEntry,
} from './entry.ts';
import { NearCache } from './near-cache.ts';
import { fill } from './publish.ts';
import {
  type LinkName,
  POSTGRES_MS,
  type Row,
  readBlocklist,
  readDomains,
  readLinks,
  readPage,
  readSiteFiles,
  readWorkspace,
} from './rows.ts';
import { Epoch, InvalidationMonitor } from './validity.ts';

/*
 * Finds the entries of host and key in the nearest store that may answer:
 *
 *   invalidations arrive:   own memory → Redis → Postgres
 *   invalidations are lost: Postgres → own memory, at most REMEMBERED_MS after the loss
 *
 * - A created link is found at the instant of the answer, also where its key was asked for before: misses are not
 *   remembered in memory, and no request joins a look-up that began before it.
 * - An update or deletion is seen by every redirect process within 100 ms of its answer.
 *
 * `docs/decisions/0003-lookup-cache.md` says why.
 */

/** Time for which an unreachable store is not queried, in ms: other requests do not wait for the same failure. */
const PAUSE_MS = 250;
/**
 * Look-ups that wait for Postgres at once. Beyond that they fail at once, rather than wait for longer than they may: a flood of
 * unknown keys, or a slow Postgres, takes bounded memory. What memory and Redis hold is found all the same.
 */
const MOST_WAITING = 1_000;
/** Misses that are stored in Redis in a second. Each takes room for 30 s, and a client can make up thousands. */
const MISSES_KEPT_PER_SECOND = 500;
/** Time for which the memory cache is used without invalidations while Postgres is unavailable, in ms. */
const REMEMBERED_MS = 60_000;

/** Time for which the blocklist is not read again while invalidations are lost, in ms. */
const BLOCKLIST_MS = 1_000;

/** Entries of a host and a key. */
export interface Found {
  domain: DomainEntry;
  /** `null` where nothing has this key, and for the empty key: the root of the domain. */
  link: LinkEntry | null;
  /** Set if a flexible link or a wildcard was found by a prefix of the path. */
  prefix?: KeyPrefix;
}

/** A key at the beginning of a path. */
export interface KeyPrefix {
  key: string;
  /** The rest of the path, with its leading slash. */
  rest: string;
  /** The link is that of all paths below the key. */
  isWildcard?: true;
}

/** No store can be asked, and memory holds no answer that may still be given. */
export class Unavailable extends Error {}

/** One name to look up, with all that differs between kinds of entries. */
interface LookupTarget<Entry> {
  name: string;
  decode(text: string): Entry;
  readRow(): Promise<Row | null>;
  recall(): Entry | undefined;
  remember(entry: Entry, now: number): void;
  forget(): void;
}

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
  /** Connection to the same Redis for invalidations alone; must not subscribe again by itself. */
  subscriber: Redis;
  /** Unique to this process. */
  instance: string;
  limits: { entries: number; seconds: number };
  log: Log;
}

const answeredBy = {
  near: new Tally(lookups.labels('near')),
  redis: lookups.labels('redis'),
  postgres: lookups.labels('postgres'),
  remembered: lookups.labels('remembered'),
  refused: lookups.labels('refused'),
};

/** One for all, since a flood has thousands a second. */
const OVERLOAD = new Error(`${MOST_WAITING} look-ups wait for Postgres`);

/** Looks up hosts and keys for one redirect process. */
export class Finder {
  readonly #redis: Redis;
  readonly #near: NearCache;
  readonly #invalidations: InvalidationMonitor;
  readonly #epoch: Epoch;
  readonly #shared = new SharedLookups();
  readonly #domainRows = new Batch<string, Row>(readDomains);
  readonly #linkRows = new Batch<LinkName, Row>(readLinks);
  readonly #log: Log;
  #redisPausedUntil = 0;
  #missesKept = 0;
  #missesSince = 0;
  #waiting = 0;
  #postgresPausedUntil = 0;
  #postgresFailure: unknown;
  #blocklist: Blocklist = { hosts: new Set(), links: new Set() };
  #blocklistReadAt = Number.NEGATIVE_INFINITY;

  constructor({ commands, subscriber, instance, limits, log }: FinderOptions) {
    this.#redis = commands;
    this.#log = log;
    this.#near = new NearCache(limits, performance.now());
    this.#epoch = new Epoch(commands, () => {
      this.#forgetAll();
      log.warn('Redis began a new epoch, look-ups ignore older entries');
    });
    this.#invalidations = new InvalidationMonitor(commands, subscriber, instance, {
      onChanged: (names) => names.forEach((name) => this.#forget(name)),
      onConnected: () => {
        this.#forgetAll();
        log.info('invalidations were connected, look-ups use memory');
      },
      onLost: () => log.warn('invalidations were lost, look-ups ask Postgres'),
      onHeartbeat: (now) => {
        this.#epoch.refresh(now);
        this.#near.age(now);
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
    answeredBy.near.add();
    return { domain, link };
  }

  /**
   * Finds the entries of a host and a key; `null` for a host that is nobody's domain.
   *
   * @param key `null` when no link can have it
   * @param prefixes beginnings of the path that may be the key of a flexible link or a wildcard, the longest first; all are looked up
   *   at the same time as `key`, which wins. While no store answers, those that are in memory are found.
   * @throws Unavailable
   */
  async find(
    host: string,
    key: string | null,
    prefixes: readonly KeyPrefix[] = [],
  ): Promise<Found | null> {
    if (!isStorable(host)) return null;
    const domain = await this.#lookUp(this.#domainTarget(host));
    if (domain === null) return null;
    const lookUp = async (one: string | null) =>
      one === null || one === '' || !isStorable(one)
        ? null
        : this.#lookUp(this.#linkTarget(domain.id, one));
    // Nobody else pays for twice as many look-ups.
    const candidates =
      domain.hasWildcards === true
        ? prefixes.flatMap((one) => [{ ...one, isWildcard: true as const }, one])
        : prefixes;
    const keys = [key, ...candidates.map((one) => (one.isWildcard ? `${one.key}/*` : one.key))];
    const [exact, ...flexible] = await Promise.allSettled(keys.map(lookUp));
    const link = entryOf(exact!);
    if (link !== null) return { domain, link };
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
    return this.#lookUp(
      this.#otherTarget(workspaceName(projectId), decodeWorkspace, () => readWorkspace(projectId)),
    );
  }

  /**
   * A page before destinations; `null` when it is gone.
   *
   * @throws Unavailable
   */
  page(projectId: string, id: string): Promise<PageEntry | null> {
    return this.#lookUp(
      this.#otherTarget(pageName(projectId, id), decodePage, () => readPage(projectId, id)),
    );
  }

  /**
   * The files of a domain for apps; `null` where it has none. Not remembered in memory: they are large, and operating
   * systems ask for them seldom.
   *
   * @throws Unavailable
   */
  siteFiles(domainId: string): Promise<SiteFilesEntry | null> {
    return this.#lookUp({
      name: siteFilesName(domainId),
      decode: decodeSiteFiles,
      readRow: () => readSiteFiles(domainId),
      recall: () => undefined,
      remember() {},
      forget() {},
    });
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
    const target = this.#otherTarget(BLOCKLIST_NAME, decodeBlocklist, () => readBlocklist());
    try {
      this.#blocklist = (await this.#lookUp(target)) ?? this.#blocklist;
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
    }
    return this.#blocklist;
  }

  close(): void {
    this.#invalidations.close();
  }

  async #lookUp<Entry>(target: LookupTarget<Entry>): Promise<Entry | null> {
    const known = this.#invalidations.isReceiving(performance.now()) ? target.recall() : undefined;
    if (known !== undefined) return known;
    return this.#shared.ask(target.name, (lookup) => this.#ask(target, lookup));
  }

  async #ask<Entry>(target: LookupTarget<Entry>, lookup: Lookup): Promise<Entry | null> {
    const isReceiving = this.#invalidations.isReceiving(performance.now());
    const stored = isReceiving ? await this.#askRedis(target) : undefined;
    let found: Entry | null;
    if (stored !== undefined && 'found' in stored) found = stored.found;
    else {
      try {
        found = await this.#askPostgres(target, stored);
      } catch (error) {
        return this.#fallBack(target, error);
      }
    }
    if (lookup.isOutdated) return found;
    if (found === null) target.forget();
    else target.remember(found, performance.now());
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
    const unknown = { read, epoch };
    if (epoch !== this.#epoch.known) return unknown;
    const stored = readStored(read, epoch);
    if (stored === undefined) return unknown;
    // Of another version than this process: the row is what counts.
    if (stored !== null && !stored.startsWith(CURRENT_PREFIX)) return unknown;
    try {
      const found = stored === null ? null : decode(stored);
      answeredBy.redis.inc();
      return { found };
    } catch {
      return unknown;
    }
  }

  async #askPostgres<Entry>(
    target: LookupTarget<Entry>,
    stored: Unknown | undefined,
  ): Promise<Entry | null> {
    if (performance.now() < this.#postgresPausedUntil) throw this.#postgresFailure;
    if (this.#waiting >= MOST_WAITING) {
      answeredBy.refused.inc();
      throw OVERLOAD;
    }
    let row: Row | null;
    try {
      row = await within(POSTGRES_MS, this.#readRow(target), 'a look-up in Postgres');
    } catch (error) {
      if (isDataError(error)) {
        this.#log.warn({ err: error }, 'Postgres refused the value of a look-up');
        return null;
      }
      if (isOutage(error)) {
        this.#postgresPausedUntil = performance.now() + PAUSE_MS;
        this.#postgresFailure = error;
      }
      throw error;
    }
    if (stored !== undefined && this.#mayKeep(row)) {
      fill(this.#redis, target.name, { ...stored, found: row }).catch(() => {
        // The next look-up asks Postgres again.
      });
    }
    answeredBy.postgres.inc();
    return row === null ? null : target.decode(row.entry);
  }

  /** Counts for as long as the query waits or runs, which may be longer than its request waits for it. */
  async #readRow<Entry>({ readRow }: LookupTarget<Entry>): Promise<Row | null> {
    this.#waiting += 1;
    try {
      return await readRow();
    } finally {
      this.#waiting -= 1;
    }
  }

  #mayKeep(row: Row | null): boolean {
    if (row !== null) return true;
    const now = performance.now();
    if (now - this.#missesSince >= 1_000) {
      this.#missesSince = now;
      this.#missesKept = 0;
    }
    this.#missesKept += 1;
    return this.#missesKept <= MISSES_KEPT_PER_SECOND;
  }

  #fallBack<Entry>(target: LookupTarget<Entry>, error: unknown): Entry {
    const now = performance.now();
    const mayRecall =
      this.#invalidations.isReceiving(now) || now < this.#invalidations.lostAt + REMEMBERED_MS;
    const known = mayRecall ? target.recall() : undefined;
    if (known === undefined) {
      throw new Unavailable('no store answers', { cause: error });
    }
    answeredBy.remembered.inc();
    return known;
  }

  #forgetAll(): void {
    this.#near.clear(performance.now());
    this.#shared.invalidateAll();
  }

  #forget(name: string): void {
    this.#shared.invalidate(name);
    const [kind, rest] = [name.slice(0, 3), name.slice(3)];
    if (kind === 'dm:') this.#near.forgetDomain(rest);
    else if (kind !== 'lk:') this.#near.forgetOther(name);
    else {
      const colon = rest.indexOf(':');
      this.#near.forgetLink(rest.slice(0, colon), rest.slice(colon + 1));
    }
  }

  #domainTarget(host: string): LookupTarget<DomainEntry> {
    return {
      name: domainName(host),
      decode: decodeDomain,
      readRow: () => this.#domainRows.ask(host),
      recall: () => this.#near.domain(host),
      remember: (entry, now) => this.#near.rememberDomain(host, entry, now),
      forget: () => this.#near.forgetDomain(host),
    };
  }

  #otherTarget<Entry extends object>(
    name: string,
    decode: (text: string) => Entry,
    readRow: () => Promise<Row | null>,
  ): LookupTarget<Entry> {
    return {
      name,
      decode,
      readRow,
      // Entries are remembered under the name with which they are decoded.
      recall: () => this.#near.other(name) as Entry | undefined,
      remember: (entry, now) => this.#near.rememberOther(name, entry, now),
      forget: () => this.#near.forgetOther(name),
    };
  }

  #linkTarget(domainId: string, key: string): LookupTarget<LinkEntry> {
    return {
      name: linkName(domainId, key),
      decode: decodeLink,
      readRow: () => this.#linkRows.ask({ domainId, key }),
      recall: () => this.#near.link(domainId, key),
      remember: (entry, now) => this.#near.rememberLink(domainId, key, entry, now),
      forget: () => this.#near.forgetLink(domainId, key),
    };
  }
}

const entryOf = <Entry>(asked: PromiseSettledResult<Entry | null>): Entry | null =>
  asked.status === 'fulfilled' ? asked.value : null;
