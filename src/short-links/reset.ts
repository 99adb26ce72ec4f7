import { VISIT_KINDS } from '../events/kinds.ts';
import { eventsStore } from '../events/store/index.ts';
import { type Db, execute, rows } from '../infra/db.ts';
import { queueRedis } from '../infra/redis.ts';
import { runIdempotent } from '../jobs/run-idempotent.ts';
import type { JobContext } from '../queues/definition.ts';
import { forgetQuotaCount } from '../visits/quota-count.ts';
import type { SharedFilters } from './filters.ts';
import { addToHistory, entryOf, type StoredChanges } from './history.ts';
import type { ShortLinkModel, ShortLinkTables } from './model.ts';
import type { ShortLinkQueries } from './queries.ts';
import { eraseEvents } from './remove.ts';

/**
 * Deletes the events of a link or QR code, and sets its counters and its used visits back to zero.
 * A visit that is stored meanwhile is either deleted or counted.
 *
 * @returns the record
 * @throws Refusal `not_found`
 */
export async function resetRecord<Row extends ShortLinkModel, Sealed extends { id: string }>(
  records: Pick<ShortLinkQueries<Row, Sealed, SharedFilters>, 'tables' | 'lock' | 'get'>,
  job: JobContext,
  ref: string,
): Promise<Sealed> {
  const { projectId } = job;
  const record = await runIdempotent(job, async (trx) => {
    const row = await records.lock(trx, job, ref);
    const { id } = row;
    const before = await records.get(projectId, id, trx);
    await eraseEvents(trx, projectId, [id]);
    await recount(trx, records.tables, projectId, id);
    const after = await records.get(projectId, id, trx);
    const changes = countsBetween(before, after);
    await addToHistory(trx, entryOf(row, changes, { action: 'reset', actor: job.actor }));
    return after;
  });
  // After the commit, and again in a second run: the count starts from the counter in Postgres.
  await forgetQuotaCount(queueRedis(), record.id);
  return record;
}

/** Compares a record before and after a reset, which changes only its counts. */
function countsBetween(before: object, after: object): StoredChanges {
  const [old, next] = [before, after] as Readonly<Record<string, unknown>>[];
  const changed = Object.keys(next!).filter(
    (name) => JSON.stringify(old![name]) !== JSON.stringify(next![name]),
  );
  return Object.fromEntries(changed.map((name) => [name, [old![name], next![name]]]));
}

/** Sets the counters of a record to its stored events: those committed since the deletion. */
async function recount(
  trx: Db,
  { kind }: ShortLinkTables,
  projectId: string,
  id: string,
): Promise<void> {
  // From here on, visits wait to be counted, so the statements below see all that are counted.
  // Without a row, each visit that is counted later has all of its counts in a new row.
  const counters = await rows<object>(
    trx,
    'SELECT FROM counters WHERE project_id = ? AND record_id = ? FOR UPDATE',
    [projectId, id],
  );
  if (counters.length === 0) return;
  const store = eventsStore();
  const stored = (await store.sumStored(trx, projectId, [id])).get(id);
  const [newest] = await store.list(
    {
      projectId,
      kind: VISIT_KINDS[kind],
      span: { start: new Date(0), end: new Date(8.64e15) },
      filter: { records: [id] },
    },
    { limit: 1, order: 'desc', offset: 0 },
    trx,
  );
  await execute(
    trx,
    `UPDATE counters SET visits = :visits, suspects = :suspects, leads = :leads, sales = :sales, refunds = :refunds,
            sale_amount_cents = :cents, refund_amount_cents = :refundCents, last_visit_at = :lastVisitAt
      WHERE project_id = :projectId AND record_id = :id`,
    {
      visits: stored?.visits ?? 0,
      suspects: stored?.suspects ?? 0,
      leads: stored?.leads ?? 0,
      sales: stored?.sales ?? 0,
      refunds: stored?.refunds ?? 0,
      cents: stored?.saleAmountCents ?? 0,
      refundCents: stored?.refundAmountCents ?? 0,
      lastVisitAt: newest?.occurred_at ?? null,
      projectId,
      id,
    },
  );
}
