import { sentence } from '../ui/sentence.ts';
import { fieldsInWords, refusalInWords } from './error-words.ts';

/** A refusal by the API, with the data of its body. */
export class ApiError extends Error {
  /** HTTP status; 0 when no response arrived. */
  readonly status: number;
  /** Stable error code of the reference; `offline` when no response arrived. */
  readonly code: string;
  /** Errors for people by field path: `{ url: 'Enter a URL.' }`. */
  readonly fields: Readonly<Record<string, string>>;
  /** Time to wait before a retry in ms, when the API states one. */
  readonly retryAfterMs: number | undefined;

  constructor(status: number, code: string, message: string, retryAfterMs?: number) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.code = code;
    this.fields = fieldsInWords(message);
    this.retryAfterMs = retryAfterMs;
  }

  /** True when a retry may succeed: no response, too many requests, or a server error. */
  get isPassing(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }

  /** True when the stated wait is long, as for a daily limit or a closed account. */
  get isLong(): boolean {
    return (this.retryAfterMs ?? 0) > 60_000;
  }

  /** Reads the error body of a response; a proxy in between may have sent another format. */
  static async of(response: Response): Promise<ApiError> {
    const body: unknown = await response.json().catch(() => undefined);
    const error = (body as { error?: { code?: string; message?: string } } | undefined)?.error;
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
    return new ApiError(
      response.status,
      error?.code ?? 'internal_server_error',
      error?.message ??
        `The service answered with status ${response.status}. Try again in a moment.`,
      Number.isFinite(seconds) ? seconds * 1000 : undefined,
    );
  }
}

/** Describes any thrown value in a sentence for people. */
export function describe(thrown: unknown): string {
  if (thrown instanceof ApiError) {
    if (thrown.status === 0) return 'The service can’t be reached. Check your connection.';
    if (thrown.status === 429 && !thrown.isLong)
      return 'Too many requests. Wait a moment, then try again.';
    return refusalInWords(thrown.status, thrown.message);
  }
  return thrown instanceof Error ? sentence(thrown.message) : 'Something went wrong.';
}

/** True when the record does not exist or no longer exists. */
export const isGone = (thrown: unknown): boolean =>
  thrown instanceof ApiError && thrown.status === 404;

/**
 * False when a retry cannot help, because the record, the access or the request itself is wrong.
 */
export const isWorthRetrying = (thrown: unknown): boolean =>
  !(thrown instanceof ApiError) || thrown.isPassing;
