import { type QueryBuilder, raw } from 'objection';
import { refuseChanged } from '../http/etag.ts';
import { externalIdIn } from '../http/fields.ts';
import { type Answer, found, ok, pageOf } from '../http/route.ts';
import { type Db, db } from '../infra/db.ts';
import {
  afterSql,
  orderSql,
  type Position,
  positionSql,
  type Slice,
  sliceOf,
} from '../infra/keyset.ts';
import { normalizeKey } from '../lookup/short-link.ts';
import type { JobContext } from '../queues/definition.ts';
import type { Caller } from '../workspaces/api-keys.ts';
import { findBySpelling } from './claims.ts';
import {
  applyFilters,
  type FilterTable,
  refuseHiddenFilter,
  type SharedFilters,
} from './filters.ts';
import type { ShortLinkModel, ShortLinkTables } from './model.ts';
import { endOf, orderOf, type RecordPage, startOf } from './order.ts';
import { refuseOtherWorkspace } from './project-slug.ts';
import { canReadPasswords, openPassword } from './record.ts';
import type { RecordContext } from './record-context.ts';
import {
  countGroups,
  type GroupCount,
  isIds,
  type JoinedColumns,
  namesOf,
  type RecordNames,
  whereNamed,
} from './rows.ts';
import type { Grouping } from './schema.ts';
import { applySearch, resolveSearch, type Search } from './search.ts';
import { VISITS } from './visits-sql.ts';

/** The names by which an info endpoint can look up a record. */
export interface RecordInfo {
  domain?: string | undefined;
  key?: string | undefined;
  id?: string | undefined;
  externalId?: string | undefined;
}

/** A validated request. */
interface CheckedQuery<Query> {
  caller: Caller;
  query: Query;
}

/** The parts in which reads of links and of QR codes differ. */
interface Source<Row extends ShortLinkModel, Sealed, Filters> {
  tables: ShortLinkTables;
  /** A query over the rows of a workspace. */
  rows(projectId: string, connection: Db): QueryBuilder<Row>;
  filters: FilterTable<Filters>;
  /** SQL of further columns, each with its name. */
  columns?: readonly string[];
  toRecord(row: Row, context: RecordContext): Sealed;
  /** Removes the passwords of a record, for callers who cannot write it. */
  hide(record: Sealed): object;
}

const tagsOf = ({ table, tags }: ShortLinkTables) =>
  `(SELECT coalesce(json_agg(json_build_object('id', t.id, 'name', t.name) ORDER BY rt.position), '[]')
      FROM ${tags.table} rt JOIN tags t ON t.project_id = rt.project_id AND t.id = rt.tag_id
     WHERE rt.project_id = ${table}.project_id AND rt.${tags.column} = ${table}.id) AS tags`;

/**
 * Reads and locks links or QR codes within a workspace, and answers the endpoints that read them.
 */
export class ShortLinkQueries<
  Row extends ShortLinkModel,
  Sealed extends object,
  Filters extends SharedFilters,
