import { WorkspaceModel } from '../infra/model.ts';

/** A row of `folders`. */
export class Folder extends WorkspaceModel {
  static override readonly tableName = 'folders';

  declare id: string;
  declare name: string;
  /** Name in the form that is compared (`nameKey`). */
  declare name_key: string;
  declare created_at: Date;
}
