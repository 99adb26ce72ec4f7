/**
 * The nine errors of the interface, and the extension `service_unavailable`, with status and anchor
 * in the documentation.
 */
export const ERRORS = {
  bad_request: { status: 400, anchor: 'bad-request' },
  unauthorized: { status: 401, anchor: 'unauthorized' },
  forbidden: { status: 403, anchor: 'forbidden' },
  not_found: { status: 404, anchor: 'not-found' },
  conflict: { status: 409, anchor: 'conflict' },
  invite_expired: { status: 410, anchor: 'invite-expired' },
  unprocessable_entity: { status: 422, anchor: 'unprocessable-entity' },
  rate_limit_exceeded: { status: 429, anchor: 'rate-limit_exceeded' },
  internal_server_error: { status: 500, anchor: 'internal-server_error' },
  service_unavailable: { status: 503, anchor: 'service-unavailable' },
} as const;

export type ErrorCode = keyof typeof ERRORS;

/** A refusal in the result of a job. */
export interface RefusalData {
  code: ErrorCode;
  message: string;
  /** Same as in `Refusal`. */
  retryAfterSeconds?: number | undefined;
}

/** Body of every error answer. */
export interface ErrorBody {
  error: { code: ErrorCode; message: string; doc_url: string };
}

/**
 * An expected failure that the caller can fix. Anything else that is thrown is a fault: retried in
 * a worker, answered with 500 by the API.
 */
export class Refusal extends Error {
  readonly code: ErrorCode;
  /** True if it was the answer to an earlier request with the same Idempotency-Key. */
  readonly isReplayed: boolean;
  /**
   * Time after which a repeat may succeed, in s; for `rate_limit_exceeded` and
   * `service_unavailable`.
   */
  readonly retryAfterSeconds: number | undefined;

  /** @param message one sentence for a person that names the field, the value and the rule */
  constructor(
    code: ErrorCode,
    message: string,
    {
      isReplayed = false,
      retryAfterSeconds,
    }: { isReplayed?: boolean; retryAfterSeconds?: number | undefined } = {},
  ) {
    super(message);
    this.name = 'Refusal';
    this.code = code;
    this.isReplayed = isReplayed;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  toJSON(): RefusalData {
    const { code, message, retryAfterSeconds } = this;
    return { code, message, retryAfterSeconds };
  }
}

/**
 * Maps the items of a list that were not refused; a Refusal that `make` throws replaces its item.
 */
export function mapAccepted<Item, Result>(
  items: readonly (Item | Refusal)[],
  make: (item: Item) => Result,
): (Result | Refusal)[] {
  return items.map((item) => {
    if (item instanceof Refusal) return item;
    try {
      return make(item);
    } catch (thrown) {
      if (thrown instanceof Refusal) return thrown;
      throw thrown;
    }
  });
}

/** Makes the error body of the contract; `docsUrl` is the address of the documentation. */
export function errorBody({ code, message }: RefusalData, docsUrl: string): ErrorBody {
  const doc_url = `${docsUrl}/api-reference/errors#${ERRORS[code].anchor}`;
  return { error: { code, message, doc_url } };
}
