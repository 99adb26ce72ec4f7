import { type ErrorCode, Refusal } from '../../errors.ts';
import type { Answer } from '../../http/route.ts';

const TYPES = 'https://shlink.io/api/error/';

/** An error with a type of its own in Shlink's API. */
export class Problem extends Refusal {
  readonly type: string;
  readonly title: string;
  readonly status: number | undefined;
  /** Additional members of the answer. */
  readonly members: Readonly<Record<string, unknown>>;

  constructor(
    code: ErrorCode,
    type: string,
    title: string,
    detail: string,
    { status, ...members }: { status?: number; [member: string]: unknown } = {},
  ) {
    super(code, detail);
    this.type = type;
    this.title = title;
    this.status = status;
    this.members = members;
  }
}

/** Makes the error for a parameter or field that asks for something unsupported. */
export const invalid = (element: string, rule: string): Problem =>
  new Problem('unprocessable_entity', 'invalid-data', 'Invalid data', `${element} ${rule}`, {
    invalidElements: [element],
  });

export const shortUrlNotFound = (shortCode: string, domain: string | undefined): Problem =>
  new Problem(
    'not_found',
    'short-url-not-found',
    'Short URL not found',
    `No URL found with short code "${shortCode}"${domain === undefined ? '' : ` for domain "${domain}"`}`,
    { shortCode, domain },
  );

export const tagNotFound = (tag: string): Problem =>
  new Problem(
    'not_found',
    'tag-not-found',
    'Tag not found',
    `Tag with name "${tag}" could not be found`,
    { tag },
  );

export const domainNotFound = (authority: string): Problem =>
  new Problem(
    'not_found',
    'domain-not-found',
    'Domain not found',
    `Domain with authority "${authority}" could not be found`,
    { authority },
  );

/** Returns a key in the form of an `Authorization` header. @throws Problem if there is none */
export function bearer(key: string | undefined): string {
  if (key !== undefined && key !== '') return `Bearer ${key}`;
  throw new Problem(
    'unauthorized',
    'missing-authentication',
    'Invalid authorization',
    'Expected one of the following authentication headers, ["X-Api-Key"], but none were provided',
    { expectedHeaders: ['X-Api-Key'] },
  );
}

/** Makes the error for a feature that only Shlink has. */
export const notImplemented = (detail: string): Problem =>
  new Problem('forbidden', 'not-implemented', 'Not implemented', detail, { status: 501 });

/** Type and title of all other errors. */
const TITLES: Readonly<Record<ErrorCode, readonly [type: string, title: string]>> = {
  bad_request: ['invalid-data', 'Invalid data'],
  unauthorized: ['invalid-api-key', 'Invalid API key'],
  forbidden: ['forbidden', 'Forbidden'],
  not_found: ['not-found', 'Not found'],
  conflict: ['conflict', 'Conflict'],
  invite_expired: ['gone', 'Gone'],
  unprocessable_entity: ['invalid-data', 'Invalid data'],
  rate_limit_exceeded: ['too-many-requests', 'Too many requests'],
  internal_server_error: ['internal-server-error', 'Internal server error'],
  service_unavailable: ['service-unavailable', 'Service unavailable'],
};

/** Names of this API's fields in Shlink's bodies. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['url', 'longUrl'],
  ['key', 'customSlug'],
  ['startsAt', 'validSince'],
  ['expiresAt', 'validUntil'],
  ['doIndex', 'crawlable'],
  ['tagNames', 'tags'],
  ['prefix', 'pathPrefix'],
  ['query', 'searchTerm'],
  ['search', 'searchTerm'],
  ['createdAfter', 'startDate'],
  ['createdBefore', 'endDate'],
  ['target', 'baseUrlRedirect'],
  ['notFoundUrl', 'invalidShortUrlRedirect'],
]);

/** Converts an error to Shlink's format (RFC 7807). */
export function toProblem(refusal: Refusal, status: number): Answer {
  const headers = { 'Content-Type': 'application/problem+json' };
  if (refusal instanceof Problem) {
    const { type, title, message: detail, members } = refusal;
    const body = { type: TYPES + type, title, detail, status: refusal.status ?? statusOf(status) };
    return { status: body.status, headers, body: { ...body, ...members } };
  }
  const [type, title] = TITLES[refusal.code];
  const problem = { type: TYPES + type, title, detail: refusal.message, status: statusOf(status) };
  if (refusal.code !== 'unprocessable_entity') {
    return { status: problem.status, headers, body: problem };
  }
  const faults = refusal.message
    .split('; ')
    .map((fault) => fault.replace(/^\w+/, (name) => NAMES.get(name) ?? name));
  const names = faults.flatMap((fault) => /^\w+/.exec(fault)?.[0] ?? []);
  const body = { ...problem, detail: faults.join('; '), invalidElements: [...new Set(names)] };
  return { status: problem.status, headers, body };
}

/** Types of errors in versions 1 and 2, by the last segment of the type in version 3. */
const EARLIER_TYPES: ReadonlyMap<string, string> = new Map([
  ['invalid-data', 'INVALID_ARGUMENT'],
  ['invalid-short-url-deletion', 'INVALID_SHORT_URL_DELETION'],
  ['domain-not-found', 'DOMAIN_NOT_FOUND'],
  ['forbidden-tag-operation', 'FORBIDDEN_OPERATION'],
  ['non-unique-slug', 'INVALID_SLUG'],
  ['short-url-not-found', 'INVALID_SHORTCODE'],
  ['tag-conflict', 'TAG_CONFLICT'],
  ['tag-not-found', 'TAG_NOT_FOUND'],
  ['mercure-not-configured', 'MERCURE_NOT_CONFIGURED'],
  ['missing-authentication', 'INVALID_AUTHORIZATION'],
  ['invalid-api-key', 'INVALID_API_KEY'],
  ['not-found', 'NOT_FOUND'],
]);

/** Converts an error to the format of versions 1 and 2, which differ in the types. */
export function toEarlierProblem(refusal: Refusal, status: number): Answer {
  const answer = toProblem(refusal, status);
  const body = answer.body as { type: string };
  const type = EARLIER_TYPES.get(body.type.slice(TYPES.length)) ?? body.type;
  return { ...answer, body: { ...body, type } };
}

/** Shlink answers invalid data with 400. */
const statusOf = (status: number): number => (status === 422 ? 400 : status);
