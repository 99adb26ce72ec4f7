import { within } from '../infra/clock.ts';
import type { Log } from '../infra/log.ts';
import { lookups, rememberedLinks } from '../infra/metrics.ts';
import type { Redis } from '../infra/redis.ts';
import { Tally } from '../infra/tally.ts';
import {
  CURRENT,
  type DomainEntry,
  decodeDomain,
  decodeLink,
  decodePage,
  decodeWorkspace,
  type LinkEntry,
  type PageEntry,
  type WorkspaceEntry,
} from './entry.ts';
import { type Flight, Flights } from './flights.ts';
import { Guard } from './guard.ts';
import { NearCache } from './near-cache.ts';
import { domainName, fill, linkName, pageName, readStored, workspaceName } from './publish.ts';
import { POSTGRES_MS, type Row, readDomain, readLink, readPage, readWorkspace } from './rows.ts';

/*
 * What host and key stand for, asked of the nearest that may answer:
 *
 *   invalidations arrive:   own memory → Redis → Postgres
 *   invalidations are lost: Postgres → own memory, at most REMEMBERED_MS after the loss
 *
 * Invariants: `style.md` 8, "The near cache".
 */

/** A store that failed is not asked again for so long: nobody else shall wait for the same failure. */
const REST_MS = 250;
/** How long after the loss of invalidations memory still answers when Postgres does not. */
const REMEMBERED_MS = 60_000;

/** What a host and a key stand for. */
export interface Found {
  domain: DomainEntry;
  /** `null` where nothing has this key, and for the empty key: the root of the domain. */
  link: LinkEntry | null;
}

/** No store can be asked, and memory holds no answer that may still be given. */
export class Unavailable extends Error {}

/** One name to look up, with all that differs between domains and links. */
interface Question<Entry> {
  name: string;
  decode(text: string): Entry;
  readRow(): Promise<Row | null>;
  recall(): Entry | undefined;
  remember(entry: Entry, now: number): void;
  forget(): void;
}

/** What a finder works with. */
export interface FinderMeans {
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
};

/** Looks up hosts and keys for one redirect process. */
export class Finder {
  readonly #redis: Redis;
  readonly #near: NearCache;
  readonly #guard: Guard;
  readonly #flights = new Flights();
  #redisRestsUntil = 0;
  #postgresRestsUntil = 0;

  constructor({ commands, subscriber, instance, limits, log }: FinderMeans) {
    this.#redis = commands;
    this.#near = new NearCache(limits, performance.now());
    this.#guard = new Guard(commands, subscriber, instance, {
      changed: (names) => names.forEach((name) => this.#forget(name)),
      gained: () => {
        this.#near.clear(performance.now());
        this.#flights.overtakeAll();
        log.info('invalidations arrive, look-ups use memory');
      },
      lost: () => log.warn('invalidations are lost, look-ups ask Postgres'),
      tick: (now) => {
        this.#near.age(now);
        rememberedLinks.set(this.#near.size);
      },
    });
  }

  /** What memory knows for certain; `undefined` when `find` has to be asked. */
  near(host: string, key: string): Found | undefined {
    if (!this.#guard.holds(performance.now())) return undefined;
    const domain = this.#near.domain(host);
    if (domain === undefined) return undefined;
    if (key === '') return { domain, link: null };
    const link = this.#near.link(domain.id, key);
    if (link === undefined) return undefined;
    answeredBy.near.add();
    return { domain, link };
  }

  /**
   * Answers `null` for a host that is nobody's domain.
   *
   * @throws Unavailable
   */
  async find(host: string, key: string): Promise<Found | null> {
    const domain = await this.#look(this.#aboutDomain(host));
    if (domain === null) return null;
    const link = key === '' ? null : await this.#look(this.#aboutLink(domain.id, key));
    return { domain, link };
  }

  /**
   * The workspace of a link; `null` when it is gone.
   *
   * @throws Unavailable
   */
  workspace(projectId: string): Promise<WorkspaceEntry | null> {
    return this.#look(
      this.#aboutOther(workspaceName(projectId), decodeWorkspace, () => readWorkspace(projectId)),
    );
  }

