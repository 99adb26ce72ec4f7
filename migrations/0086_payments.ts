import type { Knex } from 'knex';

/** Connections to payment processors, and what their deliveries say about payments. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE integrations (
      project_id text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
      id text COLLATE "C" NOT NULL,
      type text NOT NULL CHECK (type IN ('stripe', 'shopify')),
      name text NOT NULL,
      -- Sealed with AES-256-GCM: needed in plain to verify signatures.
      secret text NOT NULL,
      previous_secret text,
      previous_secret_until timestamptz,
      last_delivery_at timestamptz,
      last_refused_at timestamptz,
      last_refusal text,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (project_id, id)
    );
    -- Deliveries name a connection without its workspace.
    CREATE UNIQUE INDEX integrations_id ON integrations (id);

    CREATE TABLE payment_facts (
      project_id text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
      type text NOT NULL,
      -- Unique for the payment processor, so that a repeated delivery adds nothing.
      id text COLLATE "C" NOT NULL,
      integration_id text COLLATE "C" NOT NULL,
      kind text NOT NULL CHECK (kind IN ('link', 'checkout', 'trial', 'sale', 'refund')),
      -- Ids of the payment, such as invoice, payment and charge.
      refs text[] NOT NULL,
      subscription_id text,
      -- External ids of the customer; empty once done.
      payers text[] NOT NULL,
      click_id text COLLATE "C",
      -- What is to be recorded; NULL once done.
      data json,
      -- Invoice of the sale that was recorded for it.
      invoice_id text,
      -- Time from which it waits for no other delivery; NULL: that time has come.
      due_at timestamptz,
      done_at timestamptz,
      created_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (project_id, type, id)
    );
    CREATE INDEX payment_facts_refs ON payment_facts USING gin (refs);
    CREATE INDEX payment_facts_subscription ON payment_facts (project_id, type, subscription_id)
      WHERE subscription_id IS NOT NULL;
    CREATE INDEX payment_facts_payers ON payment_facts USING gin (payers) WHERE done_at IS NULL;
    CREATE INDEX payment_facts_due ON payment_facts (due_at) WHERE due_at IS NOT NULL;
    CREATE INDEX payment_facts_waiting ON payment_facts (created_at) WHERE done_at IS NULL`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE payment_facts; DROP TABLE integrations');
}
