import { Refusal } from '../errors.ts';
import { refuseChanged } from '../http/etag.ts';
import { afterCommit, type Db, execute } from '../infra/db.ts';
import { refuseOverfull } from '../infra/overfull.ts';
import { runIdempotent } from '../jobs/run-idempotent.ts';
import type { JobContext } from '../queues/definition.ts';
import { handlers } from '../queues/job.ts';
import { webhookJobs } from './jobs.ts';
import { sampleOf, type WebhookKind } from './kinds.ts';
import { type Delivery, Webhook } from './model.ts';
import { insertDeliveries } from './outbox.ts';
import { deliveriesOf } from './queries.ts';
import { disable } from './receivers.ts';
import {
  type DeliveryRecord,
  toDelivery,
  toWebhook,
  toWebhookWithSecret,
  type WebhookRecord,
  type WebhookWithSecret,
} from './record.ts';
import type { ResendBody, WebhookBody } from './schema.ts';
import { wakeWebhooks } from './wake.ts';

/**
 * Maximum number of webhooks in a workspace, since each multiplies the deliveries of every event.
 */
const MAX_WEBHOOKS = 50;
/** Time for which the previous secret stays valid, in hours. */
const OVERLAP_HOURS = 24;
const BY_OWNER = 'Disabled by its owner';

/** Creates a webhook. @throws Refusal `unprocessable_entity` if there are too many */
export function createWebhook(
  webhook: { id: string; name: string; url: string; kinds: WebhookKind[]; secret: string },
  job: JobContext,
): Promise<WebhookWithSecret> {
  return runIdempotent(job, async (trx) => {
    const { projectId } = job;
    await refuseOverfull(trx, `webhooks ${projectId}`, {
      count: () => Webhook.of(projectId, trx).resultSize(),
      max: MAX_WEBHOOKS,
      message: `A workspace has at most ${MAX_WEBHOOKS} webhooks`,
    });
    const row = await Webhook.add(projectId, webhook, trx);
    return toWebhookWithSecret(row);
  });
}

/** Changes a webhook. @throws Refusal `not_found` */
export function updateWebhook(
  { id, changes: { enabled, ...fields } }: { id: string; changes: WebhookBody },
  job: JobContext,
): Promise<WebhookRecord> {
  return runIdempotent(job, async (trx) => {
    const before = await Webhook.lock(job.projectId, id, trx);
    refuseChanged(job.ifMatch, toWebhook(before));
    const where = { project_id: job.projectId, id };
    if (enabled === false && before.disabled_at === null) await disable(trx, where, BY_OWNER);
    const isReenabled = enabled === true && before.disabled_at !== null;
    const row = await patch(trx, job.projectId, id, {
      ...fields,
      ...(isReenabled ? ENABLED : {}),
      // Failures of the earlier URL say nothing about the new one.
      ...(fields.url !== undefined && fields.url !== before.url ? NOT_FAILING : {}),
    });
    return toWebhook(row);
  });
}

const NOT_FAILING = { failures: 0, failing_since: null, paused_until: null };
const ENABLED = { ...NOT_FAILING, disabled_at: null, disabled_reason: null };

/**
 * Deletes a webhook with its deliveries, and from the links and QR codes that name it. @throws
 * Refusal `not_found`
 */
export function deleteWebhook({ id }: { id: string }, job: JobContext): Promise<{ id: string }> {
  return runIdempotent(job, async (trx) => {
    const { projectId } = job;
    refuseChanged(job.ifMatch, toWebhook(await Webhook.lock(projectId, id, trx)));
    for (const table of ['links', 'qrcodes']) {
      await execute(
        trx,
        `WITH naming AS MATERIALIZED (
           SELECT id FROM ${table} WHERE project_id = :projectId AND :id = ANY(webhook_ids)
            ORDER BY id FOR UPDATE)
         UPDATE ${table} AS r SET webhook_ids = nullif(array_remove(r.webhook_ids, :id), '{}')
           FROM naming
          WHERE r.project_id = :projectId AND r.id = naming.id`,
        { projectId, id },
      );
    }
    await Webhook.of(projectId, trx).where({ id }).delete();
    return { id };
  });
}

