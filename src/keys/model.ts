import { WorkspaceModel } from '../infra/model.ts';

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
  declare scopes: string[];
  declare expires_at: Date | null;
  declare last_used_at: Date | null;
  declare revoked_at: Date | null;
  declare created_at: Date;
}
