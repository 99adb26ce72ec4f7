import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Hosts that no link of the installation may lead to, with their subdomains.
    CREATE TABLE blocked_hosts (
      host text COLLATE "C" PRIMARY KEY,
      -- For operators; visitors and owners don't see it.
      reason text NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now()
    );

    -- Version of the whole list, which redirect processes look up as one entry. One row.
    CREATE TABLE host_blocklist (
      is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
      version bigint NOT NULL DEFAULT nextval('lookup_version')
    );
    INSERT INTO host_blocklist DEFAULT VALUES;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE host_blocklist, blocked_hosts');
}
