import type Joi from 'joi';
import { config } from '../config.ts';
import { Refusal } from '../errors.ts';
import { canonicalJson } from '../infra/canonical.ts';
import type { Position } from '../infra/keyset.ts';
import { memoize } from '../infra/memoize.ts';
import { isSigned, sign } from '../infra/secrets.ts';
import type { Query } from './input.ts';
import type { Answer, Route } from './route.ts';

/*
 * A cursor names the last row of a page of a list:
 *
 *   base64url(<version>.<signature>.<JSON of the position>)
 *
 * The signature covers the workspace, the list, its filters and its order, so that a position is
 * only read in the list in which it was written, and is never made by a caller.
 */

/** Version of the format. */
const VERSION = '1';
/** Parameters that choose a page, not the records or their order. */
const OF_PAGE = ['page', 'pageSize', 'limit', 'after', 'cursor'];
/**
 * Maximum length of the header `Link`, in characters. Proxies limit all headers of a response:
 * nginx to 4 KiB by default (`proxy_buffer_size`).
 */
const MAX_LINK = 3_000;

/** A list of a workspace with its filters and its order. */
interface List {
  route: Pick<Route, 'operationId'>;
  projectId: string;
  /** Values of path and query that a schema has validated. */
  params: unknown;
  query: unknown;
}

/** Returns true for a route that answers a list whose pages have cursors. */
export const hasCursors = memoize(
  ({ query }: Pick<Route, 'query'>): boolean => keysOf(query).includes('after'),
  new WeakMap(),
);

function keysOf(schema: Joi.ObjectSchema | undefined): string[] {
  return Object.keys((schema?.describe().keys as object | undefined) ?? {});
}

const scopeOf = ({ route, projectId, params, query }: List): string => {
  const filters = Object.entries(query as object).filter(([name]) => !OF_PAGE.includes(name));
  const contents = canonicalJson({ params, filters: Object.fromEntries(filters) as object });
  return [VERSION, projectId, route.operationId, contents].join('\n');
};

/** Encodes a position in a list as a cursor. */
export function writeCursor(list: List, position: Position): string {
  const values = JSON.stringify(position);
  const signature = sign('cursor', `${scopeOf(list)}\n${values}`);
  return Buffer.from(`${VERSION}.${signature}.${values}`).toString('base64url');
}

/**
 * Replaces the cursor of a query by its position.
 *
 * @throws Refusal `unprocessable_entity` for a cursor of another list, and together with a page
 */
export function openCursor(list: List): object {
  const query = list.query as { page?: number; after?: string | Position };
  if (query.after === undefined) return query;
  if (query.page !== undefined && query.page > 1) {
    throw new Refusal('unprocessable_entity', 'after must not be given with a page other than 1');
  }
  return typeof query.after === 'string'
    ? { ...query, after: positionIn(list, query.after) }
    : query;
}

function positionIn(list: List, cursor: string): Position {
  const [version, signature, ...rest] = Buffer.from(cursor, 'base64url').toString().split('.');
  const values = rest.join('.');
  if (
    version === VERSION &&
    signature !== undefined &&
    isSigned('cursor', `${scopeOf(list)}\n${values}`, signature)
  ) {
    return JSON.parse(values) as Position;
  }
  throw new Refusal(
    'unprocessable_entity',
    'after must be the cursor of a page of this list with the same filters and order',
  );
}

/** A request for a page, as its client sent it. */
interface SentRequest {
  params: Readonly<Record<string, string>>;
  query: Query;
}

/**
 * Adds the headers that lead to the next page (RFC 8288): its cursor, and its URL with all
 * parameters of the request.
 */
export function withNext(
  list: List & { route: Pick<Route, 'operationId' | 'path'> },
  { params, query }: SentRequest,
  answer: Answer,
): Answer {
  if (answer.next === undefined) return answer;
  const cursor = writeCursor(list, answer.next);
  const path = list.route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(params[name]!),
  );
  const search = new URLSearchParams();
  for (const [name, values] of Object.entries(query)) {
    if (['page', 'after', 'cursor'].includes(name)) continue;
    for (const value of [values].flat()) search.append(name, value);
  }
  search.append('after', cursor);
  const link = `<${config().BASE_URL}${path}?${search.toString()}>; rel="next"`;
  const headers = {
    'X-Next-Cursor': cursor,
    ...(link.length > MAX_LINK ? {} : { Link: link }),
    ...answer.headers,
  };
  return { ...answer, headers };
}
