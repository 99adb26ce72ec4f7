import type { Knex } from 'knex';

/*
 * Attempts are inserted by the statement that updates their deliveries, so that none can be without its own: a check for each,
 * and the lock that it takes, tell nothing new. With deliveries their attempts are deleted as before, by a trigger.
 */

const CONSTRAINT = 'webhook_attempts_project_id_webhook_id_delivery_id_fkey';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE webhook_attempts DROP CONSTRAINT IF EXISTS ${CONSTRAINT};
    CREATE FUNCTION delete_webhook_attempts() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      DELETE FROM webhook_attempts a USING deleted d
       WHERE a.project_id = d.project_id AND a.webhook_id = d.webhook_id AND a.delivery_id = d.id;
      RETURN NULL;
    END $$;
    CREATE TRIGGER delete_attempts AFTER DELETE ON webhook_deliveries
      REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION delete_webhook_attempts();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TRIGGER delete_attempts ON webhook_deliveries;
    DROP FUNCTION delete_webhook_attempts;
    ALTER TABLE webhook_attempts ADD CONSTRAINT ${CONSTRAINT}
      FOREIGN KEY (project_id, webhook_id, delivery_id) REFERENCES webhook_deliveries ON DELETE CASCADE;
  `);
}
