import { copyInto } from '../../../infra/copy.ts';
import type { Db } from '../../../infra/db.ts';
import { type CountedEvent, EventCounter } from './event-counter.ts';
import { DAY_MS, QUARTER_MS, type Scope } from './rollups.ts';
import { RequestedValues, valueIds } from './values.ts';

/*
 * Additions to rollups. A batch of events adds one row for each owner, kind, day and dimension,
 * with the counts of all values. Rows are only ever added, so that transactions never wait for each
 * other; `compactRollups` merges them into the rollups later. Queries read both.
 */

/** An event of a workspace, with its time. */
export type TimedEvent = CountedEvent & { project_id: string; occurred_at: string | Date };

/**
 * Adds events to the rollups of their domains or records.
 *
 * @param sign -1 subtracts them
 * @param values connection on which new values are added; see `valueIds`
 */
export async function addDeltas(
  trx: Db,
  scope: Scope,
  events: readonly TimedEvent[],
  { sign = 1, values = trx }: { sign?: 1 | -1; values?: Db } = {},
): Promise<void> {
  if (events.length === 0) return;
  const counted = countEvents(scope, events, sign);
  const requested = new RequestedValues();
  for (const { counter } of counted) counter.requestIds(requested);
  const idsOf = await valueIds(values, requested);
  for (const { counter } of counted) counter.takeIds(idsOf);
  await addCounted(trx, counted);
}

/** Counts of a workspace by its domains or its records. */
interface ScopeCounts {
  projectId: string;
  scope: Scope;
  counter: EventCounter;
}

/** Counts events by workspace. */
function countEvents(scope: Scope, events: readonly TimedEvent[], sign: 1 | -1): ScopeCounts[] {
  const counters = new Map<string, EventCounter>();
  for (const event of events) {
    const { project_id: projectId, occurred_at } = event;
    let counter = counters.get(projectId);
    if (counter === undefined) {
      counter = new EventCounter(projectId, scope);
      counters.set(projectId, counter);
    }
    counter.add(event, Math.floor(new Date(occurred_at).getTime() / QUARTER_MS), sign);
  }
  return [...counters].map(([projectId, counter]) => ({ projectId, scope, counter }));
}

const COLUMNS = ['project_id', 'is_record', 'owner', 'dimension', 'event', 'bucket', 'counts'];

/** Adds counts whose values already have ids. */
export async function addCounted(trx: Db, counted: readonly ScopeCounts[]): Promise<void> {
  const rows = counted.flatMap(({ projectId, scope, counter }) =>
    Array.from(counter.takeDays(), ({ owner, event, day, dimension, counts }) => {
      const bucket = new Date(day * DAY_MS).toISOString();
      return [projectId, scope === 'record', owner, dimension, event, bucket, counts.pack()!];
    }),
  );
  await copyInto(trx, 'rollup_deltas', COLUMNS, rows);
}
