import { config } from '../config.ts';
import { errorBody, Refusal } from '../errors.ts';
import { FORMAT } from '../events/store/postgres/keep-counts.ts';
import { bigintSql, type Db, db, execute } from '../infra/db.ts';
import { inSavepoint, type Publish, runIdempotent } from '../jobs/run-idempotent.ts';
import { linkEntry } from '../links/commands.ts';
import { BLANK_LINK, LINK_TABLES, type LinkRow } from '../links/model.ts';
import { linkQueries } from '../links/queries.ts';
import { qrCodeEntry } from '../qrcodes/entry.ts';
import { BLANK_QR_CODE, QR_CODE_TABLES, type QrCodeRow } from '../qrcodes/model.ts';
import { qrCodeQueries } from '../qrcodes/queries.ts';
import type { JobContext } from '../queues/definition.ts';
import { handlers } from '../queues/job.ts';
import { passwordFingerprint } from '../short-links/apply-changes.ts';
import { refuseLoops } from '../short-links/destination.ts';
import { addToHistory, changesBetween } from '../short-links/history.ts';
import { refuseSharedWildcard } from '../short-links/key.ts';
import type { RecordKind, ShortLinkRow, ShortLinkTables } from '../short-links/model.ts';
import type { TagReference } from '../short-links/record-context.ts';
import { existingIds, loadDomains } from '../short-links/references.ts';
import { eraseEvents } from '../short-links/remove.ts';
import { leaveOutDeleted, TIMES } from '../short-links/revert.ts';
import { emptyTrash, TRASH_DAYS, type TrashRow } from '../short-links/trash.ts';
import { insert } from '../short-links/write.ts';
import { type PlacedRecord, publishRecordEvent } from '../webhooks/outbox.ts';
import { trashBulkJobs, trashJobs, trashMaintenanceJobs } from './jobs.ts';
import { lockAllTrashed, lockTrashed } from './queries.ts';
import type { Restored } from './record.ts';

/** The parts in which links and QR codes differ. */
interface Kind<Sealed extends PlacedRecord> {
  tables: ShortLinkTables;
  /** Defaults of columns that are newer than a deletion. */
  blank: object;
  entry(row: ShortLinkRow, domain: string): Promise<string>;
  get(projectId: string, id: string, trx: Db): Promise<Sealed>;
}

const LINK: Kind<Awaited<ReturnType<typeof linkQueries.get>>> = {
  tables: LINK_TABLES,
  blank: BLANK_LINK,
  entry: (row) => linkEntry(row as LinkRow),
  get: (projectId, id, trx) => linkQueries.get(projectId, id, trx),
};

const QR_CODE: Kind<Awaited<ReturnType<typeof qrCodeQueries.get>>> = {
  tables: QR_CODE_TABLES,
  blank: BLANK_QR_CODE,
  entry: (row, domain) => qrCodeEntry(row as QrCodeRow, domain),
  get: (projectId, id, trx) => qrCodeQueries.get(projectId, id, trx),
};

/** @throws Refusal `not_found` */
async function lockDeleted(
  trx: Db,
  projectId: string,
  id: string,
  kind?: RecordKind,
): Promise<TrashRow> {
  const row = await lockTrashed(trx, projectId, id);
  if (row !== undefined && (kind === undefined || row.kind === kind)) return row;
  throw new Refusal('not_found', `There is no deleted record "${id}"`);
}

/**
 * Restores a deleted record with its key, tags and counts. Deleted tags, folders, pages, webhooks
 * and templates are left out.
 *
 * @param key another key than before
 * @throws Refusal `conflict` if its key or external id is taken; `unprocessable_entity` if its
 *   domain was deleted, or a destination is blocked
 */
