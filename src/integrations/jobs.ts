import type { Tracked } from '../conversions/jobs.ts';
import { maintenance, writes } from '../queues/index.ts';
import { changes, HOUR_MS, job, jobsOf, MINUTE_MS, scheduled } from '../queues/job.ts';
import type { IntegrationType } from './model.ts';
import type { PaymentFact } from './payment.ts';
import type { IntegrationRecord } from './record.ts';
import type { IntegrationChanges, NewIntegration } from './schema.ts';

const audited = { audit: changes('integration') };

export const integrationJobs = jobsOf(writes, {
  /** Secrets are sealed. */
  'integration.create': job<NewIntegration & { id: string }, IntegrationRecord>(audited),
  'integration.update': job<{ id: string; changes: IntegrationChanges }, IntegrationRecord>(
    audited,
  ),
  'integration.delete': job<{ id: string }, { id: string }>(audited),
  /** Stores that a delivery came, or the reason why it was refused. */
  'integration.noted': job<DeliveryNote>(),
});

/** A delivery as its connection shows it. */
export interface DeliveryNote {
  id: string;
  at: string;
  /** Reason why it was refused; `null` if it was accepted. */
  refusal: string | null;
}

/** Number of payments that were recorded, refunded or linked. */
export interface Settled {
  count: number;
}

export const paymentJobs = jobsOf(writes, {
  /** Records what a delivery says about payments. */
  'payment.receive': job<
    { id: string; type: IntegrationType; facts: readonly PaymentFact[] },
    Tracked<Settled>
  >(),
  /** Records payments that have waited long enough for other deliveries. */
  'payments.settle': job<{ type: IntegrationType }>(),
});

export const paymentMaintenanceJobs = jobsOf(maintenance, {
  /** Finds payments that have waited long enough. */
  'payments.sweep': scheduled({ everyMs: MINUTE_MS }),
  /** Deletes what has waited too long for its payment. */
  'payments.prune': scheduled({ everyMs: HOUR_MS }),
});
