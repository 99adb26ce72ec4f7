import { createHash } from 'node:crypto';
import { type Db, rows, type SqlValue } from '../../../infra/db.ts';
import { spellingsPattern } from '../../../infra/letter-case.ts';
import { containing } from '../../../infra/like.ts';
import {
  type Condition,
  type EventFilter,
  FILTERS,
  type FilterName,
  ignoresCase,
  keyOf,
  type Test,
} from '../../filters.ts';
import { UTM_FIELDS } from '../../utm.ts';
import { bindingOf } from './filters.ts';
import { cityKeySql } from './value-sql.ts';

/** A condition on the values of a block column. */
interface BlockCondition {
  /** Name of the column and of the list with its values. */
  column: string;
  /** SQL of the condition on values `v`. */
  sql: string;
  bindings: Record<string, SqlValue>;
  /** True for a condition that only events without a value meet. */
  isNone?: true;
  /** True for a condition that events meet whose value does not meet the SQL, or without a value. */
  excludes?: true;
}

/** Ids of the values that a condition on a column accepts. */
export interface Accepted {
  column: string;
  ids: readonly number[];
  isNone: boolean;
  /** True if all other values are accepted instead: often these are many more. */
  excludes: boolean;
}

/**
 * SQL of the part of a value `v` that a filter compares, where the column of blocks joins several
 * values by tabs: a city stands behind its country and its region.
 */
const WITHIN: Partial<Record<FilterName, string>> = {
  city: cityKeySql(textOf(3)),
  ...Object.fromEntries(UTM_FIELDS.map((name, at) => [name, textOf(at + 1)])),
};

function textOf(place: number): string {
  return `split_part(v.value, E'\\t', ${place})`;
}

/** Converts a filter to conditions, one for each column. */
function blockConditions({ records, domain, conditions = [] }: EventFilter): BlockCondition[] {
  const byColumn = new Map<string, BlockCondition>();
  for (const condition of [
    ...(records === undefined ? [] : [isAmong('record', records)]),
    ...(domain === undefined ? [] : [isAmong('domain', [domain])]),
    ...conditions.map(toBlockCondition),
  ]) {
    const previous = byColumn.get(condition.column);
    byColumn.set(
      condition.column,
      previous === undefined ? condition : joined(previous, condition),
    );
  }
  return [...byColumn.values()];
}

/** Joins conditions on one column; no two filters of a column are met without a value alone. */
function joined(one: BlockCondition, other: BlockCondition): BlockCondition {
  const { column } = one;
  const bindings = { ...one.bindings, ...other.bindings };
  if (one.excludes && other.excludes) {
    return { column, sql: `(${one.sql}) OR (${other.sql})`, bindings, excludes: true };
  }
  const parts = [one, other].map(({ sql, excludes }) => (excludes ? `NOT (${sql})` : `(${sql})`));
  return { column, sql: parts.join(' AND '), bindings };
}

/**
 * Makes the condition that a column has one of some values, using the hash index of values.
 *
 * @param binding name of the placeholder: two filters can compare one column
 */
const isAmong = (
  column: string,
  values: readonly string[],
  binding: string = column,
): BlockCondition => ({
  column,
  sql: `v.value = ANY(:${binding}) AND md5(v.value) = ANY(:${binding}Hashes)`,
  bindings: { [binding]: values, [`${binding}Hashes`]: values.map(md5) },
});

function toBlockCondition(condition: Condition): BlockCondition {
  if (!('not' in condition)) return ofTest(condition.filter, condition);
  return { ...ofTest(condition.filter, condition.not), excludes: true };
}

function ofTest(filter: FilterName, test: Test): BlockCondition {
  const { block: column } = FILTERS[filter];
  const name = bindingOf(filter);
  if ('is' in test) {
    return { column, sql: 'true', bindings: {}, ...(test.is ? {} : { isNone: true }) };
  }
  if ('contains' in test) {
    const bindings = { [name]: containing(test.contains) };
    return { column, sql: patternSql(column, `ILIKE :${name}`), bindings };
  }
  if ('containsOne' in test) {
    const bindings = { [name]: test.containsOne.map(containing) };
    return { column, sql: patternSql(column, `ILIKE ANY(:${name})`), bindings };
  }
  const text = WITHIN[filter];
  if (text === undefined) return isAmong(column, test.oneOf, name);
  if (ignoresCase(filter)) {
    const bindings = { [name]: spellingsPattern(test.oneOf) };
    return { column, sql: `${text} ~ :${name}`, bindings };
  }
  const accepted = test.oneOf.map((one) => keyOf(filter, one));
  return { column, sql: `${text} = ANY(:${name})`, bindings: { [name]: accepted } };
}

/**
 * Builds SQL that compares values of one list with patterns. Without CASE, Postgres would compare
 * those of all lists, because it tests equality with a constant after other conditions.
 */
const patternSql = (list: string, comparison: string): string =>
  `CASE WHEN v.dimension = '${list}' THEN v.value ${comparison} END`;

const md5 = (value: string) => createHash('md5').update(value).digest('hex');

/**
 * Finds the values that event kinds and a filter accept.
 *
 * @param kinds ids of the event kinds
 */
export async function findAccepted(
  trx: Db,
  projectId: string,
  filter: EventFilter,
  kinds: Iterable<number>,
): Promise<Accepted[]> {
  const conditions = blockConditions(filter);

  const ids = new Map(conditions.map(({ column }) => [column, [] as number[]]));
  const valueConditions = conditions.filter(({ isNone }) => isNone !== true);
  if (valueConditions.length > 0) {
    const accepted = await rows<{ column: string; id: number }>(
      trx,
      valueConditions
        .map(
          ({ column, sql }) =>
            `SELECT '${column}' AS column, v.id FROM event_values v
              WHERE v.project_id = :projectId AND v.dimension = '${column}' AND (${sql})`,
        )
        .join(' UNION ALL '),
      Object.assign({ projectId }, ...valueConditions.map(({ bindings }) => bindings)),
    );
    for (const { column, id } of accepted) ids.get(column)!.push(id);
  }
  const accepted = conditions.map(({ column, isNone, excludes }) => ({
    column,
    ids: ids.get(column)!.toSorted((a, b) => a - b),
    isNone: isNone === true,
    excludes: excludes === true,
  }));
  const ofKinds = [...kinds].toSorted((a, b) => a - b);
  return [{ column: 'event', ids: ofKinds, isNone: false, excludes: false }, ...accepted];
}
