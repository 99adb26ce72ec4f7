import { Refusal } from '../errors.ts';
import type { Query } from '../http/input.ts';
import type { Answer, OperationId, Route } from '../http/route.ts';
import type { KeyProof } from '../workspaces/api-keys.ts';

/** A request from a client of another service's API. */
export interface PeerRequest {
  params: Readonly<Record<string, string>>;
  query: Query;
  /** JSON of the body, or the fields of a form; `undefined` if the route reads none. */
  body: unknown;
  header(name: string): string | undefined;
  /** IP address of the client. */
  ip: string;
  /** Resolves to true if the service can answer requests. */
  isReady(): Promise<boolean>;
}

/** Query for an endpoint of this API; a parameter that is `undefined` is not sent. */
export type CallQuery = Readonly<Record<string, string | string[] | undefined>>;

/** Input for an endpoint of this API, not validated yet. */
export interface CallInput {
  params?: Record<string, string>;
  query?: CallQuery;
  body?: unknown;
}

/**
 * Calls an endpoint of this API on behalf of the client, as if it had sent the request itself: with
 * its permissions, limits, validation, idempotency and audit.
 *
 * @throws Refusal as the endpoint does
 */
export type Call = <Body>(operation: OperationId, input?: CallInput) => Promise<Answered<Body>>;

/** Answer of an endpoint with a known type of body. */
export type Answered<Body> = Omit<Answer, 'body'> & { body: Body };

/** An endpoint of another service's API. */
export interface PeerRoute {
  method: Route['method'];
  /** Path after the path of the peer: `/links/{linkId}`. */
  path: string;
  /**
   * Operation of this API whose scope and plan a client needs, and against whose limit its requests
   * count. Absent if the answer contains nothing of a workspace and needs no key.
   */
  operation?: OperationId;
  /** True for an endpoint that pages of any origin may call, with their key. */
  isForPages?: true;
  /** Format of the body; `any`: a form if its type says so, else JSON. */
  takes?: 'json' | 'form' | 'any' | undefined;
  /** Returns the key of a request, if this endpoint has it in another place than the others. */
  authorization?: Peer['authorization'];
  /** @throws Refusal */
  answer(request: PeerRequest, call: Call): Promise<Answer>;
}

/** Another service whose API is imitated for its clients. */
export interface Peer {
  /** Prefix of the paths of its routes. */
  path: string;
  /** Earlier versions of the API, with the same routes. */
  earlier?: readonly Pick<Peer, 'path' | 'toError'>[];
  /** Earlier routes take precedence. */
  routes: readonly PeerRoute[];
  /** Name of the path parameter that may contain slashes which clients do not encode. */
  spanning?: string;
  /** Returns the key of a request, in the form of an `Authorization` header, or a proof of it. */
  authorization(request: PeerRequest): string | KeyProof | undefined;
  /**
   * Converts an error to the format of the service; absent if it equals that of this API. There is
   * no request for an unknown path.
   */
  toError?(refusal: Refusal, status: number, request: PeerRequest | undefined): Answer;
}

/** A record whose fields are accessed by name. */
export type Fields = Record<string, unknown>;

/**
 * Returns the fields of a body; none if it is not an object, which the endpoint refuses because of
 * missing fields.
 */
export const fieldsOf = (body: unknown): Fields =>
  typeof body === 'object' && body !== null && !Array.isArray(body) ? (body as Fields) : {};

/** Returns the value of a parameter; the last one if there are several. */
export const lastValue = (query: CallQuery, name: string): string | undefined =>
  [query[name]].flat().at(-1);

/** Joins the items of lists in the notations of PHP clients: `tags[]` and `tags[0]`. */
export function joinLists<Values extends Fields>(fields: Values): Values {
  const joined: Fields = Object.create(null) as Fields;
  for (const [name, value] of Object.entries(fields)) {
    const [, list] = /^(\w+)\[\d*\]$/.exec(name) ?? [];
    if (list === undefined) joined[name] = value;
    else joined[list] = [joined[list] ?? [], value].flat();
  }
  return joined as Values;
}

/** Removes fields that are `null` or `undefined`. */
export const definedFields = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && value !== undefined),
  );

/** Returns the fields except some, given by name. */
export const omit = <Value>(
  fields: Readonly<Record<string, Value>>,
  names: readonly string[],
): Record<string, Value> =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));

/** Resolves to `undefined` if the client may not read the value, or it does not exist. */
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

/** The link record of this API, limited to what other services have as well. */
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
