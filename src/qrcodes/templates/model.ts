import { WorkspaceModel } from '../../infra/model.ts';
import type { StoredDesign } from '../render/stored-design.ts';

/** A row of `templates`: a design that codes can take. */
export class Template extends WorkspaceModel {
  static override readonly tableName = 'templates';

  declare id: string;
  declare name: string | null;
  /** True for the template of new codes in the console; at most one of a workspace. */
  declare is_default: boolean;
  declare design: StoredDesign;
  declare created_at: Date;
}
