import type { EventRow, StoredEvent } from '../events/event.ts';
import { kindOf } from '../events/kinds.ts';
import { type Db, rows } from '../infra/db.ts';
import {
  publishEvents,
  type WebhookEvent,
  withoutPassword,
  withWebhooks,
} from '../webhooks/outbox.ts';
import { contextsOf } from './context.ts';
import { toEventData } from './record.ts';

/** Publishes events to the webhooks of their workspaces, in the transaction that stores them. */
export async function publishToWebhooks(trx: Db, rows: readonly EventRow[]): Promise<void> {
  if (rows.length === 0) return;
  const projectIds = [...new Set(rows.map(({ project_id }) => project_id))];
  for (const projectId of await withWebhooks(trx, projectIds)) {
    const projectRows = rows.filter(({ project_id }) => project_id === projectId);
    const named = await namedWebhooks(trx, projectId, projectRows);
    const published = projectRows
      .filter(({ event, link_id }) => kindOf(event).family === 'conversion' || named.has(link_id))
      .map((row): StoredEvent => ({ ...row, occurred_at: new Date(row.occurred_at) }));
    if (published.length === 0) continue;
    const contextOf = await contextsOf(projectId, published, withoutPassword, trx);
    await publishEvents(
      trx,
      projectId,
      published.flatMap((event): WebhookEvent[] => {
        const { webhook } = kindOf(event.event);
        if (webhook === undefined) return [];
        const { occurred_at, link_id, customer_id } = event;
        return [
          {
            kind: webhook,
            occurredAt: occurred_at,
            recordId: link_id,
            customerId: customer_id ?? undefined,
            named: named.get(link_id) ?? [],
            data: () => toEventData(event, contextOf(event)),
          },
        ];
      }),
    );
  }
}

/** Reads the webhooks that the visited links and QR codes name, by record id. */
async function namedWebhooks(
  trx: Db,
  projectId: string,
  events: readonly EventRow[],
): Promise<Map<string | null, string[]>> {
  const ids = new Set(
    events.flatMap(({ event, link_id }) =>
      kindOf(event).family === 'visit' && link_id !== null ? [link_id] : [],
    ),
  );
  if (ids.size === 0) return new Map();
  const naming = await rows<{ id: string; webhook_ids: string[] }>(
    trx,
    `SELECT id, webhook_ids FROM links
      WHERE project_id = :projectId AND id = ANY(:ids) AND webhook_ids IS NOT NULL
      UNION ALL
     SELECT id, webhook_ids FROM qrcodes
      WHERE project_id = :projectId AND id = ANY(:ids) AND webhook_ids IS NOT NULL`,
    { projectId, ids: [...ids] },
  );
  return new Map(naming.map(({ id, webhook_ids }) => [id, webhook_ids]));
}
