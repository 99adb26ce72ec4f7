import { recordJob } from '../audit/write.ts';
import { Refusal } from '../errors.ts';
import { type Db, execute, rows } from '../infra/db.ts';
import { inSavepoint, type Publish } from '../jobs/run-idempotent.ts';
import type { JobContext } from '../queues/definition.ts';
import { changes as changesOf } from '../queues/job.ts';
import { orRefusal } from '../short-links/apply-scheduled.ts';
import { BULK_KINDS } from './kinds.ts';
import type { BulkChange, Undo } from './model.ts';
import { itemsOf } from './queries.ts';

/** Refuses a record that was changed since, which stays as it is. */
class ChangedAgain extends Refusal {
  constructor() {
    super('conflict', 'It was changed again after the bulk change');
  }
}

/** Sets the records of the next slice back; those that were changed again stay as they are. */
export async function undoSlice(
  trx: Db,
  job: JobContext,
  row: BulkChange,
  publish: Publish,
): Promise<Partial<BulkChange>> {
  const all = await itemsOf(trx, row);
  if (all.length === 0) return { state: 'undone', ended_at: new Date() };
  const items = all.filter((item) => item.change_id !== null);
  await BULK_KINDS[row.kind].lockAll(
    trx,
    row.project_id,
    items.map((item) => item.record_id),
  );
  const undo: Undo = { ...row.undo! };
  const errors: { position: number; message: string }[] = [];
  for (const { record_id: recordId, position, change_id: changeId } of items) {
    const outcome = await orRefusal(job, changeId!, () =>
      undoOne(trx, row, recordId, changeId!, publish),
    );
    if (!(outcome instanceof Refusal)) {
      undo.undone += 1;
      continue;
    }
    errors.push({ position, message: outcome.message });
    if (outcome.code === 'not_found') undo.gone += 1;
    else if (outcome instanceof ChangedAgain) undo.changed += 1;
    else undo.refused += 1;
  }
  await execute(
    trx,
    `UPDATE bulk_change_items i SET undo_error = e.message
       FROM json_to_recordset(:errors) AS e (position integer, message text)
      WHERE i.project_id = :projectId AND i.bulk_change_id = :id AND i.slice = :slice
        AND i.position = e.position`,
    {
      projectId: row.project_id,
      id: row.id,
      slice: row.slice,
      errors: JSON.stringify(errors),
    },
  );
  return { undo };
}

/** Reverts the change of a record. @throws Refusal */
async function undoOne(
  trx: Db,
  { project_id: projectId, kind, actor }: BulkChange,
  recordId: string,
  changeId: string,
  publish: Publish,
): Promise<void> {
  const records = BULK_KINDS[kind];
  const author = actor ?? undefined;
  await inSavepoint(trx, publish, async (inner, publishInner) => {
    const before = await records.lock(inner, { projectId }, recordId);
    await refuseChangedAgain(inner, projectId, recordId, changeId);
    const revert = { ref: recordId, changeId };
    const record = await records.revert(inner, before, revert, publishInner, author);
    const task = { name: `${kind}.revert`, data: revert, audit: changesOf(kind) };
    await recordJob(inner, { projectId, task, actor: author }, record);
  });
}

/** An entry of the history. */
interface Entry {
  id: string;
  reverted_id: string | null;
}

/**
 * Refuses a record whose values are no longer those after its change: later changes that were
 * reverted, the newest first, do not count. Entries are ordered by the clock of Postgres, read under
 * the lock of the record: ids have the clocks of the workers that made them.
 *
 * @throws ChangedAgain
 */
async function refuseChangedAgain(
  trx: Db,
  projectId: string,
  recordId: string,
  changeId: string,
): Promise<void> {
  const [own, ...later] = await rows<Entry>(
    trx,
    `SELECT later.id, later.reverted_id
       FROM record_changes own JOIN record_changes later USING (project_id, record_id)
      WHERE own.project_id = ? AND own.record_id = ? AND own.id = ?
        AND (later.at, later.id) >= (own.at, own.id)
      ORDER BY later.at, later.id`,
    [projectId, recordId, changeId],
  );
  const standing: string[] = [];
  for (const { id, reverted_id } of later) {
    if (reverted_id !== null && reverted_id === standing.at(-1)) standing.pop();
    else standing.push(id);
  }
  if (own?.id !== changeId || standing.length > 0) throw new ChangedAgain();
}
