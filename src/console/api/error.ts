import { fieldsInWords, refusalInWords, sentence } from './error-words.ts';

/** A refusal of the API, as its body describes it. */
export class ApiError extends Error {
  /** HTTP status; 0: no answer came. */
  readonly status: number;
  /** Stable name of the error, as in the reference; `offline` without an answer. */
  readonly code: string;
  /** Errors for people, by the path of the field: `{ url: 'Enter a URL.' }`. */
  readonly fields: Readonly<Record<string, string>>;
  /** Time to wait before the request is sent again, in ms, where the API says so. */
  readonly retryAfterMs: number | undefined;

  constructor(status: number, code: string, message: string, retryAfterMs?: number) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.code = code;
    this.fields = fieldsInWords(message);
    this.retryAfterMs = retryAfterMs;
  }

  /** True when the same request may succeed later: no answer, too many requests, a fault of the service. */
  get isPassing(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }

  /** True when the wait that the API names is longer than people look at a page: a limit of a day, an account that is closed. */
  get isLong(): boolean {
    return (this.retryAfterMs ?? 0) > 60_000;
  }

  /** Reads the error body of an answer; a proxy between may have sent something else. */
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

/** A sentence for people about anything that was thrown. */
export function describe(thrown: unknown): string {
  if (thrown instanceof ApiError) {
    if (thrown.status === 0) return 'The service can’t be reached. Check your connection.';
    if (thrown.status === 429 && !thrown.isLong)
      return 'Too many requests. Wait a moment, then try again.';
    return refusalInWords(thrown.status, thrown.message);
  }
  return thrown instanceof Error ? sentence(thrown.message) : 'Something went wrong.';
}

/** True where the record does not exist, or no longer. */
export const isGone = (thrown: unknown): boolean =>
  thrown instanceof ApiError && thrown.status === 404;

/** False where asking again brings the same answer: the record, the access or the question is what is wrong. */
export const isWorthAsking = (thrown: unknown): boolean =>
  !(thrown instanceof ApiError) || thrown.isPassing;
