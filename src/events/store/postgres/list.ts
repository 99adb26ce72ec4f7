import { bigintSql, type Db, db, rows } from '../../../infra/db.ts';
import type { StoredEvent } from '../../event.ts';
import { hasConditions } from '../../filters.ts';
import { kindOf, kindsOfFamily, type StoredKind, storedKinds } from '../../kinds.ts';
import {
  type EventSelection,
  type ListedEvent,
  type ListPage,
  type NameThen,
  NO_SUMS,
  type SaleKey,
  type StoredCustomerSums,
  type StoredSums,
} from '../store.ts';
import { countEvents } from './count.ts';
import { amountsOf } from './counters.ts';
import { filterSql, toSql } from './filters.ts';
import { listBlocks, selectEvents } from './list-blocks.ts';

/** SQL of the time of an event, in microseconds since 1970. */
const AT_MICROS = `(extract(epoch FROM occurred_at) * 1000000)::bigint AS "atMicros"`;

/** Lists events: by an index in the same order or, if few may match, by blocks. */
export async function list(
  selection: EventSelection,
  page: ListPage,
  connection: Db = db(),
): Promise<ListedEvent[]> {
  const isIndexed = !hasConditions(selection.filter) && selection.filter.domain === undefined;
  // Blocks are read from one snapshot, but the caller's transaction may see several. An event to
  // continue after excludes an offset.
  const isOther =
    connection.isTransaction === true || (page.after !== undefined && page.offset > 0);
  return isIndexed || isOther
    ? selectEvents(connection, selection, page)
    : listBlocks(selection, page);
}

export async function sumStored(
  connection: Db,
  projectId: string,
  recordIds: readonly string[],
): Promise<Map<string, StoredSums>> {
  const ofColumn = (column: 'link_id' | 'page_id') =>
    `SELECT ${column} AS id, '${column}' AS by, event, count(*) AS count, ${bigintSql('coalesce(sum(amount_cents), 0)')} AS cents
       FROM events WHERE project_id = :projectId AND ${column} = ANY(:recordIds) GROUP BY ${column}, event`;
  const events = await rows<{
    id: string;
    by: 'link_id' | 'page_id';
    event: StoredKind;
    count: number;
    cents: number;
  }>(connection, `${ofColumn('link_id')} UNION ALL ${ofColumn('page_id')}`, {
    projectId,
    recordIds,
  });
  const sums = new Map<string, StoredSums>();
  for (const { id, by, event, count, cents } of events) {
    const { counter, countsFor } = kindOf(event);
    if (!countsFor.includes(by)) continue;
    const sum = sums.get(id) ?? { ...NO_SUMS };
    const amounts = amountsOf(event, cents);
    sum[counter] += count;
    sum.saleAmountCents += amounts.sold;
    sum.refundAmountCents += amounts.refunded;
    sums.set(id, sum);
  }
  return sums;
}

export async function sumCustomers(
  connection: Db,
  projectId: string,
  customerIds: readonly string[],
): Promise<Map<string, StoredCustomerSums>> {
  const sums = await rows<StoredCustomerSums & { id: string }>(
    connection,
    `SELECT customer_id AS id, count(*) FILTER (WHERE event = 'lead')::int AS leads,
            count(*) FILTER (WHERE event = 'sale')::int AS sales,
            ${bigintSql("coalesce(sum(CASE event WHEN 'sale' THEN amount_cents WHEN 'refund' THEN -amount_cents END), 0)")} AS "saleAmountCents",
            ${bigintSql("coalesce(sum(amount_cents) FILTER (WHERE event = 'refund'), 0)")} AS "refundAmountCents"
       FROM events WHERE project_id = :projectId AND customer_id = ANY(:customerIds)
      GROUP BY customer_id`,
    { projectId, customerIds },
  );
  return new Map(sums.map(({ id, ...sum }) => [id, sum]));
}

/** Number of a customer's newest events whose clicks are listed. */
const EVENTS_WITH_CLICKS = 10_000;

export function listOfCustomer(
  projectId: string,
  customerId: string,
  { limit, after }: Pick<ListPage, 'limit' | 'after'>,
): Promise<ListedEvent[]> {
  const at = "('epoch'::timestamptz + :afterMicros * interval '1 microsecond')";
  const follows = `AND (occurred_at, id) < (${at}, :afterId) AND occurred_at <= ${at}`;
  return rows<ListedEvent>(
    db(),
    `SELECT *, ${AT_MICROS} FROM events
      WHERE project_id = :projectId AND customer_id = :customerId ${after === undefined ? '' : follows}
      ORDER BY occurred_at DESC, id DESC LIMIT :limit`,
    {
      projectId,
      customerId,
      limit,
      afterMicros: after?.atMicros ?? null,
      afterId: after?.id ?? null,
    },
  );
}

export async function listClickIds(
  projectId: string,
  customerId: string,
  max: number,
): Promise<string[]> {
  const clicks = await rows<{ id: string }>(
    db(),
    `SELECT click_id AS id FROM (
       SELECT click_id, occurred_at FROM events
        WHERE project_id = :projectId AND customer_id = :customerId
        ORDER BY occurred_at DESC LIMIT ${EVENTS_WITH_CLICKS}) AS newest
      WHERE click_id IS NOT NULL GROUP BY click_id ORDER BY max(occurred_at) DESC LIMIT :max`,
    { projectId, customerId, max },
  );
  return clicks.map(({ id }) => id);
}

