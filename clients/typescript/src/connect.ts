import { ApiError } from './errors.ts';
import { type Client, createClient } from './generated/client/index.js';
import { settleJob } from './jobs.ts';
import { withRetries } from './retries.ts';

/** A connection to the API, for the parameter `client` of its functions. */
export type Connection = Client;

export interface ConnectOptions {
  /** URL of the API: `https://api.example.com`. */
  baseUrl: string;
  apiKey: string;
  /** Further attempts after a failed one; 3 by default. */
  retries?: number | undefined;
  /** Time limit for an attempt, in ms; 60,000 by default. */
  timeoutMs?: number | undefined;
  /** Time limit for a write that is still being performed after its answer, in ms; 60,000. */
  jobTimeoutMs?: number | undefined;
  /** Sends the requests; the global `fetch` by default. */
  fetch?: ((request: Request) => Promise<Response>) | undefined;
}

/**
 * Creates a connection to the API. Its functions throw an {@link ApiError} for errors of the API,
 * and a `ConnectionError` if no answer arrives.
 *
 * Requests are sent again after network errors and the statuses 429, 502, 503 and 504, as late as
 * `Retry-After` asks. Each POST has an `Idempotency-Key`, by which the API performs it once.
 */
export function connect(options: ConnectOptions): Connection {
  const { apiKey, retries = 3, timeoutMs = 60_000, jobTimeoutMs = 60_000 } = options;
  const baseUrl = options.baseUrl.replace(/\/+$/, '');
  const send = withRetries(options.fetch ?? fetch, { retries, timeoutMs });
  const client = createClient({
    auth: apiKey,
    baseUrl,
    throwOnError: true,
    // Lists are repeated parameters, since values may contain commas.
    querySerializer: { array: { explode: true, style: 'form' } },
    fetch: async (input) => {
      const request = input as Request;
      return settleJob(await send(request), request, { baseUrl, send, timeoutMs: jobTimeoutMs });
    },
  });
  client.interceptors.error.use((error, response: Response | undefined) => {
    if (response === undefined) return error;
    return new ApiError(response.status, error, response.headers.get('x-request-id') ?? undefined);
  });
  return client;
}
