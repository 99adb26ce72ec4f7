import { WorkspaceModel } from '../../infra/model.ts';
import type { Utm } from '../../short-links/destination.ts';

/** A row of `utm_templates`, with the same UTM columns as `links`. */
export class UtmTemplate extends WorkspaceModel {
  static override readonly tableName = 'utm_templates';
  static override readonly idColumn = ['project_id', 'id'];

  declare id: string;
  declare name: string;
  /** Normalized name, which comparisons use. */
  declare name_key: string;
  declare utm_source: Utm['utm_source'];
  declare utm_medium: Utm['utm_medium'];
  declare utm_campaign: Utm['utm_campaign'];
  declare utm_term: Utm['utm_term'];
  declare utm_content: Utm['utm_content'];
  declare created_at: Date;
}
