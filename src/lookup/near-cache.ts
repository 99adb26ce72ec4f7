import type { DomainEntry, LinkEntry } from './entry.ts';
import { copyOf, Records } from './records.ts';

/** Entries of one half of the time, or of the room, that is allowed. */
class Generation {
  readonly domains = new Map<string, DomainEntry>();
  /** What there are few of, by name: workspaces and pages. */
  readonly others = new Map<string, object>();
  readonly links = new Records();

  get written(): number {
    return this.domains.size + this.others.size + this.links.written;
  }
}

/**
 * What one redirect process remembers: found entries only, never misses.
 *
 * Count and age are bounded without a date per entry: there are two generations. New entries go to the young
 * one; when it holds half of what is allowed, or is half as old as allowed, it becomes the old one, and the
 * old one is dropped whole. A hit in the old one stays there, so nothing outlives two halves.
 *
 * Times are milliseconds on a clock that never goes back.
 */
export class NearCache {
  readonly #halfEntries: number;
  readonly #halfMs: number;
  #young = new Generation();
  #old = new Generation();
  #youngSince: number;

  constructor(limits: { entries: number; seconds: number }, now: number) {
    this.#halfEntries = limits.entries / 2;
    this.#halfMs = (limits.seconds * 1000) / 2;
    this.#youngSince = now;
  }

  /** Links that are remembered; one that changed counts again, since it takes room again. */
  get size(): number {
    return this.#young.links.written + this.#old.links.written;
  }

  domain(host: string): DomainEntry | undefined {
    return this.#young.domains.get(host) ?? this.#old.domains.get(host);
  }

  link(domainId: string, key: string): LinkEntry | undefined {
    return this.#young.links.get(domainId, key) ?? this.#old.links.get(domainId, key);
  }

  /** A workspace or a page; whoever asks by its name knows which. */
  other(name: string): object | undefined {
    return this.#young.others.get(name) ?? this.#old.others.get(name);
  }

  rememberOther(name: string, entry: object, now: number): void {
    this.#makeRoom(now);
    this.#young.others.set(copyOf(name), entry);
  }

  forgetOther(name: string): void {
    this.#young.others.delete(name);
    this.#old.others.delete(name);
  }

  rememberDomain(host: string, entry: DomainEntry, now: number): void {
    this.#makeRoom(now);
    this.#young.domains.set(copyOf(host), entry);
  }

  rememberLink(domainId: string, key: string, entry: LinkEntry, now: number): void {
    this.#makeRoom(now);
    const isRemembered = this.#young.links.set(domainId, key, entry);
    if (!isRemembered) this.forgetLink(domainId, key);
  }

  forgetDomain(host: string): void {
    this.#young.domains.delete(host);
    this.#old.domains.delete(host);
  }

  forgetLink(domainId: string, key: string): void {
    this.#young.links.forget(domainId, key);
    this.#old.links.forget(domainId, key);
  }

  /** Drops what has become too old; to be called now and then. */
  age(now: number): void {
    const ageMs = now - this.#youngSince;
    if (ageMs >= 2 * this.#halfMs) this.clear(now);
    else if (ageMs >= this.#halfMs) this.#turn(now);
  }

  /** Forgets everything. */
  clear(now: number): void {
    this.#turn(now);
    this.#old = new Generation();
  }

  #makeRoom(now: number): void {
    this.age(now);
    if (this.#young.written >= this.#halfEntries || this.#young.links.isFull) this.#turn(now);
  }

  #turn(now: number): void {
    this.#old = this.#young;
    this.#young = new Generation();
    this.#youngSince = now;
  }
}