/** Replaces the secret; the previous one stays valid for a day. @throws Refusal `not_found` */
export function rotateSecret(
  { id, secret }: { id: string; secret: string },
  job: JobContext,
): Promise<WebhookWithSecret> {
  return runIdempotent(job, async (trx) => {
    const before = await Webhook.lock(job.projectId, id, trx);
    const row = await patch(trx, job.projectId, id, {
      secret,
      previous_secret: before.secret,
      previous_secret_until: new Date(Date.now() + OVERLAP_HOURS * 3_600_000),
    });
    return toWebhookWithSecret(row);
  });
}

/**
 * Sends an example event. @throws Refusal `not_found`, or `conflict` while the webhook is disabled
 */
export function testWebhook(
  { id, deliveryId, kind }: { id: string; deliveryId: string; kind: WebhookKind },
  job: JobContext,
): Promise<DeliveryRecord> {
  return runIdempotent(job, async (trx) => {
    const { projectId } = job;
    await lockEnabled(trx, projectId, id);
    const payload = JSON.stringify({
      type: kind,
      timestamp: new Date().toISOString(),
      sequence: null,
      data: sampleOf(kind),
    });
    const to = [{ webhook_id: id, id: deliveryId, state: 'pending' as const }];
    const subject = { record_id: null, sequence: null, customer_id: null };
    await insertDeliveries(trx, projectId, [{ ...subject, kind, payload, to }]);
    afterCommit(trx, () => wakeWebhooks(projectId, [id]));
    const delivery = await deliveriesOf(projectId, id, {}, trx).where({ id: deliveryId }).first();
    return toDelivery(delivery!);
  });
}

/** Resends a delivery. @throws Refusal `not_found`, or `conflict` while the webhook is disabled */
export function resendDelivery(
  { id, deliveryId }: { id: string; deliveryId: string },
  job: JobContext,
): Promise<DeliveryRecord> {
  return runIdempotent(job, async (trx) => {
    const { projectId } = job;
    await lockEnabled(trx, projectId, id);
    const [row] = await deliveriesOf(projectId, id, {}, trx)
      .where({ id: deliveryId })
      .patch(dueNow())
      .returning('*');
    if (row === undefined) throw new Refusal('not_found', `There is no delivery "${deliveryId}"`);
    afterCommit(trx, () => wakeWebhooks(projectId, [id]));
    return toDelivery(row);
  });
}

/**
 * Resends all deliveries of a period. @throws Refusal `not_found`, or `conflict` while the webhook
 * is disabled
 */
export function resendDeliveries(
  { id, undeliveredOnly, ...times }: ResendBody & { id: string },
  job: JobContext,
): Promise<{ count: number }> {
  return runIdempotent(job, async (trx) => {
    const { projectId } = job;
    await lockEnabled(trx, projectId, id);
    const deliveries = deliveriesOf(projectId, id, times, trx);
    if (undeliveredOnly) deliveries.whereNot({ state: 'delivered' });
    const count = await deliveries.patch(dueNow());
    afterCommit(trx, () => wakeWebhooks(projectId, [id]));
    return { count };
  });
}

const dueNow = (): Partial<Delivery> => ({
  state: 'pending',
  tries: 0,
  next_attempt_at: new Date(),
});

/**
 * Locks the row of an enabled webhook until the transaction ends; deliveries can still be inserted.
 * @throws Refusal `not_found`
 */

async function lockEnabled(trx: Db, projectId: string, id: string): Promise<void> {
  const { disabled_reason, disabled_at } = await Webhook.lock(projectId, id, trx);
  if (disabled_at === null) return;
  throw new Refusal('conflict', `The webhook is disabled: ${disabled_reason}. Enable it first`);
}

async function patch(
  trx: Db,
  projectId: string,
  id: string,
  changes: Partial<Webhook>,
): Promise<Webhook> {
  const [row] = await Webhook.of(projectId, trx)
    .where({ id })
    .patch({ ...changes, updated_at: new Date() })
    .returning('*');
  return row!;
}

export const webhookHandlers = handlers(webhookJobs, {
  'webhook.create': createWebhook,
  'webhook.update': updateWebhook,
  'webhook.delete': deleteWebhook,
  'webhook.rotate': rotateSecret,
  'webhook.test': testWebhook,
  'webhook.resend': resendDelivery,
  'webhook.resendAll': resendDeliveries,
});
