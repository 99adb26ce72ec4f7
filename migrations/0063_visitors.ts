import type { Knex } from 'knex';

/** Tables whose rows carry the version of their contents. */
const VERSIONED = ['event_blocks', 'event_block_sums', 'kept_counts', 'event_batches'];

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- 'new': the first visit of a visitor on a day. Events of before have none.
    ALTER TABLE events ADD COLUMN visitor text;
    ALTER TABLE event_outbox ADD COLUMN visitor text`);
  for (const table of VERSIONED) {
    // Rows of before have the version 1; those that the previous version adds have none.
    await knex.raw(`ALTER TABLE ${table} ADD COLUMN format smallint DEFAULT 1`);
    await knex.raw(`ALTER TABLE ${table} ALTER COLUMN format DROP DEFAULT`);
  }
  await knex.raw(`
    -- Blocks that are already built contain no marks, and stay. Processes of the previous version build blocks without
    -- the marks of later events: such a block stays empty, until the new version builds it.
    CREATE OR REPLACE FUNCTION leave_block_sum() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      NEW.sum_id := NULL;
      NEW.format := NULL;
      RETURN NEW;
    END $$;
    CREATE FUNCTION skip_old_block() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RETURN NULL;
    END $$;
    CREATE TRIGGER event_blocks_old_build BEFORE UPDATE OF size ON event_blocks
      FOR EACH ROW WHEN (NEW.size IS NOT NULL AND NEW.format IS NULL) EXECUTE FUNCTION skip_old_block();

    -- The counts of their sums, and those that their retention keeps, would lack visitors too, and so would the events
    -- that they move to ClickHouse.
    CREATE FUNCTION refuse_old_version() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION 'rows of % wait until all processes run the new version', TG_TABLE_NAME;
    END $$`);
  for (const table of VERSIONED.slice(1)) {
    await knex.raw(`
      CREATE TRIGGER ${table}_old_version BEFORE INSERT ON ${table}
        FOR EACH ROW WHEN (NEW.format IS NULL) EXECUTE FUNCTION refuse_old_version()`);
  }
}

export async function down(knex: Knex): Promise<void> {
  for (const table of VERSIONED.slice(1)) {
    await knex.raw(`DROP TRIGGER ${table}_old_version ON ${table}`);
  }
  await knex.raw(`
    DROP TRIGGER event_blocks_old_build ON event_blocks;
    DROP FUNCTION refuse_old_version(), skip_old_block();
    CREATE OR REPLACE FUNCTION leave_block_sum() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      NEW.sum_id := NULL;
      RETURN NEW;
    END $$;
    DELETE FROM event_block_columns WHERE name = 'visitor';
    DELETE FROM event_block_counts WHERE event LIKE '%+visitors';
    DELETE FROM kept_counts WHERE event LIKE '%+visitors'`);
  for (const table of VERSIONED) await knex.raw(`ALTER TABLE ${table} DROP COLUMN format`);
  await knex.raw(`
    ALTER TABLE event_outbox DROP COLUMN visitor;
    ALTER TABLE events DROP COLUMN visitor`);
}