> {
  readonly tables: ShortLinkTables;
  readonly #source: Source<Row, Sealed, Filters>;
  readonly #table: string;

  constructor(source: Source<Row, Sealed, Filters>) {
    this.#source = source;
    this.tables = source.tables;
    this.#table = source.tables.table;
  }

  /** Reads a record by its id. */
  find(projectId: string, id: string, connection?: Db): Promise<Sealed | undefined> {
    return this.#first(projectId, { [`${this.#table}.id`]: id }, connection);
  }

  /**
   * Locks the row of a record until the transaction ends.
   *
   * @param ref the id, or `ext_` and the caller's own id
   * @throws Refusal `not_found`; `conflict` if the write expects another state of the record
   */
  async lock(
    trx: Db,
    { projectId, ifMatch }: Pick<JobContext, 'projectId' | 'ifMatch'>,
    ref: string,
  ): Promise<Row> {
    const externalId = externalIdIn(ref);
    const locked = await this.#source
      .rows(projectId, trx)
      .where(externalId === undefined ? { id: ref } : { external_id: externalId })
      .forUpdate()
      .first();
    const row = found(locked, `${this.tables.noun} "${ref}"`);
    if (ifMatch !== undefined) {
      refuseChanged(ifMatch, openPassword(await this.get(projectId, row.id, trx)));
    }
    return row;
  }

  /** Locks the rows of many records until the transaction ends. @returns ids of those that exist */
  async lockAll(trx: Db, projectId: string, refs: readonly string[]): Promise<string[]> {
    const rows = await whereNamed(this.#source.rows(projectId, trx), this.#table, refs)
      .orderBy('id')
      .forUpdate()
      .select('id');
    return rows.map(({ id }) => id);
  }

  /** Reads a record that the transaction has locked or written. */
  async get(projectId: string, id: string, trx: Db): Promise<Sealed> {
    const record = await this.find(projectId, id, trx);
    if (record === undefined) throw new Error(`record ${id} is missing from its own transaction`);
    return record;
  }

  /** Reads a record by the caller's own id. */
  findByExternalId(
    projectId: string,
    externalId: string,
    connection?: Db,
  ): Promise<Sealed | undefined> {
    return this.#first(projectId, { [`${this.#table}.external_id`]: externalId }, connection);
  }

  /** Reads a record by the name of its domain and its key, in any spelling. */
  async findByKey(projectId: string, domain: string, key: string): Promise<Sealed | undefined> {
    const exact = await this.#first(projectId, { 'd.slug': domain, [`${this.#table}.key`]: key });
    if (exact !== undefined) return exact;
    const id = await findBySpelling(projectId, domain, key);
    return id === undefined ? undefined : this.find(projectId, id);
  }

  /** Reads a record by its id, or by `ext_` and the caller's own id. */
  findByRef(projectId: string, ref: string): Promise<Sealed | undefined> {
    const externalId = externalIdIn(ref);
    return externalId === undefined
      ? this.find(projectId, ref)
      : this.findByExternalId(projectId, externalId);
  }

  /** Reads a record by id, else by external id, else by domain and key. */
  findByInfo(
    projectId: string,
    { domain, key, id, externalId }: RecordInfo,
  ): Promise<Sealed | undefined> {
    if (id !== undefined) return this.findByRef(projectId, id);
    if (externalId !== undefined) {
      return this.findByExternalId(projectId, externalIdIn(externalId) ?? externalId);
    }
    return this.findByKey(projectId, domain!, normalizeKey(key!));
  }

  /** Reads records by their ids; missing ones are left out. */
  async findAll(projectId: string, ids: readonly string[], connection?: Db): Promise<Sealed[]> {
    if (ids.length === 0) return [];
    const rows = await this.#wide(projectId, connection).whereIn(`${this.#table}.id`, ids);
    return rows.map((row) => this.#toRecord(row));
  }

  /** Reads a page of the matching records. Exact matches of a search come first. */
  async list(projectId: string, filters: Filters, query: RecordPage): Promise<Slice<Sealed>> {
    const order = orderOf(this.tables.table, query);
    const search = await this.#searchOf(projectId, filters);
    const exactIds = search?.exactIds ?? [];
    const matching = (after: Position | undefined) => {
      const rows = this.#filtered(this.#joined(projectId), projectId, filters, search);
      if (after !== undefined) rows.whereRaw(...afterSql(order, after));
      return rows.select(`${this.#table}.id`).orderByRaw(orderSql(order));
    };
    // Only the rows of the page get all columns: sorting all columns of 100,000 rows takes half a
    // second.
    const wide = this.#wide(projectId)
      .select(raw(positionSql(order)))
      .orderByRaw(`(${this.#table}.id = ANY(?)) DESC, ${orderSql(order)}`, [exactIds]);
    const id = `${this.#table}.id`;
    const { page, pageSize, after } = query;
    if (exactIds.length > 0) {
      wide.whereIn(id, await this.#exactFirst(matching, exactIds, query));
    } else {
      const others = matching(startOf(after).afterOther);
      wide.whereIn(id, others.limit(pageSize + 1).offset((page - 1) * pageSize));
    }
    const { rows, next } = sliceOf(await wide, pageSize);
    const group = exactIds.includes(rows.at(-1)?.id ?? '') ? 'exact' : 'other';
    return {
      rows: rows.map((row) => this.#toRecord(row)),
      next: next && endOf(group, next),
    };
  }

  /**
   * Ids of a page that begins with exact matches, and of one more record. Two queries, since an
   * index has the order of the other records.
   */
  async #exactFirst(
    matching: (after: Position | undefined) => QueryBuilder<Row>,
    exactIds: readonly string[],
    { page, pageSize, after: position }: RecordPage,
  ): Promise<string[]> {
    const id = `${this.#table}.id`;
    const { group, afterExact, afterOther } = startOf(position);
    const start = (page - 1) * pageSize;
    const exact = group === 'other' ? [] : await matching(afterExact).whereIn(id, exactIds);
    const shown = exact.slice(start, start + pageSize + 1);
    const others = await matching(afterOther)
      .whereNotIn(id, exactIds)
      .limit(pageSize + 1 - shown.length)
      .offset(Math.max(0, start - exact.length));
    return [...shown, ...others].map((row) => row.id);
  }

  /**
   * Reads the next matching records after an id, in order of creation.
   *
   * @param selection filters, or ids and external ids, of which some may not exist
   */
  async listAfter(
    projectId: string,
    selection: Filters | readonly string[],
    { after, limit }: { after: string; limit: number },
  ): Promise<Sealed[]> {
    const rows = await (await this.#selected(this.#wide(projectId), projectId, selection)).query
      .where(`${this.#table}.id`, '>', after)
      .orderBy(`${this.#table}.id`)
      .limit(limit);
    return rows.map((row) => this.#toRecord(row));
  }

  /**
   * Reads the names of the matching records, in order of creation.
   *
   * @param selection filters, or ids and external ids, of which some may not exist
   */
  async listNames(projectId: string, selection: Filters | readonly string[], limit: number) {
    const names = namesOf(this.#joined(projectId), this.#table).limit(limit);
    const { query } = await this.#selected(names, projectId, selection);
    return query.castTo<RecordNames[]>();
  }

  /** Counts the matching records. */
  async count(projectId: string, filters: Filters): Promise<number> {
    const search = await this.#searchOf(projectId, filters);
    return this.#filtered(this.#joined(projectId), projectId, filters, search).resultSize();
  }

  /**
   * Counts the matching records by group, largest group first. A record counts once for each of its
   * tags.
   */
  async countBy(
    projectId: string,
    filters: Filters,
    group: NonNullable<Grouping['groupBy']>,
  ): Promise<GroupCount[]> {
    const search = await this.#searchOf(projectId, filters);
    const matching = this.#filtered(this.#joined(projectId), projectId, filters, search);
    return countGroups(matching, this.tables, group);
  }

  /** Answers with the record that the path names. @throws Refusal `not_found` */
  async answerRecord(caller: Caller, ref: string): Promise<Answer> {
    const record = await this.findByRef(caller.projectId, ref);
    return ok(this.#shownTo(caller)(found(record, `${this.tables.noun} "${ref}"`)));
  }

  /** Answers with the record that the query string names. @throws Refusal `not_found` */
  async answerInfo(caller: Caller, query: RecordInfo & { projectSlug?: string }): Promise<Answer> {
    refuseOtherWorkspace(query, caller);
    const record = await this.findByInfo(caller.projectId, query);
    return ok(this.#shownTo(caller)(found(record, `such ${this.tables.noun}`)));
  }

  /** Answers with a page of the records that match the filters of the query string. */
  async answerList({ caller, query }: CheckedQuery<Filters & RecordPage>): Promise<Answer> {
    refuseOtherWorkspace(query, caller);
    refuseHiddenFilter(caller, this.tables.kind, query);
    return pageOf(await this.list(caller.projectId, query, query), this.#shownTo(caller));
  }

  /** Answers with the number of records that match the filters, in total or by group. */
  async answerCount({ caller, query }: CheckedQuery<Filters & Grouping>): Promise<Answer> {
    refuseOtherWorkspace(query, caller);
    refuseHiddenFilter(caller, this.tables.kind, query);
    return ok(
      query.groupBy === undefined
        ? await this.count(caller.projectId, query)
        : await this.countBy(caller.projectId, query, query.groupBy),
    );
  }

  /** Shows or hides the password of a record, depending on the rights of the caller. */
  #shownTo(caller: Caller): (record: Sealed) => object {
    return canReadPasswords(caller, this.tables.kind) ? openPassword : this.#source.hide;
  }

  /** Resolves the filter `query`, if it is set. */
  async #searchOf(projectId: string, { query }: Filters): Promise<Search | undefined> {
    return query === undefined ? undefined : resolveSearch(db(), projectId, query);
  }

  /** Narrows a query to the matching records. */
  #filtered(
    query: QueryBuilder<Row>,
    projectId: string,
    filters: Filters,
    search: Search | undefined,
  ): QueryBuilder<Row> {
    applyFilters(query, this.#source.filters, filters);
    if (search !== undefined) applySearch(query, this.tables, projectId, search);
    return query;
  }

  /**
   * Narrows a query to the selected records.
   *
   * @param selection filters, or ids and external ids
   * @returns the query in an object, since a promise would resolve to its rows
   */
  async #selected(
    query: QueryBuilder<Row>,
    projectId: string,
    selection: Filters | readonly string[],
  ): Promise<{ query: QueryBuilder<Row> }> {
    if (isIds(selection)) return { query: whereNamed(query, this.#table, selection) };
    const search = await this.#searchOf(projectId, selection);
    return { query: this.#filtered(query, projectId, selection, search) };
  }

  async #first(
    projectId: string,
    where: Record<string, string>,
    connection?: Db,
  ): Promise<Sealed | undefined> {
    const row = await this.#wide(projectId, connection).where(where).first();
    return row === undefined ? undefined : this.#toRecord(row);
  }

  /**
   * Joins add at most one row each, so that Postgres can remove the joins that a query does not
   * use.
   */
  #joined(projectId: string, connection: Db = db()): QueryBuilder<Row> {
    return this.#source
      .rows(projectId, connection)
      .leftJoin('domains as d', 'd.id', `${this.#table}.domain_id`)
      .leftJoin('counters as c', (on) =>
        on
          .on('c.project_id', `${this.#table}.project_id`)
          .andOn('c.record_id', `${this.#table}.id`),
      )
      .leftJoin('workspaces as w', 'w.id', `${this.#table}.project_id`);
  }

  #wide(projectId: string, connection?: Db): QueryBuilder<Row> {
    return this.#joined(projectId, connection).select(
      `${this.#table}.*`,
      'd.slug as domain',
      raw(`CASE WHEN c.visits IS NOT NULL THEN ${VISITS} END AS visits`),
      'c.leads',
      'c.sales',
      'c.sale_amount_cents',
      'c.refund_amount_cents',
      'c.last_visit_at',
      raw(tagsOf(this.tables)),
      ...(this.#source.columns ?? []).map((column) => raw(column)),
    );
  }

  #toRecord(model: Row): Sealed {
    const row = model as Row & JoinedColumns;
    const { domain, tags, visits } = row;
    if (visits === null) return this.#source.toRecord(row, { domain, tags });
    const counters = {
      visits,
      leads: row.leads,
      sales: row.sales,
      saleAmountCents: row.sale_amount_cents,
      refundAmountCents: row.refund_amount_cents,
      lastVisitAt: row.last_visit_at,
    };
    return this.#source.toRecord(row, { domain, tags, counters });
  }
}
