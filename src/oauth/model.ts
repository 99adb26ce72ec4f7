import { WorkspaceModel } from '../infra/model.ts';

/** A row of `oauth_grants`: what a person allowed a client, first as a code, then as a key. */
export class OauthGrant extends WorkspaceModel {
  static override readonly tableName = 'oauth_grants';

  declare id: string;
  declare client_id: string;
  /** Id of the person who allowed it. */
  declare user_id: string;
  declare scopes: string[];
  declare redirect_uri: string;
  declare code_challenge: string;
  declare code_hash: string;
  /** Expiry of the code; after its exchange, that of the refresh token. */
  declare expires_at: Date;
  /** Id of the key that the code was exchanged for; null before. */
  declare key_id: string | null;
  /** Hash of the first half of all refresh tokens of the grant; null before the exchange. */
  declare family_hash: string | null;
  /** Hash of the current refresh token; null before the exchange. */
  declare refresh_hash: string | null;
  declare created_at: Date;
}
