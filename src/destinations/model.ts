import { WorkspaceModel } from '../infra/model.ts';
import type { WebhookFilter } from '../webhooks/filter.ts';
import type { DestinationType } from './kinds.ts';

/**
 * State that people and receivers set. `disabled`: the receiver refused what was sent for a reason
 * that its owner must remove.
 */
export const DESTINATION_STATES = ['active', 'paused', 'disabled'] as const;

export type DestinationState = (typeof DESTINATION_STATES)[number];

/** A period whose stored events are sent again, and the progress of it. */
export interface Backfill {
  /** Distinguishes it from an earlier one. */
  id: string;
  start: string;
  end: string;
  /** Time before which the receiver accepts no events; `null` if it accepts all of the period. */
  unsentBefore: string | null;
  /** Number of events that were sent. */
  sent: number;
  /** The kind of events that is sent now, and the last of them that was sent. */
  position: { kind: number; after?: { atMicros: number; id: string } | undefined };
  finishedAt: string | null;
}

/** A row of `destinations`: a receiver of events. */
export class Destination extends WorkspaceModel {
  static override readonly tableName = 'destinations';
  static override readonly jsonAttributes = ['settings', 'filter', 'backfill'];

  declare id: string;
  declare type: DestinationType;
  declare name: string;
  /** Settings of its type. */
  declare settings: Record<string, unknown>;
  /** Sealed secret; `null` if there is none. */
  declare secret: string | null;
  declare filter: WebhookFilter | null;
  declare status: DestinationState;
  /** Number of consecutive failures. */
  declare failures: number;
  declare failing_since: Date | null;
  /** Time of the next attempt after a failure. */
  declare retry_at: Date | null;
  declare error: string | null;
  declare last_sent_at: Date | null;
  /** Number of events that the receiver refused one by one. */
  declare refused: number;
  declare backfill: Backfill | null;
  declare created_at: Date;
  declare updated_at: Date;
}
