import { type QueryBuilder, raw } from 'objection';
import { externalIdIn } from '../http/fields.ts';
import type { ShortLinkModel, ShortLinkTables } from './model.ts';
import type { Grouping } from './schema.ts';

/** Columns of a record that come from other tables. */
export interface JoinedColumns {
  domain: string;
  tags: { id: string; name: string }[];
  visits: number | null;
  leads: number;
  sales: number;
  sale_amount_cents: number;
  refund_amount_cents: number;
  last_visit_at: Date | null;
}

/** Number of the records of a group. */
export interface GroupCount {
  domain?: string;
  tagId?: string;
  folderId?: string;
  _count: number;
}

/** Counts the rows of a query by group, largest group first. */
export function countGroups<Row extends ShortLinkModel>(
  query: QueryBuilder<Row>,
  { table, tags }: ShortLinkTables,
  group: NonNullable<Grouping['groupBy']>,
): Promise<GroupCount[]> {
  const [field, column] = {
    domain: ['domain', 'd.slug'],
    tag: ['tagId', 'rt.tag_id'],
    folder: ['folderId', `${table}.folder_id`],
  }[group] as [keyof GroupCount, string];
  if (group === 'tag') {
    query.join(`${tags.table} as rt`, (on) =>
      on.on('rt.project_id', `${table}.project_id`).andOn(`rt.${tags.column}`, `${table}.id`),
    );
  }
  return query
    .whereNotNull(column)
    .groupBy(column)
    .orderByRaw('count(*) DESC, ??', column)
    .select(`${column} as ${field}`, raw('count(*) AS "_count"'))
    .castTo<GroupCount[]>()
    .execute();
}

/** The names of a record. */
export interface RecordNames {
  id: string;
  domain: string;
  key: string;
  title: string | null;
  externalId: string | null;
}

/** Selects the names of the rows of a query, in order of creation. */
export function namesOf<Row extends ShortLinkModel>(
  query: QueryBuilder<Row>,
  table: string,
): QueryBuilder<Row> {
  return query
    .orderBy(`${table}.id`)
    .select(
      `${table}.id`,
      'd.slug as domain',
      `${table}.key`,
      `${table}.title`,
      `${table}.external_id as externalId`,
    );
}

/** Returns true for ids in place of filters. */
export const isIds = (selection: object): selection is readonly string[] =>
  Array.isArray(selection);

/** Narrows a query to the records with these ids, or external ids after `ext_`. */
export function whereNamed<Row extends ShortLinkModel>(
  query: QueryBuilder<Row>,
  table: string,
  refs: readonly string[],
): QueryBuilder<Row> {
  const externalIds = refs.map(externalIdIn).filter((id) => id !== undefined);
  const isNamed = `(${table}.id = ANY(?) OR ${table}.external_id = ANY(?))`;
  return query.whereRaw(isNamed, [[...refs], externalIds]);
}
