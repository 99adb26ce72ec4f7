import { firstClickColumns } from '../../customers/model.ts';
import type { EventRow } from '../../events/event.ts';
import { eventsStore } from '../../events/store/index.ts';
import { type Db, execute, rows } from '../../infra/db.ts';
import type { ArchiveContext } from './context.ts';

/** The first click of a customer, whose time and contents the archive does not have. */
interface UnknownClick {
  id: string;
  clickId: string;
}

/**
 * Adds time and contents to the first clicks of customers, which archives of earlier releases lack:
 * those of the click if it is stored or in these events, or else those of its first lead or sale here.
 */
export async function addFirstClicks(
  { trx, importRow }: ArchiveContext,
  events: readonly EventRow[],
): Promise<void> {
  const conversions = events.filter(
    ({ event, click_id, customer_id }) =>
      (event === 'lead' || event === 'sale') && click_id !== null && customer_id !== null,
  );
  const { project_id: projectId } = importRow;
  const customers = await unknownClicks(trx, projectId, conversions);
  if (customers.length === 0) return;
  const ids = [...new Set(customers.map(({ clickId }) => clickId))];
  const stored = await eventsStore().findVisits(projectId, ids);
  const clicks = new Map<string, Parameters<typeof firstClickColumns>[0]>();
  const byTime = conversions.toSorted((a, b) => (a.occurred_at < b.occurred_at ? 1 : -1));
  for (const row of byTime) clicks.set(row.click_id!, { ...timed(row), id: row.click_id! });
  for (const row of events) if (ids.includes(row.id)) clicks.set(row.id, timed(row));
  for (const row of stored) clicks.set(row.id, row);
  const filled = customers.flatMap(({ id, clickId }) => {
    const click = clicks.get(clickId);
    return click === undefined ? [] : [{ id, ...firstClickColumns(click) }];
  });
  await execute(
    trx,
    `UPDATE customers AS c SET first_click_at = f.first_click_at, first_click = f.first_click
       FROM json_to_recordset(:filled) AS f(id text, click_id text, first_click_at timestamptz,
                                            first_click jsonb)
      WHERE c.project_id = :projectId AND c.id = f.id AND c.click_id = f.click_id
        AND c.first_click_at IS NULL`,
    { projectId, filled: JSON.stringify(filled) },
  );
}

const timed = (row: EventRow) => ({ ...row, occurred_at: new Date(row.occurred_at) });

/** Locks the customers of leads and sales whose first click has no time. */
async function unknownClicks(
  trx: Db,
  projectId: string,
  conversions: readonly EventRow[],
): Promise<UnknownClick[]> {
  if (conversions.length === 0) return [];
  return rows<UnknownClick>(
    trx,
    `SELECT id, click_id AS "clickId" FROM customers
      WHERE project_id = :projectId AND id = ANY(:ids) AND click_id = ANY(:clickIds)
        AND first_click_at IS NULL
      ORDER BY id FOR UPDATE`,
    {
      projectId,
      ids: conversions.map(({ customer_id }) => customer_id!),
      clickIds: conversions.map(({ click_id }) => click_id!),
    },
  );
}
