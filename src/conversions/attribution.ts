import type { StoredEvent } from '../events/queries.ts';
import type { Db } from '../infra/db.ts';

/**
 * The lead that a sale belongs to: the latest of the customer.
 *
 * @param eventName of these leads only; case counts
 */
export async function findLead(
  trx: Db,
  projectId: string,
  customerId: string,
  eventName: string | null,
): Promise<StoredEvent | undefined> {
  const { rows } = await trx.raw<{ rows: StoredEvent[] }>(
    `SELECT * FROM events
      WHERE project_id = :projectId AND customer_id = :customerId AND event = 'lead'
        AND (:eventName::text IS NULL OR event_name = :eventName)
      ORDER BY occurred_at DESC, id DESC LIMIT 1`,
    { projectId, customerId, eventName } as unknown as Record<string, string>,
  );
  return rows[0];
}
