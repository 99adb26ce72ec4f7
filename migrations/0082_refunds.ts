import type { Knex } from 'knex';

const KINDS = ['click', 'scan', 'view', 'lead', 'sale'];
const SUSPECT_KINDS = ['suspect_click', 'suspect_scan', 'suspect_view'];

/** Version that processes of this release give to blocks of events and their sums. */
const VERSION = 4;

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE events DROP CONSTRAINT events_event_check;
    ALTER TABLE events ADD CONSTRAINT events_event_check
      CHECK (event IN (${list([...KINDS, 'refund', ...SUSPECT_KINDS])})) NOT VALID;
    ALTER TABLE counters ADD COLUMN refunds bigint NOT NULL DEFAULT 0;
    -- sale_amount_cents is less refunds.
    ALTER TABLE counters ADD COLUMN refund_amount_cents bigint NOT NULL DEFAULT 0;

    -- The event of the sale; sales of earlier releases are found by customer and invoice.
    ALTER TABLE invoices ADD COLUMN event_id text COLLATE "C";
    -- In minor units of the currency of the sale.
    ALTER TABLE invoices ADD COLUMN refunded bigint NOT NULL DEFAULT 0;

    -- Makes a refund count once. The id is empty for a refund of all that was left.
    CREATE TABLE refunds (
      project_id text COLLATE "C" NOT NULL,
      invoice_id text NOT NULL,
      refund_id text NOT NULL,
      fingerprint text NOT NULL,
      answer json,
      created_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (project_id, invoice_id, refund_id),
      FOREIGN KEY (project_id, invoice_id) REFERENCES invoices ON DELETE CASCADE
    )`);
  // Processes of the previous release would leave refunds out of blocks and sums.
  await refuseBefore(knex, VERSION);
}

export async function down(knex: Knex): Promise<void> {
  await refuseBefore(knex, VERSION - 1);
  await knex.raw(`
    DROP TABLE refunds;
    ALTER TABLE invoices DROP COLUMN refunded;
    ALTER TABLE invoices DROP COLUMN event_id;
    UPDATE counters SET sale_amount_cents = sale_amount_cents + refund_amount_cents
     WHERE refund_amount_cents <> 0;
    ALTER TABLE counters DROP COLUMN refund_amount_cents;
    ALTER TABLE counters DROP COLUMN refunds;
    DELETE FROM events WHERE event = 'refund';
    ALTER TABLE events DROP CONSTRAINT events_event_check;
    ALTER TABLE events ADD CONSTRAINT events_event_check
      CHECK (event IN (${list([...KINDS, ...SUSPECT_KINDS])})) NOT VALID`);
}

const list = (kinds: readonly string[]): string => kinds.map((kind) => `'${kind}'`).join(', ');

/** Refuses blocks and sums of versions before this one. */
async function refuseBefore(knex: Knex, version: number): Promise<void> {
  const isOld = `NEW.format IS NULL OR NEW.format < ${version}`;
  await knex.raw(`
    DROP TRIGGER event_blocks_old_build ON event_blocks;
    CREATE TRIGGER event_blocks_old_build BEFORE UPDATE OF size ON event_blocks
      FOR EACH ROW WHEN (NEW.size IS NOT NULL AND (${isOld})) EXECUTE FUNCTION skip_old_block();
    DROP TRIGGER event_block_sums_old_version ON event_block_sums;
    CREATE TRIGGER event_block_sums_old_version BEFORE INSERT ON event_block_sums
      FOR EACH ROW WHEN (${isOld}) EXECUTE FUNCTION refuse_old_version()`);
}
