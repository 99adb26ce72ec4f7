import type { Limits } from '../infra/limits.ts';
import { type Narrowed, WorkspaceModel } from '../infra/model.ts';

/** A row of `folders`. */
export class Folder extends WorkspaceModel {
  static override readonly tableName = 'folders';

  declare id: string;
  declare name: string;
  /** Name in the form that is compared (`nameKey`). */
  declare name_key: string;
  declare created_at: Date;

  /** Leaves out folders outside of the limits of the caller. */
  static override narrow(rows: Narrowed, { folderIds }: Limits): void {
    if (folderIds !== undefined) rows.whereRaw('folders.id = ANY(?)', [folderIds]);
  }
}
