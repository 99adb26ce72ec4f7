import type { Knex } from 'knex';

const KINDS = ['click', 'scan', 'view', 'lead', 'sale'];
const SUSPECT_KINDS = ['suspect_click', 'suspect_scan', 'suspect_view'];

/** Versions that processes of this release give to what they derive from events. */
const VERSION = 3;

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Visits that may be those of programs have kinds of their own, and the reason.
    ALTER TABLE events DROP CONSTRAINT events_event_check;
    ALTER TABLE events ADD CONSTRAINT events_event_check
      CHECK (event IN (${[...KINDS, ...SUSPECT_KINDS].map((kind) => `'${kind}'`).join(', ')})) NOT VALID;
    ALTER TABLE events ADD COLUMN suspect text;
    ALTER TABLE event_outbox ADD COLUMN suspect text;
    ALTER TABLE counters ADD COLUMN suspects bigint NOT NULL DEFAULT 0;
    ALTER TABLE workspaces ADD COLUMN count_suspects boolean NOT NULL DEFAULT false`);
  // Processes of the previous version would leave suspects out of blocks and sums, and their reasons out of batches.
  await changeVersion(knex, `NEW.format IS NULL OR NEW.format < ${VERSION}`);
}

export async function down(knex: Knex): Promise<void> {
  await changeVersion(knex, 'NEW.format IS NULL');
  await knex.raw(`
    ALTER TABLE workspaces DROP COLUMN count_suspects;
    ALTER TABLE counters DROP COLUMN suspects;
    ALTER TABLE event_outbox DROP COLUMN suspect;
    DELETE FROM events WHERE event IN (${SUSPECT_KINDS.map((kind) => `'${kind}'`).join(', ')});
    ALTER TABLE events DROP COLUMN suspect;
    ALTER TABLE events DROP CONSTRAINT events_event_check;
    ALTER TABLE events ADD CONSTRAINT events_event_check
      CHECK (event IN (${KINDS.map((kind) => `'${kind}'`).join(', ')})) NOT VALID`);
}

/** @param isOld SQL of a row that a process of the previous version adds or changes */
async function changeVersion(knex: Knex, isOld: string): Promise<void> {
  await knex.raw(`
    DROP TRIGGER event_blocks_old_build ON event_blocks;
    CREATE TRIGGER event_blocks_old_build BEFORE UPDATE OF size ON event_blocks
      FOR EACH ROW WHEN (NEW.size IS NOT NULL AND (${isOld})) EXECUTE FUNCTION skip_old_block()`);
  for (const table of ['event_block_sums', 'event_batches']) {
    await knex.raw(`
      DROP TRIGGER ${table}_old_version ON ${table};
      CREATE TRIGGER ${table}_old_version BEFORE INSERT ON ${table}
        FOR EACH ROW WHEN (${isOld}) EXECUTE FUNCTION refuse_old_version()`);
  }
}
