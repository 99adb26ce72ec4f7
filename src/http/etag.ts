import { Refusal } from '../errors.ts';
import { canonicalJson } from '../infra/canonical.ts';
import { fingerprint } from '../infra/secrets.ts';
import type { IfMatch } from '../queues/definition.ts';
import type { Answer, Route } from './route.ts';

/*
 * The ETag of a record has two parts, "content-rest". The first changes with what owners write, the
 * second with everything else that the record shows, such as its counts. Readers compare both
 * (If-None-Match). A writer only compares the first (If-Match), so that only another writer, never
 * a visitor, makes a write fail.
 */

const PART_LENGTH = 22;
const ETAG = /^(?:W\/)?"([\w-]{22})-[\w-]{22}"$/;

/**
 * Fields that change without a write of the record, and those that only the answer of one write
 * contains.
 */
const NOT_WRITTEN = new Set([
  'clicks',
  'scans',
  'leads',
  'sales',
  'saleAmount',
  'refundAmount',
  'firstClick',
  'lastClicked',
  'views',
  'filled',
  'destinationCheck',
  'failingSince',
  'pausedUntil',
  'lastUsedAt',
  'lastSeenAt',
  'lastDeliveryAt',
  'lastSentAt',
  'nextMailAt',
  'pendingSince',
  'lastError',
  'refusedEvents',
  'backfill',
  'lastTest',
  'lastRefusedAt',
  'lastRefusal',
  'usage',
]);
const SHOWN_ONCE = new Set(['secret', 'previousSecretUntil', 'warnings']);

const hash = (entries: [string, unknown][]) =>
  Buffer.from(fingerprint(canonicalJson(Object.fromEntries(entries))), 'hex')
    .toString('base64url')
    .slice(0, PART_LENGTH);

const contentOf = (record: object): string =>
  hash(Object.entries(record).filter(([name]) => !NOT_WRITTEN.has(name) && !SHOWN_ONCE.has(name)));

/** Adds the ETag of the record to the answer, or answers 304 if the client has that version. */
export function withEtag(
  { method, record }: Route,
  answer: Answer,
  ifNoneMatch: string | undefined,
): Answer {
  // The answer of a PATCH for later (201) is another record.
  const statuses = method === 'patch' ? [200] : [200, 201];
  const isRecord = record === true && method !== 'delete' && statuses.includes(answer.status);
  if (!isRecord) return answer;
  const body = answer.body as object;
  const rest = Object.entries(body).filter(([name]) => NOT_WRITTEN.has(name));
  const ETag = `"${contentOf(body)}-${hash(rest)}"`;
  const headers = { ...answer.headers, ETag };
  const isKnown = method === 'get' && isAmong(ifNoneMatch, ETag);
  return isKnown ? { status: 304, body: undefined, headers } : { ...answer, headers };
}

/**
 * Returns true if an `If-None-Match` header contains an ETag (RFC 9110, 13.1.2: compared weakly).
 */
export function isAmong(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  const tags = header.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return header.trim() === '*' || tags.includes(etag);
}

/**
 * Returns the ETags that a write expects its record to have; `undefined` for GET and
 * most POST, which ignore `If-Match`. Weak ETags are accepted too, because proxies that compress create them.
 *
 * @throws Refusal `bad_request` if the route does not write a single record
 */
export function ifMatchOf(
  { method, record, isConditional }: Route,
  header: string | undefined,
): IfMatch | undefined {
  const isIgnored = method === 'get' || (method === 'post' && isConditional !== true);
  if (isIgnored || header === undefined) return undefined;
  if (record !== true) {
    throw new Refusal(
      'bad_request',
      'If-Match must not be sent with a request that writes many records',
    );
  }
  if (header.trim() === '*') return '*';
  return header.split(',').flatMap((tag) => ETAG.exec(tag.trim())?.[1] ?? []);
}

/**
 * Checks the expected state; call it while the record is locked.
 *
 * @param record as its owner sees it; `undefined` if there is none
 * @throws Refusal `conflict` when the record is not in the state that the write expects
 */
export function refuseChanged(ifMatch: IfMatch | undefined, record: object | undefined): void {
  if (ifMatch === undefined) return;
  if (record !== undefined && (ifMatch === '*' || ifMatch.includes(contentOf(record)))) return;
  throw new Refusal(
    'conflict',
    'If-Match must be the current ETag of the record: it has changed since',
  );
}
