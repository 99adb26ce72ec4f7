import { Refusal } from '../errors.ts';
import { externalIdIn } from '../http/fields.ts';
import { type Db, db, execute } from '../infra/db.ts';
import { currentLimits, withinLimits } from '../infra/limits.ts';
import { runIdempotent } from '../jobs/run-idempotent.ts';
import { withoutCase } from '../lookup/key-spelling.ts';
import type { JobContext } from '../queues/definition.ts';
import { handlers } from '../queues/job.ts';
import { loadReferences, resolve } from '../short-links/references.ts';
import type { RecordNames } from '../short-links/rows.ts';
import { toSharedChanges } from '../short-links/schema.ts';
import { changeRow } from '../workspaces/change-row.ts';
import {
  type BulkChangeRef,
  bulkChangeBulkJobs,
  bulkChangeJobs,
  bulkChangeMaintenanceJobs,
  type NewBulkChange,
} from './jobs.ts';
import { BULK_KINDS } from './kinds.ts';
import { BulkChange, type BulkState, OPEN } from './model.ts';
import { type BulkChangeRecord, KEPT_DAYS, toBulkChange } from './record.ts';
import { runBulkChange, wakeBulkChanges } from './run.ts';
import { MAX_RECORDS } from './schema.ts';

/** Maximum number of bulk changes per workspace that are being checked, made or undone. */
const MAX_OPEN = 20;
/** Maximum number of checked bulk changes per user; a further check cancels the oldest one. */
const MAX_CHECKED = 10;
/** Retention of a bulk change without its records, in days. */
const RECORD_DAYS = 365;
/** Maximum number of records in a slice, which a transaction changes. */
const SLICE = 100;

/**
 * Creates a bulk change, which other jobs make or check. The records are those that are selected at
 * this moment.
 *
 * @throws Refusal `unprocessable_entity` for a wrong selection or change, `forbidden` for a domain
 *   of another workspace, `conflict` if too many bulk changes are in progress
 */
async function createBulkChange(
  { id, kind, userId, selection, data, replacement, dryRun }: NewBulkChange,
  job: JobContext,
): Promise<BulkChangeRecord> {
  const { projectId } = job;
  const record = await runIdempotent(job, async (trx) => {
    await refuseTooManyOpen(projectId, trx);
    if (dryRun) await cancelOldChecks(projectId, userId, trx);
    const changes = toSharedChanges(projectId, { ...data });
    resolve(changes, await loadReferences(trx, projectId, [changes]));
    await BULK_KINDS[kind].checkReferences(trx, projectId, changes);
    const records = await BULK_KINDS[kind].listNames(projectId, selection, MAX_RECORDS + 1);
    const items = Array.isArray(selection)
      ? namedItems(selection, records)
      : selectedItems(records);
    const row = await BulkChange.add(
      projectId,
      {
        id,
        kind,
        state: dryRun ? 'checking' : 'queued',
        user_id: userId,
        limits: currentLimits() ?? null,
        actor: job.actor ?? null,
        data,
        replacement,
        total: items.length,
      },
      trx,
    );
    const isMove = changes.domain !== undefined;
    await addItems(trx, row, isMove ? slicedByKey(items) : sliced(items));
    return toBulkChange(row);
  });
  await wakeBulkChanges(projectId);
  return record;
}

async function refuseTooManyOpen(projectId: string, trx: Db): Promise<void> {
  // Those of all callers count.
  const all = withinLimits(undefined, () => BulkChange.of(projectId, trx));
  if ((await all.whereIn('state', [...OPEN]).resultSize()) < MAX_OPEN) return;
  throw new Refusal(
    'conflict',
    `The workspace must not have more than ${MAX_OPEN} bulk changes in progress; cancel some, or wait until one ends`,
  );
}

/** Cancels the oldest checks of a user, whose dialogs were left without a start or a cancel. */
const cancelOldChecks = (projectId: string, userId: string, trx: Db): Promise<unknown> =>
  execute(
    trx,
    `WITH old AS MATERIALIZED (
       SELECT project_id, id FROM bulk_changes
        WHERE project_id = ? AND user_id = ? AND state = 'checked'
        ORDER BY ended_at DESC, id DESC OFFSET ? FOR UPDATE)
     UPDATE bulk_changes b SET state = 'cancelled', ended_at = now()
       FROM old WHERE b.project_id = old.project_id AND b.id = old.id AND b.state = 'checked'`,
    [projectId, userId, MAX_CHECKED - 1],
  );

