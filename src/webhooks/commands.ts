import { Refusal } from '../errors.ts';
import { refuseChanged } from '../http/etag.ts';
import { found } from '../http/route.ts';
import { afterCommit, type Db, execute } from '../infra/db.ts';
import { refuseOverfull } from '../infra/overfull.ts';
import { runIdempotent } from '../jobs/run-idempotent.ts';
import { handlers } from '../queues/job.ts';
import { changeRow } from '../workspaces/change-row.ts';
import { mergeCredentials } from './credentials.ts';
import { webhookJobs } from './jobs.ts';
import { sampleOf } from './kinds.ts';
import { type Delivery, Webhook } from './model.ts';
import { insertDeliveries } from './outbox.ts';
import { deliveriesOf } from './queries.ts';
import { disable } from './receivers.ts';
import { toDelivery, toWebhook, toWebhookWithSecret } from './record.ts';
import { scopeColumns } from './scope.ts';
import { wakeWebhooks } from './wake.ts';

/**
 * Maximum number of webhooks in a workspace, since each multiplies the deliveries of every event.
 */
const MAX_WEBHOOKS = 50;
/** Time for which the previous secret stays valid, in hours. */
const OVERLAP_HOURS = 24;
const BY_OWNER = 'Disabled by its owner';

const NOT_FAILING = { failures: 0, failing_since: null, paused_until: null };
const ENABLED = { ...NOT_FAILING, disabled_at: null, disabled_reason: null };

const isSameOrigin = (a: string, b: string): boolean => new URL(a).origin === new URL(b).origin;

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

export const webhookHandlers = handlers(webhookJobs, {
  /**
   * Creates a webhook. @throws Refusal `unprocessable_entity` if there are too many, or its scope
   * names something that does not exist
   */
  'webhook.create': ({ scope, domains, folderIds, tagIds, credentials: sent, ...webhook }, job) =>
    runIdempotent(job, async (trx) => {
      const { projectId } = job;
      await refuseOverfull(trx, `webhooks ${projectId}`, {
        count: () => Webhook.of(projectId, trx).resultSize(),
        max: MAX_WEBHOOKS,
        message: `A workspace has at most ${MAX_WEBHOOKS} webhooks`,
      });
      const columns = await scopeColumns(trx, projectId, { scope, domains, folderIds, tagIds });
      const credentials = mergeCredentials(projectId, sent);
      const row = await Webhook.add(projectId, { ...webhook, ...columns, credentials }, trx);
      return toWebhookWithSecret(row);
    }),

  /**
   * Changes a webhook. @throws Refusal `not_found`, or `unprocessable_entity` if its scope names
   * something that does not exist
   */
  'webhook.update': ({ id, changes }, job) =>
    runIdempotent(job, async (trx) => {
      const { enabled, scope, domains, folderIds, tagIds, credentials, ...fields } = changes;
      const before = await Webhook.lock(job.projectId, id, trx);
      refuseChanged(job.ifMatch, toWebhook(before));
      const where = { project_id: job.projectId, id };
      const sent = { scope, domains, folderIds, tagIds };
      const columns = await scopeColumns(trx, job.projectId, sent, before);
      if (enabled === false && before.disabled_at === null) await disable(trx, where, BY_OWNER);
      const isReenabled = enabled === true && before.disabled_at !== null;
      const row = await changeRow(Webhook.of(job.projectId, trx), id, {
        ...fields,
        scope: columns.scope,
        scope_values: columns.scope_values,
        credentials: mergeCredentials(job.projectId, credentials, {
          credentials: before.credentials,
          isMoved: fields.url !== undefined && !isSameOrigin(fields.url, before.url),
        }),
        updated_at: new Date(),
        ...(isReenabled ? ENABLED : {}),
        // Failures of the earlier URL say nothing about the new one.
        ...(fields.url !== undefined && fields.url !== before.url ? NOT_FAILING : {}),
      });
      return toWebhook(row);
    }),

  /**
   * Deletes a webhook with its deliveries, and from the links and QR codes that name it. @throws
   * Refusal `not_found`
   */
  'webhook.delete': ({ id }, job) =>
    runIdempotent(job, async (trx) => {
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
    }),

  /** Replaces the secret; the previous one stays valid for a day. @throws Refusal `not_found` */
  'webhook.rotate': ({ id, secret }, job) =>
    runIdempotent(job, async (trx) => {
      const before = await Webhook.lock(job.projectId, id, trx);
      const row = await changeRow(Webhook.of(job.projectId, trx), id, {
        secret,
        updated_at: new Date(),
        previous_secret: before.secret,
        previous_secret_until: new Date(Date.now() + OVERLAP_HOURS * 3_600_000),
      });
      return toWebhookWithSecret(row);
    }),

  /**
   * Sends an example event. @throws Refusal `not_found`, or `conflict` while the webhook is
   * disabled
   */
  'webhook.test': ({ id, deliveryId, kind }, job) =>
    runIdempotent(job, async (trx) => {
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
    }),

  /**
   * Resends a delivery. @throws Refusal `not_found`, or `conflict` while the webhook is disabled
   */
  'webhook.resend': ({ id, deliveryId }, job) =>
    runIdempotent(job, async (trx) => {
      const { projectId } = job;
      await lockEnabled(trx, projectId, id);
      const [row] = await deliveriesOf(projectId, id, {}, trx)
        .where({ id: deliveryId })
        .patch(dueNow())
        .returning('*');
      const delivery = found(row, `delivery "${deliveryId}"`);
      afterCommit(trx, () => wakeWebhooks(projectId, [id]));
      return toDelivery(delivery);
    }),

  /**
   * Resends all deliveries of a period. @throws Refusal `not_found`, or `conflict` while the
   * webhook is disabled
   */
  'webhook.resendAll': ({ id, undeliveredOnly, ...times }, job) =>
    runIdempotent(job, async (trx) => {
      const { projectId } = job;
      await lockEnabled(trx, projectId, id);
      const deliveries = deliveriesOf(projectId, id, times, trx);
      if (undeliveredOnly) deliveries.whereNot({ state: 'delivered' });
      const count = await deliveries.patch(dueNow());
      afterCommit(trx, () => wakeWebhooks(projectId, [id]));
      return { count };
    }),
});
