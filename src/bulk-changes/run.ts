import { recordJob } from '../audit/write.ts';
import { Refusal } from '../errors.ts';
import { newId } from '../ids.ts';
import { type Db, db, execute } from '../infra/db.ts';
import { withinLimits } from '../infra/limits.ts';
import { followUps } from '../jobs/follow-up.ts';
import { inSavepoint, type Publish } from '../jobs/run-idempotent.ts';
import type { LookupChange } from '../lookup/publish.ts';
import {
  type Committed,
  publishPendingSlices,
  publishSlice,
  type SlicedTable,
} from '../lookup/publish-slices.ts';
import type { JobContext } from '../queues/definition.ts';
import { changes as changesOf } from '../queues/job.ts';
import { orRefusal } from '../short-links/apply-scheduled.ts';
import type { StoredChanges } from '../short-links/history.ts';
import { findChange } from '../short-links/history-queries.ts';
import { tryOut } from '../short-links/scheduled.ts';
import { publishRecordEvent } from '../webhooks/outbox.ts';
import { type Frames, findFrames } from './frames.ts';
import { bulkChangeBulkJobs } from './jobs.ts';
import { BULK_KINDS, type Edit } from './kinds.ts';
import { BulkChange, type Example, type Item, OPEN } from './model.ts';
import { editOf, itemsOf } from './queries.ts';
import { undoSlice } from './undo-slice.ts';

/*
 * A job processes one slice of one bulk change of its workspace, and queues the job that follows:
 *
 *   begin ─ lock the bulk change ─ slice ─ outcomes and progress, with the entries to publish
 *         ─ commit ─ publish, record the position ─ next job
 *
 * A job that runs twice therefore processes two slices, and never one slice twice. If a worker dies
 * after the commit, the entries are in the row of the bulk change, and the next job publishes them.
 * If the next job is lost, `bulkChanges.resume` adds it. A check makes its changes in a savepoint
 * that is rolled back.
 */

const BULK_CHANGES: SlicedTable = { name: 'bulk_changes', entries: 'lookups', next: 'slice' };

/** Maximum number of examples in the record. */
const MAX_EXAMPLES = 20;

/** Queues the next slice of the bulk changes of a workspace, unless such a job waits already. */
export async function wakeBulkChanges(projectId: string): Promise<void> {
  await followUps().wake(
    bulkChangeBulkJobs['bulkChange.run'],
    {},
    { subject: `bulk changes ${projectId}`, projectId },
  );
}

/**
 * Processes one slice of the workspace's bulk change that is being checked, or otherwise of the one
 * that was requested first.
 */
export async function runBulkChange(_: object, job: JobContext): Promise<void> {
  const { projectId } = job;
  await publishPendingSlices(BULK_CHANGES, projectId);
  const next = await nextOf(projectId, db());
  if (next === undefined) return;
  const frames = await withinLimits(next.actor?.limits, () => findFrames(next));
  const done = await db().transaction((trx) => runSlice(trx, job, next, frames));
  if (done !== undefined) await publishSlice(BULK_CHANGES, projectId, done);
  await wakeBulkChanges(projectId);
}

// Checks are quick and people wait for them; otherwise bulk changes run one at a time, in order.
const nextOf = (projectId: string, connection: Db) =>
  BulkChange.of(projectId, connection)
    .whereIn('state', [...OPEN])
    .orderByRaw("state <> 'checking', requested_at, id")
    .first();

/** A finished slice. */
interface FinishedSlice extends Committed {
  changes: LookupChange[];
}

/** @returns `undefined` if the bulk change has changed since it was read */
async function runSlice(
  trx: Db,
  job: JobContext,
  { project_id, id, state, slice }: BulkChange,
  frames: Frames,
): Promise<FinishedSlice | undefined> {
  const row = await BulkChange.of(project_id, trx).where({ id, state, slice }).forUpdate().first();
  if (row === undefined) return undefined;
  const changes: LookupChange[] = [];
  const publish: Publish = (more) => changes.push(...more);
  const progress = await withinLimits(row.actor?.limits, () =>
    state === 'undoing'
      ? undoSlice(trx, job, row, publish)
      : changeSlice(trx, job, row, frames, publish),
  );
  const lookups =
    changes.length === 0 ? null : changes.map(({ name, version }) => ({ name, version }));
  const after = { slice: slice + 1, lookups, ...progress };
  await BulkChange.of(project_id, trx).where({ id }).patch(after);
  return { id, next: after.slice, changes };
}

/** The outcome of a record: its changes, none, or the reason why it has none. */
type Outcome = { changeId: string; changes: StoredChanges } | 'unchanged' | Refusal;

