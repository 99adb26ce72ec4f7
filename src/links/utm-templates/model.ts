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
  /** The parameter `ref` of clients of Dub. */
  declare ref: string | null;
  /** User who created it; `null` for one of an earlier version, or from an import. */
  declare user_id: string | null;
  declare created_at: Date;
}
// oxlint-disable-next-line typescript/no-unsafe-declaration-merging -- as above
export interface UtmTemplate extends Utm {}
