import { WorkspaceModel } from '../infra/model.ts';
import type { FactData, FactKind } from './payment.ts';

export const INTEGRATION_TYPES = ['stripe', 'shopify'] as const;
/** A payment processor whose deliveries are recorded. */
export type IntegrationType = (typeof INTEGRATION_TYPES)[number];

/** A row of `integrations`: a connection to a payment processor. */
export class Integration extends WorkspaceModel {
  static override readonly tableName = 'integrations';

  declare id: string;
  declare type: IntegrationType;
  declare name: string;
  /** Sealed secret. */
  declare secret: string;
  /** Sealed secret, which is accepted too until `previous_secret_until`. */
  declare previous_secret: string | null;
  declare previous_secret_until: Date | null;
  declare last_delivery_at: Date | null;
  declare last_refused_at: Date | null;
  declare last_refusal: string | null;
  declare created_at: Date;
  declare updated_at: Date;
}

/** A row of `payment_facts`: what a delivery says about a payment. */
export interface FactRow {
  id: string;
  kind: FactKind;
  refs: string[];
  subscription_id: string | null;
  payers: string[];
  click_id: string | null;
  /** `null` once done. */
  data: FactData | null;
  /** Invoice of the sale that was recorded for it. */
  invoice_id: string | null;
  /** True once it waits for no other delivery. */
  is_due: boolean;
}