export async function findVisits(
  projectId: string,
  ids: readonly string[],
): Promise<ListedEvent[]> {
  if (ids.length === 0) return [];
  return rows<ListedEvent>(
    db(),
    `SELECT *, ${AT_MICROS} FROM events
      WHERE project_id = :projectId AND id = ANY(:ids) AND event = ANY(:visits)`,
    { projectId, ids, visits: storedKinds(kindsOfFamily('visit'), 'all') },
  );
}

export async function findKnown(
  connection: Db,
  projectId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  const existing = await rows<{ id: string }>(
    connection,
    'SELECT id FROM events WHERE project_id = :projectId AND id = ANY(:ids)',
    { projectId, ids },
  );
  return new Set(existing.map(({ id }) => id));
}

export async function countUpTo(
  { projectId, kind, span: { start, end }, filter }: EventSelection,
  max: number,
): Promise<number> {
  const asSql = toSql(filter);
  const stored = storedKinds([kind], filter.traffic);
  if (hasConditions(filter)) {
    const countQuery = {
      projectId,
      span: { start, end },
      events: [kind],
      stored,
      filter: asSql,
      asked: filter,
    };
    const { counts } = await countEvents(countQuery, 'all', 'value');
    return Math.min(counts.get(kind)!.count(0), max);
  }
  const [row] = await rows<{ count: number }>(
    db(),
    `SELECT count(*)::int AS count FROM (
       SELECT 1 FROM events e
        WHERE e.project_id = :projectId AND e.event = ANY(:stored) AND e.occurred_at >= :start AND e.occurred_at < :end
          ${filterSql(asSql)} LIMIT :most) AS counted`,
    { ...asSql.bindings, projectId, stored, start, end, most: max },
  );
  return row!.count;
}

export async function findVisit(
  projectId: string,
  id: string,
  connection: Db = db(),
): Promise<StoredEvent | undefined> {
  const [row] = await rows<StoredEvent>(
    connection,
    'SELECT * FROM events WHERE project_id = :projectId AND id = :id AND event = ANY(:visits) LIMIT 1',
    { projectId, id, visits: storedKinds(kindsOfFamily('visit'), 'all') },
  );
  return row;
}

export async function findLatestLead(
  trx: Db,
  lead: { projectId: string; customerId: string; eventName: string | null },
): Promise<StoredEvent | undefined> {
  const [row] = await rows<StoredEvent>(
    trx,
    `SELECT * FROM events
      WHERE project_id = :projectId AND customer_id = :customerId AND event = 'lead'
        AND (:eventName::text IS NULL OR event_name = :eventName)
      ORDER BY occurred_at DESC, id DESC LIMIT 1`,
    lead,
  );
  return row;
}

export async function findSale(
  trx: Db,
  { projectId, eventId, customerId, invoiceId }: SaleKey,
): Promise<StoredEvent | undefined> {
  const [row] = await rows<StoredEvent>(
    trx,
    eventId === null
      ? `SELECT * FROM events
          WHERE project_id = :projectId AND customer_id = :customerId AND event = 'sale'
            AND sale->>'invoiceId' = :invoiceId
          ORDER BY occurred_at LIMIT 1`
      : "SELECT * FROM events WHERE project_id = :projectId AND id = :eventId AND event = 'sale' LIMIT 1",
    { projectId, eventId: eventId ?? '', customerId, invoiceId },
  );
  return row;
}

export async function findLeadOfClick(
  trx: Db,
  lead: { projectId: string; customerId: string; eventName: string; clickId: string },
): Promise<StoredEvent | undefined> {
  const [row] = await rows<StoredEvent>(
    trx,
    `SELECT * FROM events
      WHERE project_id = :projectId AND customer_id = :customerId AND event = 'lead'
        AND event_name = :eventName AND click_id = :clickId
      ORDER BY occurred_at, id LIMIT 1`,
    lead,
  );
  return row;
}

export async function findNewestNames(
  projectId: string,
  ids: readonly string[],
): Promise<Map<string, NameThen>> {
  const names = await rows<NameThen & { id: string }>(
    db(),
    `SELECT wanted.id, e.domain, e.key, e.url FROM unnest(:ids::text[]) AS wanted(id)
      CROSS JOIN LATERAL (SELECT domain, key, url FROM events
                           WHERE project_id = :projectId AND link_id = wanted.id
                           ORDER BY occurred_at DESC LIMIT 1) AS e`,
    { projectId, ids },
  );
  return new Map(names.map(({ id, ...name }) => [id, name]));
}

export async function findKeptNames(
  projectId: string,
  ids: readonly string[],
): Promise<Map<string, NameThen>> {
  const names = await rows<NameThen & { id: string }>(
    db(),
    `SELECT record_id AS id, domain, key, url FROM kept_names
      WHERE project_id = :projectId AND record_id = ANY(:ids)`,
    { projectId, ids },
  );
  return new Map(names.map(({ id, ...name }) => [id, name]));
}
