import { WorkspaceModel } from '../infra/model.ts';
import type { StoredLimits } from '../workspaces/limits.ts';
import type { Role } from '../workspaces/roles.ts';

/** A row of `invitations`, which is deleted once it is accepted. */
export class Invitation extends WorkspaceModel {
  static override readonly tableName = 'invitations';

  declare id: string;
  declare email: string;
  declare role: Role;
  /** Limits that the person will have; `null` for none. */
  declare limits: StoredLimits | null;
  /** SHA-256 of the token. */
  declare hash: string;
  /** True if the token was only sent by email. */
  declare is_mailed: boolean;
  declare invited_by: string | null;
  declare expires_at: Date;
  declare created_at: Date;
}
