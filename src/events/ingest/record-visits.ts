import { type Db, db } from '../../infra/db.ts';
import type { Log } from '../../infra/log.ts';
import { deadLetters, visitLag, visitsProcessed } from '../../infra/metrics.ts';
import { isDataError } from '../../infra/outage.ts';
import { isStorable } from '../../infra/storable-text.ts';
import type { FindPlace } from '../../visitors/places.ts';
import type { Visit } from '../../visits/visit.ts';
import { visitSettings } from '../../workspaces/queries.ts';
import type { EventRow } from '../event.ts';
import { announceEvents, asRepeats } from '../live/announce.ts';
import type { EventsStore } from '../store/store.ts';
import { type CountedVisit, runPipeline, type VisitSettings } from './pipeline.ts';
import { keepRejected } from './rejected-visits.ts';

/** Maximum number of visits in one transaction. */
const MAX_GROUP = 5_000;
/** Maximum number of concurrent transactions: one inserts its events while the other commits. */
const MAX_TRANSACTIONS = 2;
/** Maximum age of an uncounted visit that live streams show, in ms. */
const LIVE_MS = 60_000;
/** Time for which a workspace's settings are cached, in ms. */
const SETTINGS_MS = 5_000;

/** Publishes new events to webhooks and destinations, in the transaction that stores them. */
type PublishEvents = (trx: Db, events: readonly EventRow[]) => Promise<void>;

interface RecorderDependencies {
  eventsStore: EventsStore;
  findPlace: FindPlace;
  /** Passed in by the caller, because webhook records depend on events. */
  publish: PublishEvents;
  log: Log;
}

interface Waiting {
  visits: CountedVisit[];
  stored(): void;
  failed(error: unknown): void;
}

/**
 * Returns true for an error caused by the data of a visit rather than the database, so that a retry
 * would not help.
 */
const isRefusal = (error: unknown): boolean =>
  isDataError(error) || error instanceof TypeError || error instanceof RangeError;

/** Text fields that every visit must have. */
const TEXTS = [
  'id',
  'projectId',
  'linkId',
  'domain',
  'key',
  'destination',
  'ip',
  'userAgent',
  'referer',
] as const;

/**
 * Finds the visits that repeat an earlier visit. Old ones are left out: they may belong to a batch
 * that runs again, whose visits were counted the first time.
 */
function repeatsAmong(visits: readonly CountedVisit[], fresh: readonly EventRow[]): EventRow[] {
  if (fresh.length === visits.length) return [];
  const stored = new Set(fresh);
  const since = Date.now() - LIVE_MS;
  return visits.flatMap(({ row, visit, isCountedOnly }) =>
    isCountedOnly === true || stored.has(row) || visit.at < since ? [] : [row],
  );
}

/**
 * Validates a visit from the queue. Invalid visits are dropped, because a retry would not change
 * them.
 */
function isVisit(value: unknown): value is Visit {
  if (typeof value !== 'object' || value === null) return false;
  const visit = value as Partial<Visit>;
  return typeof visit.at === 'number' && TEXTS.every((name) => typeof visit[name] === 'string');
}

/**
 * Records batches of visits. Batches that wait at the same time share a transaction, which costs
 * little more than one batch alone. A batch is done when its visits can be queried or are kept as
 * dead letters.
 */
export class VisitRecorder {
  readonly #eventsStore: EventsStore;
  readonly #findPlace: FindPlace;
  readonly #publish: PublishEvents;
  readonly #log: Log;
  #waiting: Waiting[] = [];
  #storing = 0;
  #settings = new Map<string, VisitSettings>();
  #settingsAt = 0;

  constructor({ eventsStore, findPlace, publish, log }: RecorderDependencies) {
    this.#eventsStore = eventsStore;
    this.#findPlace = findPlace;
    this.#publish = publish;
    this.#log = log;
  }

