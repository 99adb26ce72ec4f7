import type { ObjectSchema } from 'joi';
import { text } from '../http/fields.ts';
import { FETCH_RULES, FetchRefused } from '../infra/fetch-refused.ts';
import { type Fetched, guardedFetch } from '../infra/guarded-fetch.ts';
import { readUrl } from '../infra/outbound-addresses.ts';
import { type Receipt, SendFailure } from './receipt.ts';
import type { SentEvent } from './sent-event.ts';

/*
 * A kind of destination is a folder with the schema of its settings and the function that sends
 * events. What it accepted or refused leaves the queue; everything else is sent again, so that an
 * event arrives at least once.
 */

/** A destination, as functions that send need it. */
export interface Target<Settings> {
  settings: Settings;
  /** The secret in the clear. */
  secret: string | null;
  /** Aborted when the process is to end: no further request begins. */
  stopping: AbortSignal;
  /** Called with each response. */
  onResponse?: ((response: Pick<Fetched, 'status' | 'body'>) => void) | undefined;
}

/** Everything specific to one kind of destination. */
export interface DestinationKind<Settings extends object = object> {
  settings: ObjectSchema;
  secret: 'required' | 'optional' | 'none';
  /** Maximum number of events that are sent at a time. */
  batch: number;
  /** Maximum age of events that the receiver accepts, in ms; absent: any age. */
  maxAgeMs?: number | undefined;
  /** True if the receiver dates events by their arrival, so that earlier ones are not sent again. */
  datesByArrival?: true | undefined;
  /**
   * Sends events. A refusal that it throws is about all events that the receipt does not name.
   *
   * @throws SendFailure
   */
  send(target: Target<Settings>, events: readonly SentEvent[], receipt: Receipt): Promise<void>;
  /**
   * Lets the receiver check an event without counting it, where it can. @throws SendFailure if the
   * event is invalid
   */
  validate?: ((target: Target<Settings>, event: SentEvent) => Promise<void>) | undefined;
}

/**
 * Defines a kind. Its functions get settings that its schema has checked, whatever the types of the
 * table of kinds say.
 */
export const defineKind = <Settings extends object>(
  kind: DestinationKind<Settings>,
): DestinationKind => kind as unknown as DestinationKind;

/** Timeout of a request, in ms. */
const TIMEOUT_MS = 15_000;
/** Maximum size of a response. */
const MAX_BYTES = 256 * 1024;
/** Statuses in the 4xx range after which the same request may succeed later (RFC 9110, RFC 6585). */
const PASSING = new Set([408, 425, 429]);
/** Statuses that are about the contents or the size of a request (RFC 9110). */
const ABOUT_CONTENT = new Set([400, 413, 422]);
/** Concurrent requests to a receiver that takes one event at a time. */
const CONCURRENCY = 10;

/** Sends a request of JSON. @throws SendFailure without a response of 2xx */
export async function postJson(
  { onResponse }: Pick<Target<object>, 'onResponse'>,
  url: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<Fetched> {
  let answer: Fetched;
  try {
    answer = await guardedFetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
      overflow: 'cut',
      compressed: true,
      keepAlive: true,
      maxRedirects: 0,
    });
  } catch (error) {
    if (!(error instanceof FetchRefused)) throw error;
    throw new SendFailure(`The receiver ${error.message}`, { cause: error });
  }
  onResponse?.(answer);
  const { status } = answer;
  if (status >= 200 && status < 300) return answer;
  throw new SendFailure(`The receiver ${FETCH_RULES.status('2xx', status)}`, {
    refused: refusedBy(status),
    retryAfter: answer.headers['retry-after'],
    status,
    body: answer.body.toString(),
  });
}

function refusedBy(status: number): SendFailure['refused'] {
  if (status >= 500 || PASSING.has(status)) return undefined;
  return ABOUT_CONTENT.has(status) ? 'event' : 'receiver';
}

/**
 * Sends events one by one, several at a time. Refusals are noted, and others are still tried. After
 * a failure, after too many refusals, and when the process is to end, no further request begins.
 *
 * @throws the first failure, once all requests have ended
 */
export async function sendEach(
  events: readonly SentEvent[],
  stopping: AbortSignal,
  receipt: Receipt,
  send: (event: SentEvent) => Promise<void>,
): Promise<void> {
  const waiting = events.values();
  let isFailed = false;
  const sender = async () => {
    // The senders take events from one iterator.
    for (const event of waiting) {
      if (isFailed || stopping.aborted || receipt.isHopeless) return;
      try {
        await send(event);
      } catch (error) {
        if (error instanceof SendFailure && error.refused !== undefined) {
          receipt.refuse([event], error);
          continue;
        }
        isFailed = true;
        throw error;
      }
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: CONCURRENCY }, sender));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

/** Schema of the URL of a receiver, without query and fragment. */
export const receiverUrl = () =>
  text(500).custom((value: string, { error }) => {
    try {
      const url = readUrl(value);
      if (url.search === '' && url.hash === '') return url.href;
      return error('rule', { rule: 'must have no query and no fragment' });
    } catch (refused) {
      if (!(refused instanceof FetchRefused)) throw refused;
      return error('rule', { rule: refused.message });
    }
  });

/** Appends a path to the URL of a receiver. */
export const urlBelow = (base: string, path: string): string =>
  `${base}${base.endsWith('/') ? '' : '/'}${path}`;