/** A record to change. */
interface NewItem {
  id: string;
  /** Absent if there is no such record. */
  place?: { domain: string; key: string };
}

/** The records of ids, each once, in the order of the ids. */
function namedItems(ids: readonly string[], records: readonly RecordNames[]): NewItem[] {
  const byId = new Map(records.map((record) => [record.id, record]));
  const byExternalId = new Map(records.map((record) => [record.externalId, record]));
  const items = ids.map((ref): NewItem => {
    const externalId = externalIdIn(ref);
    const record = externalId === undefined ? byId.get(ref) : byExternalId.get(externalId);
    return record === undefined ? { id: ref } : { id: record.id, place: record };
  });
  return [...new Map(items.map((item) => [item.id, item])).values()];
}

/** @throws Refusal `unprocessable_entity` if there are none, or too many */
function selectedItems(records: readonly RecordNames[]): NewItem[] {
  if (records.length > 0 && records.length <= MAX_RECORDS) {
    return records.map((record) => ({ id: record.id, place: record }));
  }
  throw new Refusal(
    'unprocessable_entity',
    records.length === 0
      ? 'filter must match at least one record'
      : `filter must match at most ${MAX_RECORDS} records`,
  );
}

/** An item with the number of its slice. */
type SlicedItem = NewItem & { slice: number };

/** Divides items into slices. */
const sliced = (items: readonly NewItem[]): SlicedItem[] =>
  items.map((item, at) => ({ ...item, slice: Math.floor(at / SLICE) }));

/**
 * Divides items into slices, sorted by their keys: a change of the domain then claims names in the
 * same order as other bulk writes. Records with one key are in the same slice, where a check finds
 * them.
 */
function slicedByKey(items: readonly NewItem[]): SlicedItem[] {
  const sorted = items
    .map((item) => ({ item, key: item.place && withoutCase(item.place.key) }))
    .toSorted(({ key: a = '' }, { key: b = '' }) => (a === b ? 0 : a < b ? -1 : 1));
  let slice = 0;
  let size = 0;
  return sorted.map(({ item, key }, at) => {
    if (size >= SLICE && (key === undefined || sorted[at - 1]!.key !== key)) {
      slice += 1;
      size = 0;
    }
    size += 1;
    return { ...item, slice };
  });
}

async function addItems(
  trx: Db,
  { project_id, id }: BulkChange,
  items: readonly SlicedItem[],
): Promise<void> {
  await execute(
    trx,
    `INSERT INTO bulk_change_items (project_id, bulk_change_id, slice, position, record_id, name)
     SELECT :projectId, :id, item.slice, item.position - 1, item.record_id, item.name
       FROM unnest(:slices::integer[], :ids::text[], :names::text[])
            WITH ORDINALITY AS item (slice, record_id, name, position)`,
    {
      projectId: project_id,
      id,
      slices: items.map(({ slice }) => slice),
      ids: items.map((item) => item.id),
      names: items.map(({ place }) =>
        place === undefined ? null : `${place.domain}/${place.key}`,
      ),
    },
  );
}

function refuseState({ state }: BulkChange, allowed: readonly BulkState[], verb: string): void {
  if (allowed.includes(state)) return;
  throw new Refusal('conflict', `The bulk change must not be ${verb}: it is ${state}`);
}

/** Changes the row of a bulk change, and queues its next slice. @throws Refusal `not_found` */
async function command(
  job: JobContext,
  { id, kind }: BulkChangeRef,
  changesOf: (row: BulkChange) => Partial<BulkChange>,
): Promise<BulkChangeRecord> {
  const { projectId } = job;
  const changed = await runIdempotent(job, async (trx) => {
    const row = await BulkChange.lock(projectId, id, trx);
    if (row.kind !== kind) throw new Refusal('not_found', `There is no bulk change "${id}"`);
    return toBulkChange(await changeRow(BulkChange.of(projectId, trx), id, changesOf(row)));
  });
  await wakeBulkChanges(projectId);
  return changed;
}

