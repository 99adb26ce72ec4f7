import { Refusal } from '../errors.ts';
import { NoConnection } from '../infra/db.ts';
import { isDataError, VALUE_REFUSED } from '../infra/outage.ts';

/** Converts errors that the request caused to refusals, and returns all others unchanged. */
export function refusalOf(thrown: unknown): unknown {
  // Express throws this for a path such as `/links/%E0%A4`.
  if (thrown instanceof URIError) {
    return new Refusal('bad_request', 'The path is not well percent-encoded');
  }
  if (isDataError(thrown)) {
    return new Refusal('unprocessable_entity', VALUE_REFUSED);
  }
  if (thrown instanceof NoConnection) {
    return new Refusal('service_unavailable', 'The database has no capacity now: try again later');
  }
  return thrown;
}
