import type { Log } from '../infra/log.ts';
import { visitLag, visitsProcessed } from '../infra/metrics.ts';
import type { FindPlace } from '../infra/places.ts';
import type { Visit } from '../queues/clicks.ts';
import { visitSettings } from '../workspaces/queries.ts';
import { type CountedVisit, runPipeline, type VisitSettings } from './pipeline.ts';
import { storeVisits } from './store.ts';

/** Most visits of one transaction. */
const GROUP = 5_000;
/** Transactions at the same time: one inserts its events while the other adds its rollups. */
const STORES = 2;
/** How long a workspace's settings are believed, in ms. */
const SETTINGS_MS = 5_000;

interface Waiting {
  visits: CountedVisit[];
  stored(): void;
  failed(error: unknown): void;
}

/**
 * Records batches of visits, those that wait at the same time together: one transaction for many batches costs
 * little more than for one. A batch is done when its visits can be queried.
 */
export class VisitRecorder {
  readonly #findPlace: FindPlace;
  readonly #log: Log;
  #waiting: Waiting[] = [];
  #storing = 0;
  #settings = new Map<string, VisitSettings>();
  #settingsAt = 0;

  constructor(findPlace: FindPlace, log: Log) {
    this.#findPlace = findPlace;
    this.#log = log;
  }

  /** Resolves when the visits are committed, whether they were new or known. */
  async record(visits: readonly Visit[]): Promise<void> {
    const settings = await this.#settingsOf(visits);
    const { counted, dropped } = runPipeline(visits, { settings, findPlace: this.#findPlace });
    if (counted.length > 0) {
      await new Promise<void>((stored, failed) => {
        this.#waiting.push({ visits: counted, stored, failed });
        if (this.#storing < STORES) void this.#storeWaiting();
      });
    }
    for (const [outcome, count] of dropped) visitsProcessed.inc({ outcome }, count);
    const oldest = visits[0]?.at;
    if (oldest !== undefined) visitLag.observe((Date.now() - oldest) / 1000);
  }

  async #storeWaiting(): Promise<void> {
    this.#storing += 1;
    while (this.#waiting.length > 0) {
      const group = this.#takeGroup();
      try {
        await this.#store(group.flatMap(({ visits }) => visits));
        for (const { stored } of group) stored();
      } catch (error) {
        await this.#storeOneByOne(group, error);
      }
    }
    this.#storing -= 1;
  }

  #takeGroup(): Waiting[] {
    let size = 0;
    const end = this.#waiting.findIndex(({ visits }) => (size += visits.length) > GROUP);
    return this.#waiting.splice(0, end <= 0 ? (end === 0 ? 1 : this.#waiting.length) : end);
  }

  /** One bad batch must not keep the others from being stored. */
  async #storeOneByOne(group: Waiting[], cause: unknown): Promise<void> {
    if (group.length > 1) this.#log.warn({ err: cause }, 'storing a group of visits failed');
    for (const { visits, stored, failed } of group) {
      if (group.length === 1) {
        failed(cause);
        continue;
      }
      try {
        await this.#store(visits);
        stored();
      } catch (error) {
        failed(error);
      }
    }
  }

  async #store(visits: CountedVisit[]): Promise<void> {
    const fresh = await storeVisits(visits);
    visitsProcessed.inc({ outcome: 'stored' }, fresh);
    visitsProcessed.inc({ outcome: 'repeat' }, visits.length - fresh);
  }

  async #settingsOf(visits: readonly Visit[]): Promise<ReadonlyMap<string, VisitSettings>> {
    if (Date.now() - this.#settingsAt > SETTINGS_MS) {
      this.#settings = new Map();
      this.#settingsAt = Date.now();
    }
    const known = this.#settings;
    const unknown = new Set(
      visits.flatMap(({ projectId }) => (known.has(projectId) ? [] : [projectId])),
    );
    if (unknown.size > 0) {
      for (const [id, settings] of await visitSettings([...unknown])) known.set(id, settings);
    }
    return known;
  }
}
