import { MAX_REFUSALS } from './receipt.ts';

/*
 * An attempt ends after a few refusals while the receiver has accepted nothing. So that events which
 * it refuses hide no others, each further attempt begins with other events:
 *
 *   attempt 1    the oldest events
 *   attempt 2    the 10 newest, then the oldest
 *   attempt 3    the 10 before these, then the oldest
 *   …            until one is accepted, which shows that refusals are about the events
 */

/** A part of a queue. */
export interface Span {
  limit: number;
  offset: number;
}

/**
 * Returns the part of a queue, counted from its newest event, with which an attempt begins;
 * `undefined` if it begins with the oldest event.
 */
export const probeSpan = (refusedAttempts: number): Span | undefined =>
  refusedAttempts === 0
    ? undefined
    : { limit: MAX_REFUSALS, offset: (refusedAttempts - 1) * MAX_REFUSALS };

/** Puts probes before the oldest events; the batch becomes no larger. */
export function withProbes<T>(
  probes: readonly T[],
  oldest: readonly T[],
  idOf: (event: T) => string,
): T[] {
  const ids = new Set(probes.map(idOf));
  return [...probes, ...oldest.filter((event) => !ids.has(idOf(event)))].slice(0, oldest.length);
}

/** Moves the beginning of a list to its end, by more after each refused attempt. */
export function rotated<T>(events: readonly T[], refusedAttempts: number): T[] {
  const start = events.length === 0 ? 0 : (refusedAttempts * MAX_REFUSALS) % events.length;
  return [...events.slice(start), ...events.slice(0, start)];
}
