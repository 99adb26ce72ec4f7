import { WorkspaceModel } from '../infra/model.ts';

/** A row of `customers`: a person with a lead or a sale, or whom the workspace has added. */
export class Customer extends WorkspaceModel {
  static override readonly tableName = 'customers';

  declare id: string;
  declare external_id: string;
  declare name: string | null;
  declare email: string | null;
  declare avatar: string | null;
  /** ISO 3166-1 alpha-2. */
  declare country: string | null;
  /** Click with which the customer first came; `null` if there was none. */
  declare click_id: string | null;
  /** The latest click of their leads and sales, and its time; `null` if none came so far. */
  declare last_click_id: string | null;
  declare last_click_at: Date | null;
  declare created_at: Date;
  declare updated_at: Date;
}
