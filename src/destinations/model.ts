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

export const TEST_STATES = ['pending', 'succeeded', 'failed'] as const;

/** A test event and its result. */
export interface DestinationTest {
  /** Id of the event. */
  id: string;
  state: (typeof TEST_STATES)[number];
  createdAt: string;
  /** Time from the first request to the end of the last response. */
  durationMs: number | null;
  /** Status of the last response; `null` without one, and for Redis. */
  status: number | null;
  /** Start of the body of the last response, without the secret. */
  response: string | null;
  /** Reason of a failure, without the secret. */
  error: string | null;
}

/** A row of `destinations`: a receiver of events. */
export class Destination extends WorkspaceModel {
  static override readonly tableName = 'destinations';
  static override readonly jsonAttributes = ['settings', 'filter', 'backfill', 'test'];

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
  /** Number of consecutive attempts in which the receiver refused all events. */
  declare refused_attempts: number;
  /** Number of events given up since the receiver last accepted one. */
  declare given_up: number;
  /** Number of events that were given up. */
  declare refused: number;
  /** Reason for which the last of them was given up. */
  declare last_refusal: string | null;
  declare last_refused_at: Date | null;
  declare backfill: Backfill | null;
  declare test: DestinationTest | null;
  declare created_at: Date;
  declare updated_at: Date;
}
