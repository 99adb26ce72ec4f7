import type { QueryBuilderType } from 'objection';
import { Refusal } from '../errors.ts';
import { type Db, db } from '../infra/db.ts';
import { WorkspaceModel } from '../infra/model.ts';
import type { ListName } from './schema.ts';

/** A row of `views`. */
export class View extends WorkspaceModel {
  static override readonly tableName = 'views';

  declare id: string;
  /** Id of the owner; `null` for a view that everybody in the workspace shares. */
  declare user_id: string | null;
  declare list: ListName;
  declare name: string;
  /** Normalized name (`nameKey`), which comparisons use. */
  declare name_key: string;
  declare query: string;
  declare created_at: Date;

  /** Queries the views that a person can see: shared ones and their own. */
  static visibleTo(
    userId: string,
    projectId: string,
    connection: Db = db(),
  ): QueryBuilderType<View> {
    return View.of(projectId, connection).whereRaw('(user_id IS NULL OR user_id = ?)', [userId]);
  }

  /** Locks a view that a person can see until the transaction ends. @throws Refusal `not_found` */
  static async lockVisible(userId: string, projectId: string, id: string, trx: Db): Promise<View> {
    const row = await View.lock(projectId, id, trx);
    if (row.user_id === null || row.user_id === userId) return row;
    throw new Refusal('not_found', `There is no view "${id}"`);
  }
}
