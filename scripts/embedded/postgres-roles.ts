import type pg from 'pg';

/** Name of the service's role and database. */
export const SERVICE = 'shortlinks';
/** The superuser of a private server, which no process of the service uses. */
const SUPERUSER = 'postgres';
/** Role that exists within one transaction, since no session can rename its own role. */
const RENAMING = 'shortlinks_renaming';

/**
 * SQL: statements that give the role of the service everything the superuser owns in this database.
 */
const TAKE_OVER = `
  SELECT format('ALTER TABLE %s OWNER TO ${SERVICE}', c.oid::regclass) AS statement
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
   WHERE c.relowner = 10 AND n.nspname !~ '^(pg_|information_schema$)'
     AND (c.relkind IN ('r', 'p', 'v', 'm') OR c.relkind = 'S' AND NOT EXISTS (
           SELECT FROM pg_depend d
            WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype IN ('a', 'i')))
  UNION ALL
  SELECT format('ALTER ROUTINE %s OWNER TO ${SERVICE}', p.oid::regprocedure)
    FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
   WHERE p.proowner = 10 AND n.nspname !~ '^(pg_|information_schema$)'`;

/**
 * Makes the role of the service an ordinary one that owns its database, so that an injected
 * statement can neither run programs nor read files of the machine. `initdb` gives the service's
 * name to the superuser, and earlier versions used it; the superuser gets another name and
 * password.
 *
 * @param client a connection of the role to its database
 */
export async function leaveSuperuser(
  client: pg.Client,
  passwords: { service: string; superuser: string },
): Promise<void> {
  const { rows: roles } = await client.query<{ isSuper: boolean }>(
    'SELECT rolsuper AS "isSuper" FROM pg_roles WHERE rolname = $1',
    [SERVICE],
  );
  if (roles[0]?.isSuper !== true) return;
  const { escapeLiteral } = client;
  const run = async (...statements: string[]) => {
    for (const statement of statements) await client.query(statement);
  };
  await run(
    'BEGIN',
    // Otherwise the server would log these statements with their passwords.
    'SET LOCAL log_min_error_statement = panic',
    'SET LOCAL log_statement = none',
    "SET LOCAL lock_timeout = '30s'",
    `CREATE ROLE ${RENAMING} SUPERUSER`,
    `SET LOCAL SESSION AUTHORIZATION ${RENAMING}`,
    `ALTER ROLE ${SERVICE} RENAME TO ${SUPERUSER}`,
    `ALTER ROLE ${SUPERUSER} PASSWORD ${escapeLiteral(passwords.superuser)}`,
    `CREATE ROLE ${SERVICE} LOGIN PASSWORD ${escapeLiteral(passwords.service)}`,
    // With SHOW data_directory, commands tell the server of their DATA_DIR from that of a copy.
    `GRANT pg_read_all_settings TO ${SERVICE}`,
    `ALTER DATABASE ${SERVICE} OWNER TO ${SERVICE}`,
  );
  const { rows: objects } = await client.query<{ statement: string }>(TAKE_OVER);
  await run(
    ...objects.map(({ statement }) => statement),
    'RESET SESSION AUTHORIZATION',
    `DROP ROLE ${RENAMING}`,
    'COMMIT',
  );
}
