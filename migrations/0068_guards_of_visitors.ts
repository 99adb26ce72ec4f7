import type { Knex } from 'knex';

/**
 * The row of a guard also names the visitor of whom it is the first visit of a day. Before, a
 * second row had an id of `vis_` and the visitor in base64url.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE visit_guards ADD COLUMN visitor uuid;

    CREATE FUNCTION visitor_of_guard(id text) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
      SELECT (encode(decode(translate(substr(id, 5, 16), '-_', '+/'), 'base64'), 'hex') || '00000000')::uuid
    $$;
    UPDATE visit_guards SET visitor = visitor_of_guard(id) WHERE id ~ '^vis_[A-Za-z0-9_-]{16}$';
    CREATE UNIQUE INDEX visit_guards_visitor ON visit_guards (visitor) WHERE visitor IS NOT NULL;

    -- Processes of the previous version insert such rows until they end.
    CREATE FUNCTION name_visitor() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      NEW.visitor := visitor_of_guard(NEW.id);
      RETURN NEW;
    END $$;
    CREATE TRIGGER visit_guards_old_visitor BEFORE INSERT ON visit_guards FOR EACH ROW
      WHEN (NEW.visitor IS NULL AND starts_with(NEW.id, 'vis_')) EXECUTE FUNCTION name_visitor()`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TRIGGER visit_guards_old_visitor ON visit_guards;
    DROP INDEX visit_guards_visitor;
    INSERT INTO visit_guards (id, expires_at)
    SELECT 'vis_' || translate(encode(substring(uuid_send(visitor) FROM 1 FOR 12), 'base64'), '+/', '-_'), expires_at
      FROM visit_guards WHERE visitor IS NOT NULL
    ON CONFLICT DO NOTHING;
    ALTER TABLE visit_guards DROP COLUMN visitor;
    DROP FUNCTION name_visitor(), visitor_of_guard(text)`);
}
