import { WorkspaceModel } from '../infra/model.ts';
import type { PageContent } from '../lookup/entry.ts';

/** A row of `pages`, which are shown before destinations. */
export class Page extends WorkspaceModel {
  static override readonly tableName = 'pages';

  declare id: string;
  declare content: PageContent;
  declare version: number;
  declare created_at: Date;
  declare updated_at: Date;
}
