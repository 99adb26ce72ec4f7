import type { Db } from '../infra/db.ts';
import type { WebhookKind } from '../webhooks/kinds.ts';
import { tell } from '../webhooks/outbox.ts';
import { withoutPassword } from './record.ts';

/** Has webhooks told of a record that was made, changed or deleted, in the transaction that did it. */
export function tellOfRecord(
  trx: Db,
  projectId: string,
  kind: WebhookKind,
  record: { id: string },
): Promise<void> {
  return tell(trx, projectId, [
    { kind, occurredAt: new Date(), recordId: record.id, data: () => withoutPassword(record) },
  ]);
}