async function changeSlice(
  trx: Db,
  job: JobContext,
  row: BulkChange,
  frames: Frames,
  publish: Publish,
): Promise<Partial<BulkChange>> {
  const isCheck = row.state === 'checking';
  const items = await itemsOf(trx, row);
  if (items.length === 0) return { state: isCheck ? 'checked' : 'done', ended_at: new Date() };
  const outcomes = isCheck
    ? await tryOut(trx, (inner) => changeEach(inner, job, row, items, frames, () => {}))
    : await changeEach(trx, job, row, items, frames, publish);
  await storeOutcomes(trx, row, items, outcomes, isCheck);
  const refused = outcomes.filter((outcome) => outcome instanceof Refusal).length;
  const unchanged = outcomes.filter((outcome) => outcome === 'unchanged').length;
  return {
    ...(isCheck ? {} : { state: 'running', started_at: row.started_at ?? new Date() }),
    done: row.done + items.length,
    changed: row.changed + items.length - refused - unchanged,
    unchanged: row.unchanged + unchanged,
    refused: row.refused + refused,
    examples: examplesAfter(row, items, outcomes),
  };
}

function examplesAfter(
  { kind, examples }: BulkChange,
  items: readonly Item[],
  outcomes: readonly Outcome[],
): Example[] {
  const { toShown } = BULK_KINDS[kind];
  const further = items.flatMap(({ record_id: id, name: shortLink }, at): Example[] => {
    const outcome = outcomes[at]!;
    if (outcome === 'unchanged' || outcome instanceof Refusal) return [];
    return [{ id, shortLink, changes: toShown(outcome.changes) }];
  });
  return [...(examples ?? []), ...further].slice(0, MAX_EXAMPLES);
}

/** Changes records independently: a refused one does not stop the others. */
async function changeEach(
  trx: Db,
  job: JobContext,
  row: BulkChange,
  items: readonly Item[],
  frames: Frames,
  publish: Publish,
): Promise<Outcome[]> {
  const edit = editOf(row);
  // In the order of ids, as all bulk writes lock records.
  await BULK_KINDS[row.kind].lockAll(
    trx,
    row.project_id,
    items.map((item) => item.record_id),
  );
  const outcomes: Outcome[] = [];
  for (const { record_id: recordId } of items) {
    const changeId = newId('recordChange');
    const outcome = await orRefusal(job, changeId, () =>
      changeOne(trx, row, { recordId, changeId }, edit, frames, publish),
    );
    outcomes.push(outcome);
  }
  return outcomes;
}

/** Thrown to undo a change that changes no value. */
class Unchanged extends Error {}

/** Changes a record as a request for it alone does. @throws Refusal */
async function changeOne(
  trx: Db,
  { project_id: projectId, kind, actor }: BulkChange,
  { recordId, changeId }: { recordId: string; changeId: string },
  edit: Edit,
  frames: Frames,
  publish: Publish,
): Promise<Outcome> {
  const records = BULK_KINDS[kind];
  try {
    return await inSavepoint(trx, publish, async (inner, publishInner) => {
      const before = await records.lock(inner, { projectId }, recordId);
      const wanted = records.changesOf(before, edit);
      if (wanted === undefined) throw new Unchanged();
      const changes = frames.complete(before, wanted);
      const author = { action: 'updated', actor: actor ?? undefined, changeId } as const;
      const record = await records.change(inner, before, changes, publishInner, author);
      const entry = await findChange({ projectId, recordId, changeId }, inner);
      if (entry === undefined) throw new Unchanged();
      await publishRecordEvent(inner, projectId, `${kind}.updated`, record);
      const data = { id: recordId, changes };
      const task = { name: `${kind}.update`, data, audit: changesOf(kind) };
      await recordJob(inner, { projectId, task, actor: actor ?? undefined }, record);
      return { changeId, changes: entry.changes };
    });
  } catch (thrown) {
    if (thrown instanceof Unchanged) return 'unchanged';
    throw thrown;
  }
}

/** Stores why records were refused, and the entries of the history of those that were changed. */
async function storeOutcomes(
  trx: Db,
  { project_id, id, slice }: BulkChange,
  items: readonly Item[],
  outcomes: readonly Outcome[],
  isCheck: boolean,
): Promise<void> {
  const stored = items.map(({ position }, at) => {
    const outcome = outcomes[at]!;
    const isChanged = !isCheck && typeof outcome === 'object' && 'changeId' in outcome;
    return {
      position,
      change_id: isChanged ? outcome.changeId : null,
      error: outcome instanceof Refusal ? outcome.message : null,
    };
  });
  await execute(
    trx,
    `UPDATE bulk_change_items i SET change_id = o.change_id, error = o.error
       FROM json_to_recordset(:stored) AS o (position integer, change_id text, error text)
      WHERE i.project_id = :projectId AND i.bulk_change_id = :id AND i.slice = :slice
        AND i.position = o.position`,
    { projectId: project_id, id, slice, stored: JSON.stringify(stored) },
  );
}
