import { announced, announcedBy } from '../conversions/announced.ts';
import { refuseChanged } from '../http/etag.ts';
import { type Db, db, execute } from '../infra/db.ts';
import { refuseOverfull } from '../infra/overfull.ts';
import { followUps } from '../jobs/follow-up.ts';
import { runIdempotent } from '../jobs/run-idempotent.ts';
import { handlers } from '../queues/job.ts';
import { changeRow } from '../workspaces/change-row.ts';
import { lockFacts, pruneFacts, scopesWithDue, storeFacts, takeDue } from './facts.ts';
import { type DeliveryNote, integrationJobs, paymentJobs, paymentMaintenanceJobs } from './jobs.ts';
import { Integration } from './model.ts';
import { toIntegration } from './record.ts';
import { addSeeds, noSeeds, Settlement } from './settle.ts';

/** Maximum number of connections of a workspace. */
const MAX_INTEGRATIONS = 20;
/** Time for which the previous secret is accepted, in hours. */
const OVERLAP_HOURS = 24;
/** Maximum length of the reason of a refusal that is stored. */
const MAX_REASON = 300;

export const integrationHandlers = handlers(integrationJobs, {
  /** Creates a connection. @throws Refusal `unprocessable_entity` if there are too many */
  'integration.create': (integration, job) =>
    runIdempotent(job, async (trx) => {
      const { projectId } = job;
      await refuseOverfull(trx, `integrations ${projectId}`, {
        count: () => Integration.of(projectId, trx).resultSize(),
        max: MAX_INTEGRATIONS,
        message: `A workspace has at most ${MAX_INTEGRATIONS} connections to payment processors`,
      });
      return toIntegration(await Integration.add(projectId, integration, trx));
    }),

  /** Changes a connection; a replaced secret is accepted for a day. @throws Refusal `not_found` */
  'integration.update': ({ id, changes }, job) =>
    runIdempotent(job, async (trx) => {
      const before = await Integration.lock(job.projectId, id, trx);
      refuseChanged(job.ifMatch, toIntegration(before));
      const replaced = {
        previous_secret: before.secret,
        previous_secret_until: new Date(Date.now() + OVERLAP_HOURS * 3_600_000),
      };
      const row = await changeRow(Integration.of(job.projectId, trx), id, {
        ...changes,
        ...(changes.secret === undefined ? {} : replaced),
        updated_at: new Date(),
      });
      return toIntegration(row);
    }),

  /**
   * Deletes a connection, and what its deliveries said about payments that are not recorded. @throws
   * Refusal `not_found`
   */
  'integration.delete': ({ id }, job) =>
    runIdempotent(job, async (trx) => {
      const { projectId } = job;
      refuseChanged(job.ifMatch, toIntegration(await Integration.lock(projectId, id, trx)));
      await Integration.of(projectId, trx).where({ id }).delete();
      await execute(
        trx,
        `DELETE FROM payment_facts
          WHERE project_id = :projectId AND integration_id = :id AND done_at IS NULL`,
        { projectId, id },
      );
      return { id };
    }),

  'integration.noted': (note, { projectId }) => storeNote(db(), projectId, note),
});

/** Stores that a delivery came, unless a later one is stored. */
async function storeNote(
  connection: Db,
  projectId: string,
  { id, at, refusal }: DeliveryNote,
): Promise<void> {
  const [time, reason] =
    refusal === null ? ['last_delivery_at', ''] : ['last_refused_at', ', last_refusal = :reason'];
  await execute(
    connection,
    `UPDATE integrations SET ${time} = :at${reason}
      WHERE project_id = :projectId AND id = :id AND (${time} IS NULL OR ${time} < :at)`,
    { projectId, id, at, ...(refusal === null ? {} : { reason: refusal.slice(0, MAX_REASON) }) },
  );
}

export const paymentHandlers = handlers(paymentJobs, {
  /**
   * Records what a delivery says about payments, and the facts that waited for it. Facts that depend
   * on others wait.
   *
   * @throws Postponed while a click may not be stored yet
   */
  'payment.receive': ({ id, type, facts }, job) =>
    announced(job, async (trx, recordEvents) => {
      const { projectId } = job;
      const scope = { projectId, type };
      await lockFacts(trx, scope);
      await storeFacts(trx, scope, id, facts);
      const settlement = new Settlement(trx, job, scope, recordEvents);
      const seeds = noSeeds();
      for (const { references, subscriptionId, payer } of facts) {
        const payers = payer === null ? [] : [payer.externalId, ...payer.otherIds];
        addSeeds(seeds, { refs: [...references], payers, subscription_id: subscriptionId });
      }
      await settlement.settle(seeds);
      const at = new Date().toISOString();
      await storeNote(trx, projectId, { id, at, refusal: null });
      const [refusal] = settlement.refusals;
      if (refusal !== undefined) await storeNote(trx, projectId, { id, at, refusal });
      return { answer: { count: settlement.count }, isReplayed: false };
    }),

  /** Records the facts that have waited long enough. @throws as `payment.receive` does */
  'payments.settle': ({ type }, job) =>
    announcedBy(
      (run) => db().transaction(run),
      async (trx, recordEvents) => {
        const scope = { projectId: job.projectId, type };
        await lockFacts(trx, scope);
        const settlement = new Settlement(trx, job, scope, recordEvents);
        for (const fact of await takeDue(trx, scope)) {
          const seeds = noSeeds();
          addSeeds(seeds, fact);
          await settlement.settle(seeds);
        }
      },
    ),
});

export const paymentMaintenanceHandlers = handlers(paymentMaintenanceJobs, {
  async 'payments.sweep'() {
    for (const { projectId, type } of await scopesWithDue(db())) {
      const subject = `payments ${projectId} ${type}`;
      await followUps().wake(paymentJobs['payments.settle'], { type }, { subject, projectId });
    }
  },
  async 'payments.prune'() {
    await pruneFacts(db());
  },
});
