import { WorkspaceModel } from '../infra/model.ts';

/** A row of `tags`. */
export class Tag extends WorkspaceModel {
  static override readonly tableName = 'tags';
  static override readonly idColumn = ['project_id', 'id'];

  declare id: string;
  declare name: string;
  /** Normalized name, which comparisons use. */
  declare name_key: string;
  /** Text that searches of links and QR codes match against. */
  declare search_text: string;
  declare color: string;
  declare created_at: Date;
  declare updated_at: Date;
}
