import type { SentEvent } from './sent-event.ts';

/**
 * Maximum number of events that are given up, and of requests that are refused, before the receiver
 * has accepted one.
 */
export const MAX_REFUSALS = 10;

/** Failure to send events. The message is shown to the owner of the destination. */
export class SendFailure extends Error {
  /** True if no further attempt can succeed until its owner changes something. */
  readonly isPermanent: boolean;
  /**
   * The likely subject of a refusal: the contents of the event, or the URL, site or credentials.
   * Only the answers about other events tell for certain. Absent if the request may succeed later.
   */
  readonly refused: 'event' | 'receiver' | undefined;
  /** The header `Retry-After` of the response. */
  readonly retryAfter: string | undefined;
  /** Status of the response. */
  readonly status: number | undefined;
  /** Body of the response. */
  readonly body: string;

  constructor(
    message: string,
    options: {
      isPermanent?: boolean | undefined;
      refused?: 'event' | 'receiver' | undefined;
      retryAfter?: string | undefined;
      status?: number | undefined;
      body?: string | undefined;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.isPermanent = options.isPermanent === true;
    this.refused = options.refused;
    this.retryAfter = options.retryAfter;
    this.status = options.status;
    this.body = options.body ?? '';
  }
}

/** An event that is not sent again, and the reason. */
export interface GivenUp {
  event: SentEvent;
  reason: string;
}

/** Outcome of events, told one by one while others are still being sent. */
export class Receipt {
  readonly accepted: SentEvent[] = [];
  readonly dropped: GivenUp[] = [];
  readonly refusals: { event: SentEvent; failure: SendFailure }[] = [];
  readonly expired: GivenUp[] = [];

  accept(events: readonly SentEvent[]): void {
    this.accepted.push(...events);
  }

  /** Notes events that the receiver processed and left out, as its rules say. */
  drop(events: readonly SentEvent[], reason: string): void {
    this.dropped.push(...events.map((event) => ({ event, reason })));
  }

  /** Notes events whose request was refused. */
  refuse(events: readonly SentEvent[], failure: SendFailure): void {
    this.refusals.push(...events.map((event) => ({ event, failure })));
  }

  /** Notes events that were not sent, since they are too old for the receiver. */
  expire(events: readonly SentEvent[]): void {
    const reason = 'The event was too old for the receiver';
    this.expired.push(...events.map((event) => ({ event, reason })));
  }

  /** True if the receiver processed an event, so that its URL, site and credentials are right. */
  get isProven(): boolean {
    return this.accepted.length + this.dropped.length > 0;
  }

  /** True once so many requests were refused that further ones are pointless for now. */
  get isHopeless(): boolean {
    return !this.isProven && this.refusals.length >= MAX_REFUSALS;
  }
}