async function restore<Sealed extends PlacedRecord>(
  trx: Db,
  { tables, blank, entry, get }: Kind<Sealed>,
  { projectId, actor }: Pick<JobContext, 'projectId' | 'actor'>,
  deleted: TrashRow,
  publish: Publish,
  key?: string,
): Promise<Sealed> {
  const before = rowOf(deleted, blank, projectId);
  const domain = await domainOf(trx, deleted, projectId, before);
  const row = key === undefined ? { ...before } : { ...before, key };
  if (key !== undefined) {
    refuseLoops(row, domain);
    refuseSharedWildcard(key, domain);
  }
  await leaveOutDeleted(trx, row);
  const present = await existingIds(trx, 'tags', projectId, deleted.tag_ids);
  const tags: TagReference[] = deleted.tag_ids
    .filter((id) => present.has(id))
    .map((id) => ({ id, name: '' }));
  const draft = { row, domain, tags, drawKey: undefined, entry: () => entry(row, domain) };
  const [inserted] = await insert(trx, tables, [draft], publish);
  if (inserted instanceof Refusal) throw inserted;
  await restoreCounts(trx, projectId, deleted);
  await addToHistory(trx, {
    action: 'restored',
    actor,
    row,
    changes: changesBetween(before, row, {}),
  });
  await trx('trash').where({ project_id: projectId, id: row.id }).delete();
  return get(projectId, row.id, trx);
}

/** Restores a single record, and publishes its webhook event. @throws Refusal as {@link restore} */
function restoreOne<Sealed extends PlacedRecord>(
  kind: Kind<Sealed>,
  job: JobContext,
  { id, key }: { id: string; key?: string | undefined },
): Promise<Sealed> {
  const { projectId } = job;
  return runIdempotent(job, async (trx, publish) => {
    const deleted = await lockDeleted(trx, projectId, id, kind.tables.kind);
    const record = await restore(trx, kind, job, deleted, publish, key);
    await publishRecordEvent(trx, projectId, `${kind.tables.kind}.created`, record);
    return record;
  });
}

function rowOf(
  { record, password }: TrashRow,
  blank: object,
  projectId: string,
): ShortLinkRow & { url: string | null } {
  const columns = Object.entries(record).map(([name, value]) => [
    name,
    TIMES.has(name) && typeof value === 'string' ? new Date(value) : value,
  ]);
  const row = { ...blank, ...Object.fromEntries(columns), password } as ShortLinkRow & {
    url: string | null;
  };
  // The key of fingerprints can have changed since.
  row.password_fingerprint = password === null ? null : passwordFingerprint(projectId, password);
  return row;
}

/** @throws Refusal `unprocessable_entity` for a deleted domain */
async function domainOf(
  trx: Db,
  { id }: TrashRow,
  projectId: string,
  { domain_id }: ShortLinkRow,
): Promise<string> {
  const domain = (await loadDomains(trx, projectId)).find((one) => one.id === domain_id);
  if (domain !== undefined) return domain.slug;
  throw new Refusal(
    'unprocessable_entity',
    `The domain of "${id}" was deleted: it cannot be restored`,
  );
}

/** Columns of `counters` that are added up. */
const SUMS = [
  'visits',
  'suspects',
  'leads',
  'sales',
  'refunds',
  'sale_amount_cents',
  'refund_amount_cents',
];

