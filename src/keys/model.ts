import { WorkspaceModel } from '../infra/model.ts';
import type { StoredLimits } from '../workspaces/limits.ts';

/** A row of `api_keys`. */
export class ApiKey extends WorkspaceModel {
  static override readonly tableName = 'api_keys';

  declare id: string;
  /** Id of the person who created the key. */
  declare user_id: string;
  declare name: string;
  declare hash: string;
  declare hint: string;
  /** The key itself, sealed; null unless YOURLS clients may sign with it. */
  declare sealed_key: string | null;
  /** The key itself, if it is publishable; null for other keys. */
  declare public_key: string | null;
  /** Origins whose pages may use a publishable key; null for other keys. */
  declare origins: string[] | null;
  declare scopes: string[];
  /** Limits to some links and QR codes; `null` for none. */
  declare limits: StoredLimits | null;
  /** Id of the app that a person allowed to have the key; null for other keys. */
  declare client_id: string | null;
  /** Time until which the app can renew the key. */
  declare renewable_until: Date | null;
  declare expires_at: Date | null;
  declare last_used_at: Date | null;
  declare revoked_at: Date | null;
  declare created_at: Date;
}
