import { config } from '../config.ts';
import { ERRORS, type ErrorBody, errorBody, Refusal } from '../errors.ts';

/** Default of Retry-After for a 429 or 503, in s. */
export const RETRY_S = 10;

/**
 * Returns status and body for a thrown error. For a fault, the caller only learns the request id.
 */
export function answerError(
  thrown: unknown,
  requestId: string,
): { status: number; body: ErrorBody } {
  const refusal =
    thrown instanceof Refusal
      ? thrown
      : new Refusal(
          'internal_server_error',
          `Something went wrong on our side. Request id: ${requestId}`,
        );
  return { status: ERRORS[refusal.code].status, body: errorBody(refusal, config().DOCS_URL) };
}
