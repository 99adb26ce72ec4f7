import { ConnectionError } from './errors.ts';

/** Sends a request. */
export type Send = (request: Request) => Promise<Response>;

/** Statuses of answers that ask for another attempt, or of proxies without a server. */
const REPEATABLE = new Set([429, 502, 503, 504]);
/** Longest pause before the second attempt, in ms; it doubles with each further one. */
const FIRST_PAUSE_MS = 500;
/** A later `Retry-After` is returned to the caller, in ms. */
const MAX_PAUSE_MS = 60_000;

/** Sends requests again that got no answer, or one that asks for it. */
export function withRetries(
  send: Send,
  { retries, timeoutMs }: { retries: number; timeoutMs: number },
): Send {
  return async (original) => {
    const request = withIdempotencyKey(original);
    for (let attempt = 0; ; attempt += 1) {
      const outcome = await attemptOnce(send, request.clone(), timeoutMs);
      if (request.signal.aborted) throw request.signal.reason;
      const isLast = attempt === retries;
      if (outcome instanceof Response) {
        const pauseMs = pauseAfter(outcome, attempt);
        if (!REPEATABLE.has(outcome.status) || isLast || pauseMs > MAX_PAUSE_MS) return outcome;
        await outcome.body?.cancel();
        await pause(pauseMs, request.signal);
      } else {
        if (isLast) throw new ConnectionError('No answer arrived', { cause: outcome.error });
        await pause(pauseAfter(undefined, attempt), request.signal);
      }
    }
  };
}

async function attemptOnce(
  send: Send,
  request: Request,
  timeoutMs: number,
): Promise<Response | { error: unknown }> {
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(timeoutMs)]);
  try {
    return await send(new Request(request, { signal }));
  } catch (error) {
    return { error };
  }
}

function withIdempotencyKey(request: Request): Request {
  if (request.method !== 'POST' || request.headers.has('idempotency-key')) return request;
  const headers = new Headers(request.headers);
  headers.set('Idempotency-Key', crypto.randomUUID());
  return new Request(request, { headers });
}

/** Returns the pause before the next attempt, in ms: random, so that clients do not meet again. */
function pauseAfter(response: Response | undefined, attempt: number): number {
  const seconds = Number(response?.headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) ? seconds * 1000 : Math.random() * FIRST_PAUSE_MS * 2 ** attempt;
}

/** Waits. @throws the reason of the signal when it aborts */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal.addEventListener('abort', stop, { once: true });
  });
}
