import { Refusal } from '../errors.ts';
import type { Query } from '../http/input.ts';
import type { Answer, OperationId, Route } from '../http/route.ts';

/** A request of a client that speaks the API of another service. */
export interface PeerRequest {
  params: Readonly<Record<string, string>>;
  query: Query;
  /** The JSON of the body, or the fields of a form; `undefined` where the route reads none. */
  body: unknown;
  header(name: string): string | undefined;
  /** Finds out whether the service can answer requests. */
  isReady(): Promise<boolean>;
}

/** A query of one of our endpoints; a parameter that is `undefined` is not sent. */
export type AskedQuery = Readonly<Record<string, string | string[] | undefined>>;

/** The input of one of our endpoints, not checked yet. */
export interface AskedInput {
  params?: Record<string, string>;
  query?: AskedQuery;
  body?: unknown;
}

/**
 * Asks one of our endpoints on behalf of the client, as if it had sent the request itself: with its rights, limits, checks,
 * idempotency and audit.
 *
 * @throws Refusal as the endpoint does
 */
export type Ask = <Body>(operation: OperationId, input?: AskedInput) => Promise<Answered<Body>>;

/** The answer of an endpoint whose body has a known type. */
export type Answered<Body> = Omit<Answer, 'body'> & { body: Body };

/** An endpoint of another service's API. */
export interface PeerRoute {
  method: Route['method'];
  /** After the path of the peer: `/links/{linkId}`. */
  path: string;
  /**
   * The endpoint of ours whose scope and plan a client needs, and against whose limit its requests count; absent: the
   * answer says nothing of a workspace, and needs no key.
   */
  operation?: OperationId;
  /** The body that is read. */
  takes?: 'json' | 'form';
  /** @throws Refusal */
  answer(request: PeerRequest, ask: Ask): Promise<Answer>;
}

/** Another service whose clients are answered as it would answer them. */
export interface Peer {
  /** Path before those of its routes. */
  path: string;
  routes: readonly PeerRoute[];
  /** The key of a request, as an `Authorization` header has it. */
  authorization(request: PeerRequest): string | undefined;
  /** An error as this service answers it; absent: as ours. Of an unknown path there is no request. */
  toError?(refusal: Refusal, status: number, request: PeerRequest | undefined): Answer;
}

/** A record whose fields are looked at by name. */
export type Fields = Record<string, unknown>;

/** The fields of a body; none where it is no object, which our endpoint refuses for what is missing then. */
export const fieldsOf = (body: unknown): Fields =>
  typeof body === 'object' && body !== null && !Array.isArray(body) ? (body as Fields) : {};

/** The value of a parameter; of several, the last one. */
export const one = (query: AskedQuery, name: string): string | undefined =>
  [query[name]].flat().at(-1);

/** The fields that are given: `null` and `undefined` say nothing. */
export const given = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && value !== undefined),
  );

/** The fields without some. */
export const without = <Value>(
  fields: Readonly<Record<string, Value>>,
  names: readonly string[],
): Record<string, Value> =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));

/** Resolves to `undefined` where the client may not read something, or it is not there. */
export async function ifReadable<Value>(value: Promise<Value>): Promise<Value | undefined> {
  try {
    return await value;
  } catch (thrown) {
    const { code } = thrown as { code?: unknown };
    if (thrown instanceof Refusal && (code === 'forbidden' || code === 'not_found')) {
      return undefined;
    }
    throw thrown;
  }
}

/** The link record of our interface, as far as other services have something like it. */
export interface LinkRecord extends Fields {
  id: string;
  domain: string;
  key: string;
  url: string;
  title: string | null;
  shortLink: string;
  clicks: number;
  projectId: string;
  createdAt: string;
  tags: { id: string; name: string }[];
}
