import { copyInto } from '../../../infra/copy.ts';
import type { Db } from '../../../infra/db.ts';
import { DAY_MS, QUARTER_MS, type Scope } from './rollups.ts';
import { type CountedEvent, Tally } from './tally.ts';
import { valueIds, WantedValues } from './values.ts';

/*
 * Additions to rollups. A batch of events adds one row for each owner, kind, day and dimension, with the counts of all
 * values. Rows are only ever added, so that transactions never wait for each other; `compactRollups` takes them into the
 * rollups later. Questions read both.
 */

/** An event of a workspace, with its time. */
export type TimedEvent = CountedEvent & { project_id: string; occurred_at: string | Date };

/**
 * Adds events to the rollups of their domains or records.
 *
 * @param sign -1 takes them out
 * @param values where values that are new are added; see `valueIds`
 */
export async function addDeltas(
  trx: Db,
  scope: Scope,
  events: readonly TimedEvent[],
  { sign = 1, values = trx }: { sign?: 1 | -1; values?: Db } = {},
): Promise<void> {
  if (events.length === 0) return;
  const tallied = tallyOf(scope, events, sign);
  const wanted = new WantedValues();
  for (const { tally } of tallied) tally.want(wanted);
  const idsOf = await valueIds(values, wanted);
  for (const { tally } of tallied) tally.takeIds(idsOf);
  await addTallied(trx, tallied);
}

/** Counts of a workspace for its domains or its records. */
interface Tallied {
  projectId: string;
  scope: Scope;
  tally: Tally;
}

/** Counts events by their workspaces. */
function tallyOf(scope: Scope, events: readonly TimedEvent[], sign: 1 | -1): Tallied[] {
  const tallies = new Map<string, Tally>();
  for (const event of events) {
    const { project_id: projectId, occurred_at } = event;
    let tally = tallies.get(projectId);
    if (tally === undefined) {
      tally = new Tally(projectId, scope);
      tallies.set(projectId, tally);
    }
    tally.add(event, Math.floor(new Date(occurred_at).getTime() / QUARTER_MS), sign);
  }
  return [...tallies].map(([projectId, tally]) => ({ projectId, scope, tally }));
}

const COLUMNS = ['project_id', 'is_record', 'owner', 'dimension', 'event', 'bucket', 'counts'];

/** Adds counts whose values have ids. */
export async function addTallied(trx: Db, tallied: readonly Tallied[]): Promise<void> {
  const rows = tallied.flatMap(({ projectId, scope, tally }) =>
    Array.from(tally.takeDays(), ({ owner, event, day, dimension, counts }) => {
      const bucket = new Date(day * DAY_MS).toISOString();
      return [projectId, scope === 'record', owner, dimension, event, bucket, counts.pack()!];
    }),
  );
  await copyInto(trx, 'rollup_deltas', COLUMNS, rows);
}