  /**
   * A page before destinations; `null` when it is gone.
   *
   * @throws Unavailable
   */
  page(projectId: string, id: string): Promise<PageEntry | null> {
    return this.#look(
      this.#aboutOther(pageName(projectId, id), decodePage, () => readPage(projectId, id)),
    );
  }

  close(): void {
    this.#guard.close();
  }

  async #look<Entry>(question: Question<Entry>): Promise<Entry | null> {
    const known = this.#guard.holds(performance.now()) ? question.recall() : undefined;
    if (known !== undefined) return known;
    return this.#flights.ask(question.name, (flight) => this.#ask(question, flight));
  }

  async #ask<Entry>(question: Question<Entry>, flight: Flight): Promise<Entry | null> {
    const isGuarded = this.#guard.holds(performance.now());
    let found = isGuarded ? await this.#askRedis(question) : undefined;
    if (found === undefined) {
      try {
        found = await this.#askPostgres(question, isGuarded);
      } catch (error) {
        return this.#fallBack(question, error);
      }
    }
    if (flight.isOvertaken) return found;
    if (found === null) question.forget();
    else question.remember(found, performance.now());
    return found;
  }

  /** `undefined`: Redis does not know, or does not answer. */
  async #askRedis<Entry>({ name, decode }: Question<Entry>): Promise<Entry | null | undefined> {
    if (performance.now() < this.#redisRestsUntil) return undefined;
    let stored: string | null | undefined;
    try {
      stored = readStored(await this.#redis.get(name));
    } catch {
      this.#redisRestsUntil = performance.now() + REST_MS;
      return undefined;
    }
    if (stored === undefined) return undefined;
    // Of another version than this process: the row is what counts.
    if (stored !== null && !stored.startsWith(CURRENT)) return undefined;
    try {
      const found = stored === null ? null : decode(stored);
      answeredBy.redis.inc();
      return found;
    } catch {
      return undefined;
    }
  }

  async #askPostgres<Entry>(question: Question<Entry>, isGuarded: boolean): Promise<Entry | null> {
    if (performance.now() < this.#postgresRestsUntil) throw new Unavailable('Postgres rests');
    let row: Row | null;
    try {
      row = await within(POSTGRES_MS, question.readRow(), 'a look-up in Postgres');
    } catch (error) {
      this.#postgresRestsUntil = performance.now() + REST_MS;
      throw error;
    }
    if (isGuarded && performance.now() >= this.#redisRestsUntil) {
      fill(this.#redis, question.name, row).catch(() => {
        // The next look-up asks Postgres again.
      });
    }
    answeredBy.postgres.inc();
    return row === null ? null : question.decode(row.entry);
  }

  #fallBack<Entry>(question: Question<Entry>, error: unknown): Entry {
    const now = performance.now();
    const mayRecall = this.#guard.holds(now) || now < this.#guard.lostAt + REMEMBERED_MS;
    const known = mayRecall ? question.recall() : undefined;
    if (known === undefined) {
      throw new Unavailable('no store answers', { cause: error });
    }
    answeredBy.remembered.inc();
    return known;
  }

  #forget(name: string): void {
    this.#flights.overtake(name);
    const [kind, rest] = [name.slice(0, 3), name.slice(3)];
    if (kind === 'dm:') this.#near.forgetDomain(rest);
    else if (kind !== 'lk:') this.#near.forgetOther(name);
    else {
      const colon = rest.indexOf(':');
      this.#near.forgetLink(rest.slice(0, colon), rest.slice(colon + 1));
    }
  }

  #aboutDomain(host: string): Question<DomainEntry> {
    return {
      name: domainName(host),
      decode: decodeDomain,
      readRow: () => readDomain(host),
      recall: () => this.#near.domain(host),
      remember: (entry, now) => this.#near.rememberDomain(host, entry, now),
      forget: () => this.#near.forgetDomain(host),
    };
  }

  #aboutOther<Entry extends object>(
    name: string,
    decode: (text: string) => Entry,
    readRow: () => Promise<Row | null>,
  ): Question<Entry> {
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

  #aboutLink(domainId: string, key: string): Question<LinkEntry> {
    return {
      name: linkName(domainId, key),
      decode: decodeLink,
      readRow: () => readLink(domainId, key),
      recall: () => this.#near.link(domainId, key),
      remember: (entry, now) => this.#near.rememberLink(domainId, key, entry, now),
      forget: () => this.#near.forgetLink(domainId, key),
    };
  }
}
