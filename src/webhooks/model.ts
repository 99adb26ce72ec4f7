import { WorkspaceModel } from '../infra/model.ts';
import type { WebhookFilter } from './filter.ts';
import type { FormatName } from './formats/index.ts';
import type { WebhookKind } from './kinds.ts';
import type { WebhookScope } from './scope.ts';

/** A row of `webhooks`: a receiver of events. */
export class Webhook extends WorkspaceModel {
  static override readonly tableName = 'webhooks';

  declare id: string;
  declare name: string;
  declare url: string;
  /** Sealed secret. */
  declare secret: string;
  /** Sealed secret, which signs too until `previous_secret_until`. */
  declare previous_secret: string | null;
  declare previous_secret_until: Date | null;
  declare kinds: WebhookKind[];
  declare scope: WebhookScope;
  /** Names of domains, or ids of folders or tags; `null` for scopes without a list. */
  declare scope_values: string[] | null;
  declare filter: WebhookFilter | null;
  declare format: FormatName;
  /** Sealed headers, user name and password for requests. */
  declare credentials: string | null;
  declare disabled_at: Date | null;
  declare disabled_reason: string | null;
  /** Number of consecutive failures. */
  declare failures: number;
  declare failing_since: Date | null;
  declare paused_until: Date | null;
  declare created_at: Date;
  declare updated_at: Date;
}

/**
 * State of a delivery. `held`: its webhook was disabled before it was sent, so it is sent only when
 * its owner resends it.
 */
export type DeliveryState = 'pending' | 'delivered' | 'failed' | 'held';

export const DELIVERY_STATES = ['pending', 'delivered', 'failed', 'held'] as const;

/** A row of `webhook_deliveries`: an event for one webhook. */
export class Delivery extends WorkspaceModel {
  static override readonly tableName = 'webhook_deliveries';

  declare webhook_id: string;
  declare id: string;
  declare kind: WebhookKind;
  declare record_id: string | null;
  declare sequence: number | null;
  declare customer_id: string | null;
  /** Body of the request, in JSON. */
  declare payload: string;
  declare state: DeliveryState;
  /** Number of all attempts, and of those since it was last resent. */
  declare attempts: number;
  declare tries: number;
  declare next_attempt_at: Date | null;
  declare created_at: Date;
}

/** A row of `webhook_attempts`: a request and its response. */
export class Attempt extends WorkspaceModel {
  static override readonly tableName = 'webhook_attempts';

  declare id: number;
  declare webhook_id: string;
  declare delivery_id: string;
  declare url: string;
  declare started_at: Date;
  declare duration_ms: number;
  declare status: number | null;
  declare error: string | null;
  declare response_headers: Record<string, string> | null;
  declare response_body: string | null;
}
