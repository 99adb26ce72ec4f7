import { type Narrowed, WorkspaceModel } from '../infra/model.ts';
import { currentLimits } from '../workspaces/limits.ts';

/** A row of `folders`. */
export class Folder extends WorkspaceModel {
  static override readonly tableName = 'folders';

  declare id: string;
  declare name: string;
  /** Name in the form that is compared (`nameKey`). */
  declare name_key: string;
  declare created_at: Date;

  /** Leaves out folders outside of the limits of the caller. */
  static override narrow(rows: Narrowed): void {
    const ids = currentLimits()?.folderIds;
    if (ids !== undefined) rows.whereRaw('folders.id = ANY(?)', [ids]);
  }
}
