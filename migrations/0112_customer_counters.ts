import type { Knex } from 'knex';

/** Number of customers that are counted at a time. */
const BATCH = 2_000;

/** Each batch is a transaction, so that no lock lasts, and an interrupted migration runs again. */
export const config = { transaction: false };

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE customers ADD COLUMN IF NOT EXISTS first_click_at timestamptz;
    -- Link, country and referrer of the click, which is not stored as long as its customer.
    ALTER TABLE customers ADD COLUMN IF NOT EXISTS first_click jsonb;
    -- Apart from customers: counting must not change the index of their names.
    CREATE TABLE IF NOT EXISTS customer_counters (
      project_id text COLLATE "C" NOT NULL,
      customer_id text COLLATE "C" NOT NULL,
      leads bigint NOT NULL DEFAULT 0,
      sales bigint NOT NULL DEFAULT 0,
      -- Less refunds.
      sale_amount_cents bigint NOT NULL DEFAULT 0,
      refund_amount_cents bigint NOT NULL DEFAULT 0,
      last_seen_at timestamptz,
      PRIMARY KEY (project_id, customer_id),
      FOREIGN KEY (project_id, customer_id) REFERENCES customers ON DELETE CASCADE
    ) WITH (parallel_workers = 0)`);
  for (let last = ['', '']; ; ) {
    const batch = await count(knex, last);
    if (batch.length < BATCH) break;
    const { project_id, id } = batch.at(-1)!;
    last = [project_id, id];
  }
  await knex.raw(INDEXES);
  await createSearchIndex(knex);
}

/** Counts the customers after one, from their stored events. */
async function count(
  knex: Knex,
  [project, id]: readonly string[],
): Promise<{ project_id: string; id: string }[]> {
  const { rows } = await knex.raw<{ rows: { project_id: string; id: string }[] }>(
    `WITH batch AS MATERIALIZED (
       SELECT project_id, id, click_id, last_click_at FROM customers
        WHERE (project_id, id) > (:project, :id) ORDER BY project_id, id LIMIT ${BATCH}),
     first AS MATERIALIZED (
       SELECT b.project_id, b.id, c.*
         FROM batch b CROSS JOIN LATERAL (
           -- A click may be in another store, or no longer stored: its first lead or sale has a copy.
           SELECT e.occurred_at, e.link_id, e.domain, e.key, e.country, e.referer FROM (
             (SELECT * FROM events WHERE id = b.click_id AND project_id = b.project_id
                 AND event IN ('click', 'scan', 'suspect_click', 'suspect_scan') LIMIT 1)
             UNION ALL
             (SELECT * FROM events
               WHERE project_id = b.project_id AND customer_id = b.id AND click_id = b.click_id
               ORDER BY occurred_at LIMIT 1)) AS e
            ORDER BY e.id <> b.click_id LIMIT 1) AS c
        WHERE b.click_id IS NOT NULL),
     named AS (
       UPDATE customers AS c
          SET first_click_at = f.occurred_at,
              first_click = jsonb_build_object('linkId', f.link_id, 'domain', f.domain, 'key', f.key,
                                               'country', f.country, 'referer', f.referer)
         FROM first f
        WHERE c.project_id = f.project_id AND c.id = f.id AND c.first_click_at IS NULL),
     counted AS (
       INSERT INTO customer_counters AS counters
       SELECT b.project_id, b.id, s.leads, s.sales, s.amount, s.refunded,
              greatest(s.seen, b.last_click_at, (SELECT f.occurred_at FROM first f
                                                  WHERE f.project_id = b.project_id AND f.id = b.id))
         FROM batch b CROSS JOIN LATERAL (
           SELECT count(*) FILTER (WHERE event = 'lead') AS leads,
                  count(*) FILTER (WHERE event = 'sale') AS sales,
                  coalesce(sum(CASE event WHEN 'sale' THEN amount_cents
                                          WHEN 'refund' THEN -amount_cents END), 0)::bigint AS amount,
                  coalesce(sum(amount_cents) FILTER (WHERE event = 'refund'), 0)::bigint AS refunded,
                  max(occurred_at) FILTER (WHERE event IN ('lead', 'sale')) AS seen
             FROM events e WHERE e.project_id = b.project_id AND e.customer_id = b.id) AS s
       ON CONFLICT (project_id, customer_id) DO UPDATE
         SET leads = excluded.leads, sales = excluded.sales,
             sale_amount_cents = excluded.sale_amount_cents,
             refund_amount_cents = excluded.refund_amount_cents,
             last_seen_at = excluded.last_seen_at)
     SELECT project_id, id FROM batch ORDER BY project_id, id`,
    { project: project!, id: id! },
  );
  return rows;
}

const INDEXES = `
  CREATE INDEX IF NOT EXISTS customer_counters_leads
    ON customer_counters (project_id, leads, customer_id);
  CREATE INDEX IF NOT EXISTS customer_counters_sales
    ON customer_counters (project_id, sales, customer_id);
  CREATE INDEX IF NOT EXISTS customer_counters_sale_amount
    ON customer_counters (project_id, sale_amount_cents, customer_id);
  CREATE INDEX IF NOT EXISTS customer_counters_last_seen
    ON customer_counters (project_id, (coalesce(last_seen_at, '-infinity'::timestamptz)), customer_id);
  CREATE INDEX IF NOT EXISTS customers_first_click
    ON customers (project_id, (coalesce(first_click_at, '-infinity'::timestamptz)), id);
  CREATE INDEX IF NOT EXISTS customers_country ON customers (project_id, (coalesce(country, '')), id)`;

/** A server may lack the extension: searches read all customers of a workspace then. */
async function createSearchIndex(knex: Knex): Promise<void> {
  await knex.raw(`
    DO $$
    DECLARE
      home text;
    BEGIN
      SELECT extnamespace::regnamespace INTO home FROM pg_extension WHERE extname = 'pg_trgm';
      IF home IS NULL THEN RETURN; END IF;
      EXECUTE format('CREATE INDEX IF NOT EXISTS customers_search ON customers
        USING gin (name %1$s.gin_trgm_ops, email %1$s.gin_trgm_ops, external_id %1$s.gin_trgm_ops)', home);
    END $$`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP INDEX IF EXISTS customers_search;
    DROP INDEX customers_country;
    DROP TABLE customer_counters;
    ALTER TABLE customers DROP COLUMN first_click;
    ALTER TABLE customers DROP COLUMN first_click_at`);
}
