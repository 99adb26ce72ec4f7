import type { Db } from '../infra/db.ts';
import { withoutPassword } from '../records/record.ts';
import type { WebhookKind } from '../webhooks/kinds.ts';
import { type Message, tell, withWebhooks } from '../webhooks/outbox.ts';
import { contextsOf } from './context.ts';
import type { EventName, EventRow } from './event.ts';
import type { StoredEvent } from './queries.ts';
import { toTold } from './record.ts';

/** Views are nothing that webhooks are told of. */
const KIND_OF: Record<Exclude<EventName, 'view'>, WebhookKind> = {
  click: 'link.clicked',
  scan: 'qrcode.scanned',
  lead: 'lead.created',
  sale: 'sale.created',
};

/** Has webhooks told of events, in the transaction that stores them. */
export async function tellOfEvents(trx: Db, rows: readonly EventRow[]): Promise<void> {
  const projectIds = [...new Set(rows.map(({ project_id }) => project_id))];
  for (const projectId of await withWebhooks(trx, projectIds)) {
    const own = rows.filter(({ project_id }) => project_id === projectId);
    const named = await namedWebhooks(trx, projectId, own);
    const told = own
      .filter(({ event, link_id }) => event === 'lead' || event === 'sale' || named.has(link_id))
      .map((row): StoredEvent => ({ ...row, occurred_at: new Date(row.occurred_at) }));
    if (told.length === 0) continue;
    const contextOf = await contextsOf(projectId, told, withoutPassword, trx);
    await tell(
      trx,
      projectId,
      told.flatMap((event): Message[] => {
        if (event.event === 'view') return [];
        const { occurred_at, link_id, customer_id } = event;
        return [
          {
            kind: KIND_OF[event.event],
            occurredAt: occurred_at,
            recordId: link_id,
            ...(customer_id === null ? {} : { customerId: customer_id }),
            named: named.get(link_id) ?? [],
            data: () => toTold(event, contextOf(event)),
          },
        ];
      }),
    );
  }
}

/** The webhooks that the links and QR codes of visits name, by their ids. */
async function namedWebhooks(
  trx: Db,
  projectId: string,
  rows: readonly EventRow[],
): Promise<Map<string | null, string[]>> {
  const ids = new Set(
    rows.flatMap(({ event, link_id }) =>
      (event === 'click' || event === 'scan') && link_id !== null ? [link_id] : [],
    ),
  );
  if (ids.size === 0) return new Map();
  const { rows: naming } = await trx.raw<{ rows: { id: string; webhook_ids: string[] }[] }>(
    `SELECT id, webhook_ids FROM links
      WHERE project_id = :projectId AND id = ANY(:ids) AND webhook_ids IS NOT NULL
      UNION ALL
     SELECT id, webhook_ids FROM qrcodes
      WHERE project_id = :projectId AND id = ANY(:ids) AND webhook_ids IS NOT NULL`,
    { projectId, ids: [...ids] },
  );
  return new Map(naming.map(({ id, webhook_ids }) => [id, webhook_ids]));
}
