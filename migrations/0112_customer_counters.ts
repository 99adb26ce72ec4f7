import type { Knex } from 'knex';

/** Number of customers that are counted at a time. */
const BATCH = 5_000;

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
  const { rows } = await knex.raw<{ rows: { project: string }[] }>(
    'SELECT id AS project FROM workspaces ORDER BY id',
  );
  for (const { project } of rows) {
    for (let after: string | undefined = ''; after !== undefined; ) {
      after = await count(knex, project, after);
    }
  }
  await knex.raw(INDEXES);
  await createSearchIndex(knex);
}

/**
 * Counts the customers of a workspace after one, from their stored events.
 *
 * @returns the last of them, if more may follow
 */
async function count(knex: Knex, project: string, after: string): Promise<string | undefined> {
  const { rows } = await knex.raw<{ rows: { id: string }[] }>(
    `SELECT id FROM customers WHERE project_id = :project AND id > :after ORDER BY id LIMIT ${BATCH}`,
    { project, after },
  );
  const [first, last] = [rows[0], rows.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  await knex.raw(COUNT, { project, first: first.id, last: last.id });
  return rows.length < BATCH ? undefined : last.id;
}

/** The events of consecutive customers are consecutive in the index by customer. */
const COUNT = `
  WITH batch AS MATERIALIZED (
    SELECT project_id, id, click_id, last_click_at, ctid AS place FROM customers
     WHERE project_id = :project AND id BETWEEN :first AND :last),
  stored AS MATERIALIZED (
    SELECT project_id, customer_id, event, occurred_at, amount_cents, click_id, link_id, domain, key,
           country, referer
      FROM events
     WHERE project_id = :project AND customer_id BETWEEN :first AND :last),
  sums AS (
    SELECT project_id, customer_id AS id, count(*) FILTER (WHERE event = 'lead') AS leads,
           count(*) FILTER (WHERE event = 'sale') AS sales,
           coalesce(sum(CASE event WHEN 'sale' THEN amount_cents WHEN 'refund' THEN -amount_cents END), 0)::bigint
             AS amount,
           coalesce(sum(amount_cents) FILTER (WHERE event = 'refund'), 0)::bigint AS refunded,
           max(occurred_at) FILTER (WHERE event IN ('lead', 'sale')) AS seen
      FROM stored GROUP BY project_id, customer_id),
  clicks AS (
    SELECT b.project_id, b.id, b.place, c.*, 0 AS copied
      FROM batch b CROSS JOIN LATERAL (
        SELECT occurred_at, link_id, domain, key, country, referer FROM events e
         WHERE e.id = b.click_id AND e.project_id = b.project_id
           AND e.event IN ('click', 'scan', 'suspect_click', 'suspect_scan') LIMIT 1) AS c
     WHERE b.click_id IS NOT NULL
    UNION ALL
    -- A click may be in another store, or no longer stored: its leads and sales have a copy.
    SELECT b.project_id, b.id, b.place, s.occurred_at, s.link_id, s.domain, s.key, s.country, s.referer, 1
      FROM batch b JOIN stored s
        ON s.project_id = b.project_id AND s.customer_id = b.id AND s.click_id = b.click_id),
  first AS MATERIALIZED (
    SELECT DISTINCT ON (project_id, id) * FROM clicks ORDER BY project_id, id, copied, occurred_at),
  named AS (
    UPDATE customers AS c
       SET first_click_at = f.occurred_at,
           first_click = jsonb_build_object('linkId', f.link_id, 'domain', f.domain, 'key', f.key,
                                            'country', f.country, 'referer', f.referer)
      FROM first f
     -- By their places, since Postgres misjudges joins with so many conditions, and workers are stopped.
     WHERE c.ctid = f.place AND c.id = f.id AND c.first_click_at IS NULL)
  INSERT INTO customer_counters
  SELECT b.project_id, b.id, coalesce(s.leads, 0), coalesce(s.sales, 0), coalesce(s.amount, 0),
         coalesce(s.refunded, 0), greatest(s.seen, b.last_click_at, f.occurred_at)
    FROM batch b LEFT JOIN sums s USING (project_id, id) LEFT JOIN first f USING (project_id, id)
  ON CONFLICT (project_id, customer_id) DO UPDATE
    SET leads = excluded.leads, sales = excluded.sales,
        sale_amount_cents = excluded.sale_amount_cents,
        refund_amount_cents = excluded.refund_amount_cents,
        last_seen_at = excluded.last_seen_at`;

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
