import { WorkspaceModel } from '../../infra/model.ts';
import type { Utm } from '../../short-links/destination.ts';

/** A row of `utm_templates`, with the same UTM columns as `links`. */
// oxlint-disable-next-line typescript/no-unsafe-declaration-merging -- the columns of a model are never initialized
export class UtmTemplate extends WorkspaceModel {
  static override readonly tableName = 'utm_templates';

  declare id: string;
  declare name: string;
  /** Normalized name, which comparisons use. */
  declare name_key: string;
  declare created_at: Date;
}
// oxlint-disable-next-line typescript/no-unsafe-declaration-merging -- as above
export interface UtmTemplate extends Utm {}
