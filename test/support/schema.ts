import type { Knex } from '../../src/infra/db.ts';

/**
 * SQL: condition of the service's relations, without those of Knex, and without partitions of
 * events, which depend on the day.
 */
const OURS = `relnamespace = 'public'::regnamespace AND relname !~ '^(events_\\d|knex_)'`;

const PARTS = {
  relations: `SELECT relname, relkind, reloptions FROM pg_class WHERE ${OURS}`,
  columns: `
    SELECT relname, row_number() OVER (PARTITION BY relname ORDER BY attnum) AS place, attname,
           format_type(atttypid, atttypmod), attnotnull, attidentity, attgenerated, attstorage,
           collname, pg_get_expr(adbin, adrelid) AS value
      FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
      LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
      LEFT JOIN pg_collation ON pg_collation.oid = attcollation
     WHERE ${OURS} AND relkind IN ('r', 'p', 'v') AND attnum > 0 AND NOT attisdropped`,
  constraints: `
    SELECT relname, conname, pg_get_constraintdef(pg_constraint.oid)
      FROM pg_constraint JOIN pg_class ON pg_class.oid = conrelid WHERE ${OURS} AND contype <> 'n'`,
  indexes: `
    SELECT relname, pg_get_indexdef(indexrelid), indisvalid
      FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid WHERE ${OURS}`,
  functions: `SELECT proname, pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'public'::regnamespace`,
  triggers: `
    SELECT relname, pg_get_triggerdef(pg_trigger.oid)
      FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid WHERE ${OURS} AND NOT tgisinternal`,
};

/** Returns the whole schema of a database, as comparable lines. */
export async function schemaOf(db: Knex): Promise<string[]> {
  const lines: string[] = [];
  for (const [part, query] of Object.entries(PARTS)) {
    const { rows } = await db.raw<{ rows: object[] }>(query.replaceAll('?', '\\?'));
    lines.push(...rows.map((row) => `${part} ${JSON.stringify(row)}`));
  }
  return lines.toSorted();
}
