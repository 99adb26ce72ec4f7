import type { GroupName } from '../events/query/groups/index.ts';
import { WorkspaceModel } from '../infra/model.ts';
import type { MailSchedule } from '../mail/sending-times.ts';
import type { Plan } from '../workspaces/plans.ts';

/** The lowest plan with shared reports. */
export const SHARED_REPORT_PLAN: Plan = 'pro';

/** A row of `shared_reports`. */
export class SharedReport extends WorkspaceModel {
  static override readonly tableName = 'shared_reports';

  declare id: string;
  declare name: string;
  /** Query string of `GET /analytics`, without `groupBy`. */
  declare query: string;
  declare groups: GroupName[];
  /** The token of its URL, sealed. */
  declare token: string;
  declare token_hash: string;
  /** Argon2 hash; null if it has no password. */
  declare password_hash: string | null;
  declare expires_at: Date | null;
  declare embed_origins: string[];
  declare schedule: MailSchedule | null;
  /** Time of the next mails; null without a schedule. */
  declare mail_due_at: Date | null;
  declare created_at: Date;
}
