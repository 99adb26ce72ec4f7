import { Refusal } from '../errors.ts';
import type { IfMatch } from '../queues/definition.ts';
import { etagOf, isAmong, readIfMatch } from './etag.ts';
import type { Answer, Route } from './route.ts';

/**
 * Returns the state of the record that a write expects.
 *
 * @throws Refusal `bad_request` if the route does not write a single record
 */
export function ifMatchOf(
  { method, record }: Route,
  header: string | undefined,
): IfMatch | undefined {
  if (method === 'get' || method === 'post') return undefined;
  const ifMatch = readIfMatch(header);
  if (ifMatch !== undefined && record !== true) {
    throw new Refusal(
      'bad_request',
      'If-Match must not be sent with a request that writes many records',
    );
  }
  return ifMatch;
}

/** Adds the ETag of the record to the answer, or answers 304 if the client has that version. */
export function withEtag(
  { method, record }: Route,
  answer: Answer,
  ifNoneMatch: string | undefined,
): Answer {
  const isRecord = record === true && method !== 'delete' && [200, 201].includes(answer.status);
  if (!isRecord) return answer;
  const ETag = etagOf(answer.body as object);
  const headers = { ...answer.headers, ETag };
  const isKnown = method === 'get' && isAmong(ifNoneMatch, ETag);
  return isKnown ? { status: 304, body: undefined, headers } : { ...answer, headers };
}