  /** Resolves when the visits are committed, whether they are new or already stored. */
  async record(batch: readonly Visit[]): Promise<void> {
    const visits = [batch].flat().filter(isVisit);
    const malformed = [batch].flat().length - visits.length;
    if (malformed > 0) {
      visitsProcessed.inc({ outcome: 'malformed' }, malformed);
      this.#log.error({ malformed }, 'malformed visits were dropped');
    }
    const settings = await this.#settingsOf(visits);
    const { counted, dropped, failed } = runPipeline(visits, {
      settings,
      findPlace: this.#findPlace,
    });
    for (const { visit, error } of failed) await this.#reject(visit, error, null);
    if (counted.length > 0) {
      await new Promise<void>((stored, failed) => {
        this.#waiting.push({ visits: counted, stored, failed });
        if (this.#storing < MAX_TRANSACTIONS) void this.#storeWaiting();
      });
    }
    for (const [outcome, count] of dropped) visitsProcessed.inc({ outcome }, count);
    const oldest = counted[0]?.visit.at;
    if (oldest !== undefined) visitLag.observe((Date.now() - oldest) / 1000);
  }

  async #storeWaiting(): Promise<void> {
    this.#storing += 1;
    while (this.#waiting.length > 0) {
      const group = this.#takeGroup();
      try {
        await this.#store(group.flatMap(({ visits }) => visits));
        for (const waiting of group) waiting.stored();
      } catch (error) {
        await this.#storeOneByOne(group, error);
      }
    }
    this.#storing -= 1;
  }

  #takeGroup(): Waiting[] {
    let size = 0;
    const end = this.#waiting.findIndex(({ visits }) => (size += visits.length) > MAX_GROUP);
    return this.#waiting.splice(0, end <= 0 ? (end === 0 ? 1 : this.#waiting.length) : end);
  }

  /** Stores batches one by one, so that a bad batch does not keep the others from being stored. */
  async #storeOneByOne(group: Waiting[], cause: unknown): Promise<void> {
    if (group.length > 1) this.#log.warn({ err: cause }, 'storing a group of visits failed');
    for (const waiting of group) {
      if (group.length === 1) {
        waiting.failed(cause);
        continue;
      }
      try {
        await this.#store(waiting.visits);
        waiting.stored();
      } catch (error) {
        waiting.failed(error);
      }
    }
  }

  /**
   * Stores visits. Visits that the database rejects because of their data are found by bisection
   * and kept as dead letters.
   */
  async #store(visits: CountedVisit[]): Promise<void> {
    try {
      await this.#append(visits);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      if (visits.length === 1) return this.#storeAgain(visits[0]!);
      const half = Math.ceil(visits.length / 2);
      await this.#store(visits.slice(0, half));
      await this.#store(visits.slice(half));
    }
  }

  async #append(visits: CountedVisit[]): Promise<void> {
    const { fresh, counted, repeats } = await db().transaction(async (trx) => {
      const appended = await this.#eventsStore.appendVisits(trx, visits);
      await this.#publish(trx, appended.fresh);
      return appended;
    });
    announceEvents([...fresh, ...asRepeats(repeatsAmong(visits, fresh))]);
    visitsProcessed.inc({ outcome: 'stored' }, fresh.length);
    visitsProcessed.inc({ outcome: 'counted' }, counted);
    visitsProcessed.inc({ outcome: 'repeat' }, repeats);
  }

  /**
   * Stores a visit a second time. While a partition is being created, Postgres rejects rows for the
   * default partition; the second attempt finds the new one.
   */
  async #storeAgain(visit: CountedVisit): Promise<void> {
    try {
      await this.#append([visit]);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      await this.#reject(visit.visit, error, visit.row.id);
    }
  }

  async #reject(visit: Visit, error: unknown, eventId: string | null): Promise<void> {
    const { id, code } = await keepRejected(visit, error, eventId);
    visitsProcessed.inc({ outcome: 'rejected' });
    deadLetters.inc({ queue: 'clicks', job_name: 'visits.record' });
    this.#log.error({ deadLetterId: id, projectId: visit.projectId, code }, 'visit was rejected');
  }

  async #settingsOf(visits: readonly Visit[]): Promise<ReadonlyMap<string, VisitSettings>> {
    if (Date.now() - this.#settingsAt > SETTINGS_MS) {
      this.#settings = new Map();
      this.#settingsAt = Date.now();
    }
    const cached = this.#settings;
    const unknown = new Set(
      visits.flatMap(({ projectId }) =>
        cached.has(projectId) || !isStorable(projectId) ? [] : [projectId],
      ),
    );
    if (unknown.size > 0) {
      for (const [id, settings] of await visitSettings([...unknown])) cached.set(id, settings);
    }
    return cached;
  }
}
