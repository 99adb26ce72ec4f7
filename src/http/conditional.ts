import { Refusal } from '../errors.ts';
import type { IfMatch } from '../queues/definition.ts';
import { etagOf, isAmong, readIfMatch } from './etag.ts';
import type { Answer, Route } from './route.ts';

/**
 * The state of the record that a write is meant for.
 *
 * @throws Refusal `bad_request` where there is no one record
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

/** The answer with the ETag of its record; 304 where the client has that. */
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
