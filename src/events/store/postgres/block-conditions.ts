import { createHash } from 'node:crypto';
import { type Db, rows, type SqlValue } from '../../../infra/db.ts';
import { containing } from '../../../infra/like.ts';
import { type EventFilter, EXACT_COLUMNS } from '../../filter.ts';
import type { EventKind } from '../../kinds.ts';
import { UTM_FIELDS } from '../../utm.ts';

/** A condition on the values of a column of blocks. */
export interface BlockCondition {
  /** The column, whose values have the list of the same name. */
  column: string;
  /** SQL on values `v`. */
  sql: string;
  bindings: Record<string, SqlValue>;
  /** Holds for events without a value, and for no others. */
  isNone?: true;
}

/** Values of blocks by their ids, as a condition accepts them. */
export interface Accepted {
  column: string;
  ids: readonly number[];
  isNone: boolean;
}

/** The conditions that events are of some kinds and match a filter, at most one for each column. */
export function blockConditions(
  filter: EventFilter,
  events: readonly EventKind[],
): BlockCondition[] {
  const { records, domain, values = {}, via, parts = {}, utm = {}, pageId, variants } = filter;
  const found: BlockCondition[] = [];
  const oneOf = (column: string, some: readonly string[]) => {
    // The index of values is one of hashes.
    const sql = `v.value = ANY(:${column}) AND md5(v.value) = ANY(:${column}Hashes)`;
    found.push({ column, sql, bindings: { [column]: some, [`${column}Hashes`]: some.map(md5) } });
  };
  oneOf('event', events);
  if (records !== undefined) oneOf('record', records);
  if (domain !== undefined) oneOf('domain', [domain]);
  for (const column of EXACT_COLUMNS) {
    const some = values[column];
    if (some === undefined) continue;
    if (column !== 'city') oneOf(column, some);
    else {
      const sql = "split_part(v.value, E'\\t', 3) = ANY(:city)";
      found.push({ column, sql, bindings: { city: some } });
    }
  }
  if (via !== undefined) oneOf('via', via);
  for (const column of ['referer', 'url'] as const) {
    const part = parts[column];
    if (part === undefined) continue;
    const bindings = { [column]: containing(part) };
    found.push({ column, sql: `v.value ILIKE :${column}`, bindings });
  }
  const named = UTM_FIELDS.flatMap((name, at) => {
    const value = utm[name];
    return value === undefined ? [] : [{ name, value, part: at + 1 }];
  });
  if (named.length > 0) {
    const sql = named.map(({ name, part }) => `split_part(v.value, E'\\t', ${part}) = :${name}`);
    const bindings = Object.fromEntries(named.map(({ name, value }) => [name, value]));
    found.push({ column: 'utm', sql: sql.join(' AND '), bindings });
  }
  if (pageId !== undefined) oneOf('page', [pageId]);
  if (variants !== undefined) oneOf('variant_name', variants);
  if (filter.isRoot === true) found.push({ column: 'root', sql: 'true', bindings: {} });
  if (filter.isRoot === false)
    found.push({ column: 'root', sql: 'false', bindings: {}, isNone: true });
  return found;
}

const md5 = (value: string) => createHash('md5').update(value).digest('hex');

/** Finds the values that conditions accept. */
export async function findAccepted(
  trx: Db,
  projectId: string,
  conditions: readonly BlockCondition[],
): Promise<Accepted[]> {
  const ids = new Map(conditions.map(({ column }) => [column, [] as number[]]));
  const asked = conditions.filter(({ isNone }) => isNone !== true);
  if (asked.length > 0) {
    const found = await rows<{ column: string; id: number }>(
      trx,
      asked
        .map(
          ({ column, sql }) =>
            `SELECT '${column}' AS column, v.id FROM event_values v
              WHERE v.project_id = :projectId AND v.dimension = '${column}' AND ${sql}`,
        )
        .join(' UNION ALL '),
      Object.assign({ projectId }, ...asked.map(({ bindings }) => bindings)),
    );
    for (const { column, id } of found) ids.get(column)!.push(id);
  }
  return conditions.map(({ column, isNone }) => ({
    column,
    ids: ids.get(column)!.toSorted((a, b) => a - b),
    isNone: isNone === true,
  }));
}