/** @throws Refusal for a time that has passed since the check */
function refusePast({ data: { expiresAt } }: BulkChange): void {
  if (typeof expiresAt !== 'string' || Date.parse(expiresAt) > Date.now()) return;
  throw new Refusal('unprocessable_entity', 'data.expiresAt must be in the future');
}

/** Columns of a bulk change that begins with its first record, for the person of a job. */
const fromStart = ({ actor }: JobContext): Partial<BulkChange> => ({
  slice: 0,
  actor: actor ?? null,
  requested_at: new Date(),
  ended_at: null,
});

export const bulkChangeHandlers = handlers(bulkChangeJobs, {
  /** Starts a bulk change that has been checked. @throws Refusal */
  'bulkChange.start': (ref, job) =>
    command(job, ref, (row) => {
      refuseState(row, ['checking', 'checked'], 'started');
      refusePast(row);
      return {
        ...fromStart(job),
        state: 'queued',
        done: 0,
        changed: 0,
        unchanged: 0,
        refused: 0,
        examples: null,
      };
    }),

  /** Stops a bulk change after the current slice; changed records stay so. @throws Refusal */
  'bulkChange.cancel': (ref, job) =>
    command(job, ref, (row) => {
      refuseState(row, ['checking', 'checked', 'queued', 'running'], 'cancelled');
      return { state: 'cancelled', ended_at: new Date() };
    }),

  /** Sets the changed records back. @throws Refusal */
  'bulkChange.undo': (ref, job) =>
    command(job, ref, (row) => {
      refuseState(row, ['done', 'cancelled'], 'undone');
      if (!row.has_items) {
        throw new Refusal(
          'conflict',
          `The bulk change must not be undone: it ended more than ${KEPT_DAYS} days ago`,
        );
      }
      // A check that was canceled has changed nothing.
      const total = row.started_at === null ? 0 : row.changed;
      const undo = { total, undone: 0, changed: 0, gone: 0, refused: 0 };
      return { ...fromStart(job), state: 'undoing', undo };
    }),
});

export const bulkChangeBulkHandlers = handlers(bulkChangeBulkJobs, {
  'bulkChange.create': createBulkChange,
  'bulkChange.run': runBulkChange,
});

/** Queues the next slice of bulk changes whose job was lost. */
async function resumeBulkChanges(): Promise<void> {
  const open = (await db()('bulk_changes')
    .whereIn('state', [...OPEN])
    .orWhereNotNull('lookups')
    .distinct('project_id')) as { project_id: string }[];
  for (const { project_id } of open) await wakeBulkChanges(project_id);
}

/**
 * Deletes the items and examples of bulk changes {@link KEPT_DAYS} days after their end, and the
 * rest after {@link RECORD_DAYS}; of a check that was canceled, nothing stays. Those that were only
 * checked are canceled after an hour.
 */
async function pruneBulkChanges(): Promise<void> {
  await execute(
    db(),
    `UPDATE bulk_changes SET state = 'cancelled', ended_at = now()
      WHERE state = 'checked' AND ended_at < now() - interval '1 hour'`,
  );
  await execute(
    db(),
    `DELETE FROM bulk_changes
      WHERE ended_at < now() - make_interval(days => :recordDays)
         OR (has_items AND state = 'cancelled' AND started_at IS NULL
             AND ended_at < now() - make_interval(days => :keptDays))`,
    { recordDays: RECORD_DAYS, keptDays: KEPT_DAYS },
  );
  await execute(
    db(),
    `WITH ended AS (
       UPDATE bulk_changes SET has_items = false, examples = NULL
        WHERE has_items AND ended_at < now() - make_interval(days => ?)
       RETURNING project_id, id)
     DELETE FROM bulk_change_items i USING ended
      WHERE i.project_id = ended.project_id AND i.bulk_change_id = ended.id`,
    [KEPT_DAYS],
  );
}

export const bulkChangeMaintenanceHandlers = handlers(bulkChangeMaintenanceJobs, {
  'bulkChanges.resume': resumeBulkChanges,
  'bulkChanges.prune': pruneBulkChanges,
});
