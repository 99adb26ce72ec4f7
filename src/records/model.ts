import type { Model } from 'objection';
import { WorkspaceModel } from '../infra/model.ts';
import type { Rule } from './routing-rules.ts';

/** What the rows of links and QR codes have in common; named as their columns. */
export class RoutedModel extends WorkspaceModel {
  static override readonly idColumn = ['project_id', 'id'];

  declare id: string;
  declare user_id: string;
  declare domain_id: string;
  declare key: string;
  declare external_id: string | null;
  declare archived: boolean;
  declare expires_at: Date | null;
  declare expired_url: string | null;
  /** Sealed. */
  declare password: string | null;
  declare password_fingerprint: string | null;
  declare track_conversion: boolean;
  declare flexible: boolean;
  declare filled: boolean;
  declare do_index: boolean;
  declare public_stats: boolean;
  declare proxy: boolean;
  declare rewrite: boolean;
  declare title: string | null;
  declare description: string | null;
  declare image: string | null;
  declare ios: string | null;
  declare android: string | null;
  declare geo: Record<string, string> | null;
  declare folder_id: string | null;
  declare webhook_ids: string[] | null;
  declare comments: string | null;
  declare notification_token: string | null;
  declare utm_source: string | null;
  declare utm_medium: string | null;
  declare utm_campaign: string | null;
  declare utm_term: string | null;
  declare utm_content: string | null;
  declare pre_redirection: boolean;
  declare is_form_mandatory: boolean;
  declare page_id: string | null;
  declare page_url: string | null;
  declare starts_at: Date | null;
  declare max_visits: number | null;
  declare redirect_status: 301 | 302 | 307 | 308;
  declare forward_query: boolean;
  declare rules: Rule[] | null;
  /** Destinations that may be shown in a frame, without their UTM parameters. */
  declare frameable: string[] | null;
  declare created_at: Date;
  declare updated_at: Date;
}

/** The columns of a model, without its methods. */
export type RowOf<Row extends Model> = Pick<Row, Exclude<keyof Row, keyof Model>>;

export type RoutedRow = RowOf<RoutedModel>;
