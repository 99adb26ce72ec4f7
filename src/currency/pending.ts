import { type Db, execute } from '../infra/db.ts';

/** An amount of a sale or refund for whose currency there was no rate. */
export interface PendingAmount {
  projectId: string;
  eventId: string;
  /** Time of the event, in ISO 8601 where it is a text. */
  at: string | Date;
  /** Event of the sale: the event itself unless it is a refund. */
  saleId: string;
  /** Upper-case ISO 4217 code. */
  currency: string;
  /** Number of decimal places of the amounts. */
  decimals: number;
  /** Refunded amounts before and after a refund, in minor units; 0 and the amount for a sale. */
  fromAmount: number;
  toAmount: number;
}

/** Stores amounts that wait for a rate. */
export async function addPending(trx: Db, amounts: readonly PendingAmount[]): Promise<void> {
  if (amounts.length === 0) return;
  await execute(
    trx,
    `INSERT INTO pending_amounts
       (project_id, event_id, occurred_at, sale_id, currency, decimals, from_amount, to_amount)
     SELECT "projectId", "eventId", at, "saleId", currency, decimals, "fromAmount", "toAmount"
       FROM json_to_recordset(:amounts) AS a("projectId" text, "eventId" text, at timestamptz,
              "saleId" text, currency text, decimals smallint, "fromAmount" bigint, "toAmount" bigint)
     ON CONFLICT DO NOTHING`,
    { amounts: JSON.stringify(amounts) },
  );
}

/** Lists the SQL of the columns of a pending amount, as {@link PendingAmount} names them. */
export const pendingColumns = (table: string): string =>
  `${table}.project_id AS "projectId", ${table}.event_id AS "eventId", ${table}.occurred_at AS at,
   ${table}.sale_id AS "saleId", ${table}.currency, ${table}.decimals,
   ${table}.from_amount AS "fromAmount", ${table}.to_amount AS "toAmount"`;

/** Deletes amounts that wait no longer. */
export async function deletePending(trx: Db, amounts: readonly PendingAmount[]): Promise<void> {
  await execute(
    trx,
    `DELETE FROM pending_amounts
      WHERE (project_id, event_id) IN (SELECT * FROM unnest(:projects::text[], :events::text[]))`,
    {
      projects: amounts.map(({ projectId }) => projectId),
      events: amounts.map(({ eventId }) => eventId),
    },
  );
}
