import type { Knex } from 'knex';

/** Amounts that wait for exchange rates, and the latest click of customers. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE pending_amounts (
      project_id text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
      event_id text COLLATE "C" NOT NULL,
      occurred_at timestamptz NOT NULL,
      -- The sale itself, or the sale of a refund, which is converted at the rate of the sale.
      sale_id text COLLATE "C" NOT NULL,
      currency text NOT NULL,
      -- Decimal places of the amounts.
      decimals smallint NOT NULL,
      -- Refunded amounts before and after a refund; 0 and the amount for a sale.
      from_amount bigint NOT NULL,
      to_amount bigint NOT NULL,
      PRIMARY KEY (project_id, event_id)
    );
    CREATE INDEX pending_amounts_currency ON pending_amounts (currency);
    -- The latest of the clicks that came with leads and sales of this release, and its time.
    ALTER TABLE customers ADD COLUMN last_click_id text COLLATE "C";
    ALTER TABLE customers ADD COLUMN last_click_at timestamptz`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE customers DROP COLUMN last_click_at;
    ALTER TABLE customers DROP COLUMN last_click_id;
    DROP TABLE pending_amounts`);
}
