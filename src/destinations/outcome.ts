import type { Destination } from './model.ts';
import { type GivenUp, MAX_REFUSALS, type Receipt, type SendFailure } from './receipt.ts';
import { retryAt } from './retries.ts';
import type { SentEvent } from './sent-event.ts';

/*
 * A refusal is about one event, or about the URL, site or credentials. Statuses do not tell: a
 * firewall in front of a receiver answers 403 to one event, and a receiver that is being deployed
 * answers 404 to all. What tells is whether other events are accepted.
 *
 *   others of the batch accepted ──────────────────────────→ the event is given up
 *   none accepted, 400, 413 or 422, at most 10 in a row ────→ the event is given up
 *   none accepted otherwise ──→ all wait, next attempt ──20×─→ the destination is disabled
 */

/**
 * Consecutive attempts in which all events are refused, after which the destination is disabled.
 * With the pauses in between, they take more than an hour.
 */
const MAX_ATTEMPTS = 20;
/** Maximum length of a stored reason. */
const MAX_REASON = 300;

/** The outcome of sending a batch. */
export interface Outcome {
  accepted: readonly SentEvent[];
  /** Events that the receiver refused or dropped. */
  givenUp: readonly GivenUp[];
  /** Events that were too old to be sent. They say nothing about the receiver. */
  expired: readonly GivenUp[];
  /** True if the receiver processed an event. */
  isProven: boolean;
  failure?: SendFailure | undefined;
}

type History = Pick<Destination, 'given_up' | 'refused_attempts' | 'last_sent_at'>;

/**
 * Decides which refused events are given up, and whether the batch failed.
 *
 * @param failure of an attempt that may succeed later
 */
export function outcomeOf(
  history: History,
  { accepted, dropped, refusals, expired, isProven }: Receipt,
  failure: SendFailure | undefined,
): Outcome {
  const rest = { accepted, expired, isProven };
  const [first] = refusals;
  if (first === undefined) return { ...rest, givenUp: dropped, failure };
  if (isProven || (failure === undefined && isAboutEvents(history, refusals))) {
    const refused = refusals.map(({ event, failure: { message } }) => ({ event, reason: message }));
    return { ...rest, givenUp: [...dropped, ...refused], failure };
  }
  return { ...rest, givenUp: dropped, failure: failure ?? first.failure };
}

/** True if refusals are taken to be about the events, though no other event was accepted. */
function isAboutEvents(
  { given_up, refused_attempts, last_sent_at }: History,
  refusals: Receipt['refusals'],
): boolean {
  if (refusals.every(({ failure }) => failure.refused === 'event')) {
    return given_up + refusals.length <= MAX_REFUSALS;
  }
  // A single event, after which nothing happened in the workspace, must not disable a destination
  // that worked. If the next one is refused too, the destination is disabled.
  const isLast = refused_attempts + 1 >= MAX_ATTEMPTS;
  return refusals.length === 1 && isLast && last_sent_at !== null && given_up === 0;
}

/** Makes a text that others wrote fit for a column. */
export const toReason = (text: string): string =>
  text.slice(0, MAX_REASON).replaceAll('\0', '').toWellFormed();

/**
 * Returns the columns that show whether a destination works, after a batch: none if the receiver
 * was not asked, as with events that are all too old.
 */
export function healthAfter(
  row: Destination,
  { failure, isProven, givenUp }: Outcome,
): Partial<Destination> {
  if (failure === undefined && !isProven && givenUp.length === 0) return {};
  const counted = { given_up: isProven ? 0 : row.given_up + givenUp.length };
  if (failure === undefined) {
    const healthy = { failures: 0, failing_since: null, retry_at: null, error: null };
    return { ...counted, ...healthy, refused_attempts: 0 };
  }
  const failures = row.failures + 1;
  const isRefused = failure.refused !== undefined;
  const attempts = (isProven ? 0 : row.refused_attempts) + (isRefused ? 1 : 0);
  const isOver = failure.isPermanent || (isRefused && attempts >= MAX_ATTEMPTS);
  return {
    ...counted,
    failures,
    refused_attempts: attempts,
    failing_since: row.failing_since ?? new Date(),
    error: toReason(failure.message),
    ...(isOver
      ? { retry_at: null, ...(row.status === 'active' ? { status: 'disabled' as const } : {}) }
      : { retry_at: retryAt(failures, failure.retryAfter, new Date()) }),
  };
}
