import { Model, type QueryBuilderType } from 'objection';
import { Refusal } from '../errors.ts';
import { type Db, db } from './db.ts';
import { currentLimits, type Limits } from './limits.ts';

/** Returns the noun for a row of a table: rows of `utm_templates` are called "UTM template". */
export const nounOf = (table: string): string =>
  table.slice(0, -1).replace(/^utm_/, 'UTM ').replaceAll('_', ' ');

/**
 * A table whose rows belong to workspaces. All access to rows requires the workspace first, so that
 * no query can omit it. Properties have the names of columns; `record.ts` of a folder defines their
 * names for callers.
 */
export class WorkspaceModel extends Model {
  declare project_id: string;

  /** Narrows a query to the rows inside of limits; all of them unless a model overrides it. */
  static narrow(_rows: Narrowed, _limits: Limits): void {}

  /** Starts a query over the rows of one workspace. */
  static of<M extends WorkspaceModel>(
    this: ModelClass<M>,
    projectId: string,
    connection: Db = db(),
  ): QueryBuilderType<M> {
    const rows = this.query(connection).where(`${this.tableName}.project_id`, projectId);
    const limits = currentLimits();
    if (limits !== undefined) this.narrow(rows, limits);
    return rows as QueryBuilderType<M>;
  }

  /**
   * Reads a row and locks it until the transaction ends; rows that refer to it can still be added.
   *
   * @throws Refusal `not_found`
   */
  static async lock<M extends WorkspaceModel>(
    this: ModelClass<M>,
    projectId: string,
    id: string,
    trx: Db,
  ): Promise<M> {
    const rows = this.query(trx).where({ project_id: projectId, id });
    const limits = currentLimits();
    if (limits !== undefined) this.narrow(rows, limits);
    const row = await rows.forNoKeyUpdate().first();
    if (row === undefined) {
      throw new Refusal('not_found', `There is no ${nounOf(this.tableName)} "${id}"`);
    }
    return row as M;
  }

  /** Adds a row to a workspace. */
  static async add<M extends WorkspaceModel>(
    this: ModelClass<M>,
    projectId: string,
    row: Partial<M>,
    connection: Db,
  ): Promise<M> {
    const insert = { ...row, project_id: projectId } as object;
    return (await this.query(connection).insert(insert).returning('*')) as M;
  }
}

/** A query to narrow. */
export interface Narrowed {
  whereRaw(sql: string, ...bindings: unknown[]): unknown;
}

interface ModelClass<M extends WorkspaceModel> {
  new (): M;
  tableName: string;
  query: (typeof Model)['query'];
  narrow(rows: Narrowed, limits: Limits): void;
}
