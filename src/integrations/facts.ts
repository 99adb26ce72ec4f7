import { type Db, execute, rows } from '../infra/db.ts';
import type { FactRow, IntegrationType } from './model.ts';
import type { FactData, PaymentFact } from './payment.ts';

/*
 * Facts about payments, in the transaction of a job. Facts of one payment share an id (`refs`):
 *
 *   checkout  in_1        sub_1 ─┐
 *   sale      in_1        sub_1  │ a payment, in_1, of a subscription
 *   link      in_1  pi_1         │
 *   refund          pi_1  ch_1 ──┘
 */

/** Facts of one payment processor in a workspace. */
export interface Scope {
  projectId: string;
  type: IntegrationType;
}

/** Ids by which facts are found. */
export interface Seeds {
  refs: Set<string>;
  payers: Set<string>;
  subscriptions: Set<string>;
}

/** Time for which a fact waits for those that complete it, in minutes. */
const WAIT_MINUTES = 60;
/** Time after which a fact whose payment or customer never came is deleted, in days. */
const KEPT_DAYS = 30;
/** Maximum number of facts that one job reads at a time. */
const MAX_WAITING = 500;

const COLUMNS = `id, kind, refs, subscription_id, payers, click_id, data, invoice_id,
                 (due_at IS NULL OR due_at <= now()) AS is_due`;

/** Lets no other job record facts of the scope until the transaction ends. */
export async function lockFacts(trx: Db, { projectId, type }: Scope): Promise<void> {
  await execute(trx, 'SELECT pg_advisory_xact_lock(hashtext(?))', [
    `payments ${projectId} ${type}`,
  ]);
}

/** Stores the facts of a delivery. Those that are stored already change nothing. */
export async function storeFacts(
  trx: Db,
  { projectId, type }: Scope,
  integrationId: string,
  facts: readonly PaymentFact[],
): Promise<void> {
  for (const { id, kind, references, subscriptionId, clickId, ...data } of facts) {
    const { externalId, otherIds = [] } = data.payer ?? {};
    await execute(
      trx,
      `INSERT INTO payment_facts (project_id, type, id, integration_id, kind, refs, subscription_id,
                                  payers, click_id, data, due_at)
       VALUES (:projectId, :type, :id, :integrationId, :kind, :references, :subscriptionId, :payers,
               :clickId, :data, now() + make_interval(mins => ${WAIT_MINUTES}))
       ON CONFLICT DO NOTHING`,
      {
        projectId,
        type,
        id,
        integrationId,
        kind,
        references,
        subscriptionId,
        payers: externalId === undefined ? [] : [externalId, ...otherIds],
        clickId,
        data: JSON.stringify(data satisfies FactData),
      },
    );
  }
}

/** Finds all facts of the payments that have one of these ids, and adds their other ids. */
export async function findPayment(
  trx: Db,
  { projectId, type }: Scope,
  refs: Set<string>,
): Promise<FactRow[]> {
  for (;;) {
    const before = refs.size;
    const found = await rows<FactRow>(
      trx,
      `SELECT ${COLUMNS} FROM payment_facts
        WHERE project_id = :projectId AND type = :type AND refs && :refs ORDER BY id`,
      { projectId, type, refs: [...refs] },
    );
    for (const ref of found.flatMap((row) => row.refs)) refs.add(ref);
    if (refs.size === before) return found;
  }
}

/** Finds the facts about the beginning of a subscription. */
export const findBeginnings = (
  trx: Db,
  { projectId, type }: Scope,
  subscriptionId: string,
): Promise<FactRow[]> =>
  rows<FactRow>(
    trx,
    `SELECT ${COLUMNS} FROM payment_facts
      WHERE project_id = :projectId AND type = :type AND subscription_id = :subscriptionId
        AND kind IN ('checkout', 'trial') ORDER BY id`,
    { projectId, type, subscriptionId },
  );

/** Finds the facts that are not done and have one of the ids. */
export const findWaiting = (
  trx: Db,
  { projectId, type }: Scope,
  { refs, payers, subscriptions }: Seeds,
): Promise<FactRow[]> =>
  rows<FactRow>(
    trx,
    `SELECT ${COLUMNS} FROM payment_facts
      WHERE project_id = :projectId AND type = :type AND done_at IS NULL
        AND (refs && :refs OR payers && :payers OR subscription_id = ANY(:subscriptions))
      ORDER BY created_at, id LIMIT ${MAX_WAITING}`,
    {
      projectId,
      type,
      refs: [...refs],
      payers: [...payers],
      subscriptions: [...subscriptions],
    },
  );

/** Takes facts that have waited long enough, which from now on wait for no other delivery. */
export const takeDue = (trx: Db, { projectId, type }: Scope): Promise<FactRow[]> =>
  rows<FactRow>(
    trx,
    `UPDATE payment_facts SET due_at = NULL
      WHERE (project_id, type, id) IN (
        SELECT project_id, type, id FROM payment_facts
         WHERE project_id = :projectId AND type = :type AND due_at <= now()
         ORDER BY due_at LIMIT ${MAX_WAITING})
     RETURNING ${COLUMNS}`,
    { projectId, type },
  );

/** Ends a fact, and deletes what names its customer. */
export async function endFact(
  trx: Db,
  { projectId, type }: Scope,
  id: string,
  { invoiceId = null, clickId }: { invoiceId?: string | null; clickId: string | null },
): Promise<void> {
  await execute(
    trx,
    `UPDATE payment_facts
        SET done_at = now(), data = NULL, payers = '{}', due_at = NULL, invoice_id = :invoiceId,
            click_id = :clickId
      WHERE project_id = :projectId AND type = :type AND id = :id`,
    { projectId, type, id, invoiceId, clickId },
  );
}

/** Finds the scopes with facts that have waited long enough. */
export const scopesWithDue = (connection: Db): Promise<Scope[]> =>
  rows<Scope>(
    connection,
    `SELECT DISTINCT project_id AS "projectId", type FROM payment_facts WHERE due_at <= now()`,
  );

/** Deletes facts whose payment or customer never came. */
export const pruneFacts = (connection: Db): Promise<unknown> =>
  execute(
    connection,
    `DELETE FROM payment_facts
      WHERE done_at IS NULL AND created_at < now() - make_interval(days => ${KEPT_DAYS})`,
  );
