import { WorkspaceModel } from '../../infra/model.ts';
import type { Language } from '../../web/language.ts';

/** A row of `report_recipients`: a person who gets a report by email once they have confirmed it. */
export class ReportRecipient extends WorkspaceModel {
  static override readonly tableName = 'report_recipients';

  declare id: string;
  declare report_id: string;
  declare email: string;
  /** Language of the mails. */
  declare language: Language;
  /** SHA-256 of the token in the newest confirmation mail; null once they have unsubscribed. */
  declare token_hash: string | null;
  declare token_expires_at: Date | null;
  /** Null while the person does not get the report. */
  declare confirmed_at: Date | null;
  declare unsubscribed_at: Date | null;
  declare created_at: Date;
}
