import { type Db, db, execute, rows } from '../infra/db.ts';
import { deleteOlder } from '../infra/delete-older.ts';
import { handlers } from '../queues/job.ts';
import { webhookMaintenanceJobs } from './jobs.ts';
import { Webhook } from './model.ts';
import { publishEvents } from './outbox.ts';
import { toWebhook } from './record.ts';
import { wakeWebhooks } from './wake.ts';

/** Retention of deliveries and their attempts, in days. */
const KEPT_DAYS = 30;

/** Disables a webhook because its receiver fails, and notifies other webhooks and people. */
export async function disableFailing(
  trx: Db,
  where: { project_id: string; id: string },
  reason: string,
): Promise<void> {
  await disable(trx, where, reason);
  const webhook = await Webhook.of(where.project_id, trx).where({ id: where.id }).first();
  await publishEvents(trx, where.project_id, [
    {
      kind: 'webhook.disabled',
      occurredAt: new Date(),
      recordId: null,
      about: where.id,
      data: () => toWebhook(webhook!),
    },
  ]);
}

/** Disables a webhook and holds its pending deliveries. */
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

/** Holds the pending deliveries of a webhook, if it is still disabled when its row is locked. */
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

/** Holds the pending deliveries of a webhook. */
export async function holdPending(
  trx: Db,
  { project_id, id }: { project_id: string; id: string },
): Promise<void> {
  await trx('webhook_deliveries')
    .where({ project_id, webhook_id: id, state: 'pending' })
    .update({ state: 'held', next_attempt_at: null });
}

/** Queues a job for every webhook with a due delivery. */
export async function sweepWebhooks(): Promise<void> {
  const webhooks = await rows<{ id: string; project_id: string }>(
    db(),
    `SELECT w.id, w.project_id FROM webhooks w
      WHERE (w.paused_until IS NULL OR w.paused_until <= now())
        AND EXISTS (SELECT 1 FROM webhook_deliveries d
                     WHERE d.webhook_id = w.id AND d.state = 'pending' AND d.next_attempt_at <= now())`,
  );
  for (const { id, project_id } of webhooks) wakeWebhooks(project_id, [id]);
}

export const webhookMaintenanceHandlers = handlers(webhookMaintenanceJobs, {
  /**
   * Deletes deliveries past their retention with their attempts, in batches that hold no lock for
   * long.
   */
  async 'webhooks.prune'() {
    await deleteOlder({
      table: 'webhook_deliveries',
      key: ['project_id', 'webhook_id', 'id'],
      since: 'created_at',
      days: KEPT_DAYS,
    });
    await execute(
      db(),
      `DELETE FROM webhook_sequences s WHERE used_at < now() - make_interval(days => ?)
          AND NOT EXISTS (SELECT 1 FROM links WHERE project_id = s.project_id AND id = s.record_id)
          AND NOT EXISTS (SELECT 1 FROM qrcodes WHERE project_id = s.project_id AND id = s.record_id)
          AND NOT EXISTS (SELECT 1 FROM trash WHERE project_id = s.project_id AND id = s.record_id)`,
      [KEPT_DAYS],
    );
  },
});
