import type Joi from 'joi';
import type { Redis } from '../infra/redis.ts';
import type { Producer } from '../queues/queue.ts';
import type { Replies } from '../queues/replies.ts';
import type { Plan } from '../workspaces/plans.ts';
import type { Caller } from '../workspaces/queries.ts';
import type { Scope } from '../workspaces/scopes.ts';

/** The parts of a request that a schema has checked. */
export interface RouteInput {
  params?: unknown;
  query?: unknown;
  body?: unknown;
}

/** A request as a room's handler sees it: known caller, checked input. */
export interface ApiRequest<Input extends RouteInput = RouteInput> {
  caller: Caller;
  params: Input['params'];
  query: Input['query'];
  body: Input['body'];
  requestId: string;
  /** The client sent `Prefer: respond-async`: it wants 202 and the job's address. */
  respondAsync: boolean;
  /** The `If-None-Match` header: what the client has already. */
  ifNoneMatch: string | undefined;
  queues: Queues;
}

/** How a handler reaches the workers. */
export interface Queues {
  producer: Producer;
  replies: Replies;
  /** Where workers leave what is too large for a reply. */
  cache: Redis;
}

/** What a handler answers. */
export interface Answer {
  status: number;
  /**
   * Sent as JSON; a Buffer, or text in parts, as it is, with the Content-Type of the headers; `undefined` for none.
   */
  body: unknown;
  headers?: Record<string, string>;
}

/**
 * One endpoint: all that the router, the input check, the OpenAPI document and the tests know of it.
 * `params`, `query` and `body` refuse what they do not name.
 */
export interface RouteSpec<Input extends RouteInput> {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** As in the contract: `/links/{linkId}`. */
  path: string;
  /** One line for the reference. */
  summary: string;
  description?: string;
  tag: string;
  /** What the key must allow; `public` needs no key, and is limited by address. */
  scope: Scope | 'public';
  /** Lowest plan that has the endpoint. */
  plan?: Plan;
  params?: Joi.ObjectSchema;
  query?: Joi.ObjectSchema;
  body?: Joi.Schema;
  /** Checked instead of `body`, where the handler checks the parts of a body one by one. */
  bodyCheck?: Joi.Schema;
  /** Largest body, in bytes. */
  bodyLimit?: number;
  /** Schema of every success status. A route that writes also lists 202 by itself. */
  answers: Record<number, Joi.Schema | MediaTypes>;
  /** The route puts a job on a queue, and may answer 202. */
  writes?: boolean;
  /** Counted against its own, ten times larger limit. */
  limit?: 'track';
  handle(request: ApiRequest<Input>): Promise<Answer>;
}

/** Content types of an answer that is not JSON. */
export interface MediaTypes {
  media: readonly string[];
}

/** A route whose input types are settled. */
export type Route = RouteSpec<RouteInput>;

/** Names a route's input types: what its schemas let through. */
export function route<Input extends RouteInput>(spec: RouteSpec<Input>): Route {
  return spec as unknown as Route;
}
