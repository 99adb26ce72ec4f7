import { raw } from 'objection';
import { type Db, db } from '../infra/db.ts';
import { applyFilters, type FilterTable, type Query, type RoutedFilters } from './filters.ts';
import type { RecordKind } from './kind.ts';
import type { RoutedModel, RoutedRow } from './model.ts';
import type { RecordTables } from './tables.ts';

/** A row with what its record takes from other tables. */
type WideRow<Row> = Row & {
  domain: string;
  tags: { id: string; name: string }[];
  visits: number | null;
  leads: number;
  sales: number;
  sale_amount_cents: number;
  last_visit_at: Date | null;
};

// The changes that a kind takes do not matter to those who read.
type ReadKind<Row extends RoutedRow, Sealed> = Pick<
  RecordKind<Row, never, Sealed>,
  'rows' | 'toSealed' | keyof RecordTables
>;

const tagsOf = ({ table, tags }: RecordTables) =>
  `(SELECT coalesce(json_agg(json_build_object('id', t.id, 'name', t.name) ORDER BY rt.position), '[]')
      FROM ${tags.table} rt JOIN tags t ON t.project_id = rt.project_id AND t.id = rt.tag_id
     WHERE rt.project_id = ${table}.project_id AND rt.${tags.column} = ${table}.id) AS tags`;

/** Reads of one kind of record, each within a workspace. */
export class RecordQueries<Row extends RoutedRow, Sealed, Filters extends RoutedFilters> {
  readonly #kind: ReadKind<Row, Sealed>;
  readonly #filters: FilterTable<Filters>;

  constructor(kind: ReadKind<Row, Sealed>, filters: FilterTable<Filters>) {
    this.#kind = kind;
    this.#filters = filters;
  }

  /** A record by its id. */
  find(projectId: string, id: string, connection?: Db): Promise<Sealed | undefined> {
    return this.#first(projectId, { [`${this.#kind.table}.id`]: id }, connection);
  }

  /** A record by the caller's own id. */
  findByExternalId(
    projectId: string,
    externalId: string,
    connection?: Db,
  ): Promise<Sealed | undefined> {
    return this.#first(projectId, { [`${this.#kind.table}.external_id`]: externalId }, connection);
  }

  /** A record by its domain's name and its key. */
  findByKey(projectId: string, domain: string, key: string): Promise<Sealed | undefined> {
    return this.#first(projectId, { 'd.slug': domain, [`${this.#kind.table}.key`]: key });
  }

  /** Records by their ids; those that are not there are left out. */
  async findAll(projectId: string, ids: readonly string[], connection?: Db): Promise<Sealed[]> {
    if (ids.length === 0) return [];
    const rows = await this.#wide(projectId, connection).whereIn(`${this.#kind.table}.id`, ids);
    return rows.map((row) => this.#toSealed(row));
  }

  /**
   * One page of the records that match.
   *
   * @param sort what to sort by, most or newest first
   */
  async list(
    projectId: string,
    filters: Filters,
    { sort, page, pageSize }: { sort: RecordSort; page: number; pageSize: number },
  ): Promise<Sealed[]> {
    const { table } = this.#kind;
    const orders: Record<RecordSort, string> = {
      createdAt: `${table}.created_at DESC`,
      visits: 'coalesce(c.visits, 0) DESC',
      lastClicked: 'c.last_visit_at DESC NULLS LAST',
    };
    const rows = await this.#filtered(this.#wide(projectId), filters)
      .orderByRaw(`${orders[sort]}, ${table}.id DESC`)
      .limit(pageSize)
      .offset((page - 1) * pageSize);
    return rows.map((row) => this.#toSealed(row));
  }

  /** Some of the records that match, in the order in which they were made: those after an id. */
  async listAfter(
    projectId: string,
    filters: Filters,
    { after, limit }: { after: string; limit: number },
  ): Promise<Sealed[]> {
    const { table } = this.#kind;
    const rows = await this.#filtered(this.#wide(projectId), filters)
      .where(`${table}.id`, '>', after)
      .orderBy(`${table}.id`)
      .limit(limit);
    return rows.map((row) => this.#toSealed(row));
  }

  /** How many records match. */
  count(projectId: string, filters: Filters): Promise<number> {
    return this.#filtered(this.#joined(projectId), filters).resultSize();
  }

  /** How many records match on each domain, most first. */
  async countByDomain(
    projectId: string,
    filters: Filters,
  ): Promise<{ domain: string; _count: number }[]> {
    const rows = await this.#filtered(this.#joined(projectId), filters)
      .groupBy('d.slug')
      .orderByRaw('count(*) DESC, d.slug')
      .select('d.slug as domain', raw('count(*) AS "_count"'));
    return rows as unknown as { domain: string; _count: number }[];
  }

  #filtered(query: Query, filters: Filters): Query {
    return applyFilters(query, this.#filters, filters);
  }

  async #first(
    projectId: string,
    where: Record<string, string>,
    connection?: Db,
  ): Promise<Sealed | undefined> {
    const row = await this.#wide(projectId, connection).where(where).first();
    return row === undefined ? undefined : this.#toSealed(row);
  }

  #joined(projectId: string, connection: Db = db()): Query {
    const { table } = this.#kind;
    return this.#kind
      .rows(projectId, connection)
      .join('domains as d', 'd.id', `${table}.domain_id`)
      .leftJoin('counters as c', (on) =>
        on.on('c.project_id', `${table}.project_id`).andOn('c.record_id', `${table}.id`),
      );
  }

  #wide(projectId: string, connection?: Db): Query {
    const { table } = this.#kind;
    return this.#joined(projectId, connection).select(
      `${table}.*`,
      'd.slug as domain',
      'c.visits',
      'c.leads',
      'c.sales',
      'c.sale_amount_cents',
      'c.last_visit_at',
      raw(tagsOf(this.#kind)),
    );
  }

  #toSealed(model: RoutedModel): Sealed {
    const row = model as unknown as WideRow<Row>;
    const { domain, tags, visits } = row;
    if (visits === null) return this.#kind.toSealed(row, { domain, tags });
    const counters = {
      visits,
      leads: row.leads,
      sales: row.sales,
      saleAmountCents: row.sale_amount_cents,
      lastVisitAt: row.last_visit_at,
    };
    return this.#kind.toSealed(row, { domain, tags, counters });
  }
}

/** What lists are sorted by, always descending. */
export type RecordSort = 'createdAt' | 'visits' | 'lastClicked';