/** Adds the counts before the deletion to what was counted since. */
async function restoreCounts(
  trx: Db,
  projectId: string,
  { id, is_announced }: TrashRow,
): Promise<void> {
  const bindings = { projectId, id };
  await execute(
    trx,
    `INSERT INTO counters AS c (project_id, record_id, ${SUMS.join(', ')}, last_visit_at, rolled_from)
     SELECT t.project_id, t.id, ${SUMS.map((name) => `coalesce(k.${name}, 0)`).join(', ')}, k.last_visit_at,
            k.rolled_from
       FROM trash t CROSS JOIN LATERAL jsonb_populate_record(NULL::counters, t.counters) AS k
      WHERE t.project_id = :projectId AND t.id = :id AND t.counters IS NOT NULL
     ON CONFLICT (project_id, record_id) DO UPDATE
        SET ${SUMS.map((name) => `${name} = ${bigintSql(`c.${name}::numeric + excluded.${name}`)}`).join(', ')},
            last_visit_at = greatest(c.last_visit_at, excluded.last_visit_at),
            rolled_from = coalesce(excluded.rolled_from, c.rolled_from)`,
    bindings,
  );
  await execute(
    trx,
    // Only processes of earlier releases write rows of another format.
    `INSERT INTO kept_counts SELECT k.*
       FROM trash t
      CROSS JOIN LATERAL jsonb_array_elements(t.kept_counts) AS kept
      CROSS JOIN LATERAL jsonb_populate_record(NULL::kept_counts,
                                               kept || jsonb_build_object('format', :format::int)) AS k
      WHERE t.project_id = :projectId AND t.id = :id AND t.kept_counts IS NOT NULL`,
    { ...bindings, format: FORMAT },
  );
  // An announced expiry is no news.
  if (!is_announced) return;
  await execute(
    trx,
    'INSERT INTO expired_links (project_id, link_id) VALUES (:projectId, :id) ON CONFLICT DO NOTHING',
    bindings,
  );
}

/** Restores records independently: a refused one does not stop the others. */
function restoreEach(ids: readonly string[], job: JobContext): Promise<Restored[]> {
  return runIdempotent(job, async (trx, publish) => {
    await lockAllTrashed(trx, job.projectId, ids);
    const outcomes = new Map<string, Restored>();
    // In the order in which the counting of visits locks counters.
    for (const id of ids.toSorted()) {
      try {
        await inSavepoint(trx, publish, async (inner, publishInner) => {
          const deleted = await lockDeleted(inner, job.projectId, id);
          await (deleted.kind === 'link'
            ? restore(inner, LINK, job, deleted, publishInner)
            : restore(inner, QR_CODE, job, deleted, publishInner));
        });
        outcomes.set(id, { id });
      } catch (thrown) {
        if (!(thrown instanceof Refusal)) throw thrown;
        outcomes.set(id, { id, ...errorBody(thrown, config().DOCS_URL) });
      }
    }
    return ids.map((id) => outcomes.get(id)!);
  });
}

export const trashHandlers = handlers(trashJobs, {
  /** Restores a link. @throws Refusal as {@link restore} */
  'link.restore': (data, job) => restoreOne(LINK, job, data),

  /** Restores a QR code, under its printed key. @throws Refusal as {@link restore} */
  'qrcode.restore': (data, job) => restoreOne(QR_CODE, job, data),

  /** Deletes a record in the trash for good. @throws Refusal `not_found` */
  'trash.delete': ({ id, events }, job) =>
    runIdempotent(job, async (trx) => {
      const { projectId } = job;
      await lockDeleted(trx, projectId, id);
      if (events === 'remove') await eraseEvents(trx, projectId, [id]);
      await emptyTrash(trx, 't.project_id = :projectId AND t.id = :id', { projectId, id });
      return { id };
    }),
});

export const trashBulkHandlers = handlers(trashBulkJobs, {
  'trash.restore': ({ ids }, job) => restoreEach(ids, job),
});

/** Maximum number of records that one statement deletes. */
const CHUNK = 1_000;

/** Deletes records for good that have been in the trash for {@link TRASH_DAYS}. */
export async function pruneTrash(): Promise<void> {
  const expired = `(t.project_id, t.id) IN (
    SELECT project_id, id FROM trash WHERE deleted_at < now() - make_interval(days => :days) LIMIT :limit)`;
  for (;;) {
    const deleted = await emptyTrash(db(), expired, { days: TRASH_DAYS, limit: CHUNK });
    if (deleted < CHUNK) return;
  }
}

export const trashMaintenanceHandlers = handlers(trashMaintenanceJobs, {
  'trash.prune': pruneTrash,
});
