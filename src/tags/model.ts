import { searchable } from '../infra/folded.ts';
import { WorkspaceModel } from '../infra/model.ts';
import { nameKey } from '../workspaces/taken-name.ts';

/** A row of `tags`. */
export class Tag extends WorkspaceModel {
  static override readonly tableName = 'tags';

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

/** Returns the columns that derive from the name of a tag. */
export const nameColumns = (name: string) => ({
  name,
  name_key: nameKey(name),
  search_text: searchable(name),
});
