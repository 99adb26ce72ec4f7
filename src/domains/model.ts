import type { Limits } from '../infra/limits.ts';
import { type Narrowed, WorkspaceModel } from '../infra/model.ts';

/** A row of `domains`. */
export class Domain extends WorkspaceModel {
  static override readonly tableName = 'domains';

  declare id: string;
  declare slug: string;
  declare verified: boolean;
  declare verification_token: string;
  declare checked_at: Date | null;
  declare is_primary: boolean;
  declare archived: boolean;
  declare target: string | null;
  declare type: 'redirect' | 'rewrite';
  declare placeholder: string | null;
  declare expired_url: string | null;
  declare not_found_url: string | null;
  declare shlink_paths: boolean;
  /** Files of the domain for apps, as JSON. */
  declare apple_app_site_association: string | null;
  declare asset_links: string | null;
  /** True if the target may be shown in a frame, as of the last write of target or type. */
  declare target_frameable: boolean;
  /** True once a link of the domain has answered every path below its key. */
  declare has_wildcards: boolean;
  declare case_sensitive: boolean;
  /** Number of changes of `case_sensitive`. */
  declare key_version: number;
  declare version: number;
  declare created_at: Date;
  declare updated_at: Date;

  /** Leaves out domains outside of the limits of the caller. */
  static override narrow(rows: Narrowed, { domains }: Limits): void {
    if (domains !== undefined) rows.whereRaw('domains.slug = ANY(?)', [domains]);
  }
}
