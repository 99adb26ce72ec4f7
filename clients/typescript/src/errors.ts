import type { Error as ErrorBody } from './generated/index.js';

/** Name of an error, which stays the same between releases. */
export type ErrorCode = ErrorBody['error']['code'];

/** An error that the API answered. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: ErrorCode;
  /** URL of the explanation of the error. */
  readonly docUrl: string | undefined;
  /** Value of `X-Request-Id`, by which operators find the request in their log. */
  readonly requestId: string | undefined;

  constructor(status: number, body: unknown, requestId: string | undefined) {
    const { error } = isErrorBody(body) ? body : unknownError(status);
    super(error.message);
    this.status = status;
    this.code = error.code;
    this.docUrl = error.doc_url;
    this.requestId = requestId;
  }
}

/** No answer arrived, after all attempts. `cause` is the error of the last one. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
}

const isErrorBody = (body: unknown): body is ErrorBody =>
  typeof (body as { error?: { message?: unknown } } | null)?.error?.message === 'string';

/** The body of an answer that is not from the API, such as one of a proxy. */
const unknownError = (status: number): ErrorBody => ({
  error: {
    code: status < 500 ? 'bad_request' : 'internal_server_error',
    message: `The answer has the status ${status} and no error of the API`,
  },
});
