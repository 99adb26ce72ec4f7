import { type Db, db } from '../infra/db.ts';
import { wakeWebhooks } from './wake.ts';

const CHUNK = 10_000;
/** How long deliveries and their attempts are kept. */
const KEPT_DAYS = 30;

/** Disables a webhook; what waits for it is held. */
export async function disable(
  trx: Db,
  where: { project_id: string; id: string },
  reason: string,
): Promise<void> {
  await trx('webhooks')
    .where(where)
    .update({ disabled_at: new Date(), disabled_reason: reason, paused_until: null });
  await holdPending(trx, where);
}

/** Holds what waits for a webhook, if it is still disabled once nobody else can change it. */
export async function holdDisabled(
  trx: Db,
  { project_id, id }: { project_id: string; id: string },
): Promise<void> {
  const row = (await trx('webhooks')
    .where({ project_id, id })
    .forNoKeyUpdate()
    .first('disabled_at')) as { disabled_at: Date | null } | undefined;
  if (row !== undefined && row.disabled_at !== null) await holdPending(trx, { project_id, id });
}

/** Holds what waits for a webhook. */
export async function holdPending(
  trx: Db,
  { project_id, id }: { project_id: string; id: string },
): Promise<void> {
  await trx('webhook_deliveries')
    .where({ project_id, webhook_id: id, state: 'pending' })
    .update({ state: 'held', next_attempt_at: null });
}

/** Wakes every webhook to which something is due. */
export async function sweepWebhooks(): Promise<undefined> {
  const { rows } = await db().raw<{ rows: { id: string }[] }>(
    `SELECT w.id FROM webhooks w
      WHERE (w.paused_until IS NULL OR w.paused_until <= now())
        AND EXISTS (SELECT 1 FROM webhook_deliveries d
                     WHERE d.webhook_id = w.id AND d.state = 'pending' AND d.next_attempt_at <= now())`,
  );
  wakeWebhooks(rows.map(({ id }) => id));
  return undefined;
}

/** Deletes deliveries that are older than they are kept, with their attempts, in bites that hold no lock for long. */
export async function pruneDeliveries(): Promise<undefined> {
  for (;;) {
    const { rowCount } = await db().raw<{ rowCount: number }>(
      `DELETE FROM webhook_deliveries WHERE (project_id, webhook_id, id) IN
         (SELECT project_id, webhook_id, id FROM webhook_deliveries
           WHERE created_at < now() - make_interval(days => ?) LIMIT ?)`,
      [KEPT_DAYS, CHUNK],
    );
    if (rowCount < CHUNK) break;
  }
  await db().raw(
    `DELETE FROM webhook_sequences s WHERE used_at < now() - make_interval(days => ?)
        AND NOT EXISTS (SELECT 1 FROM links WHERE project_id = s.project_id AND id = s.record_id)
        AND NOT EXISTS (SELECT 1 FROM qrcodes WHERE project_id = s.project_id AND id = s.record_id)`,
    [KEPT_DAYS],
  );
  return undefined;
}
