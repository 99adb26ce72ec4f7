import type Joi from 'joi';
import type { Refusal } from '../errors.ts';
import type { Log } from '../infra/log.ts';
import type { Redis } from '../infra/redis.ts';
import type { IfMatch, Keyed } from '../queues/definition.ts';
import type { Inspector } from '../queues/inspect.ts';
import type { JobSpool } from '../queues/job-spool.ts';
import type { LiveChannels } from '../queues/live.ts';
import type { Producer } from '../queues/producer.ts';
import type { Replies } from '../queues/replies.ts';
import type { Caller } from '../workspaces/api-keys.ts';
import type { Plan } from '../workspaces/plans.ts';
import type { Scope } from '../workspaces/scopes.ts';
import type { Query } from './input.ts';
import type { Tag } from './tags.ts';

/** The parts of a request that a schema has checked. */
export interface RouteInput {
  params?: unknown;
  query?: unknown;
  body?: unknown;
}

/** The Idempotency-Key of a request. */
export interface Idempotency {
  /** Of the job that every repeat shares. */
  jobId: string;
  /** The id that version 0.5 and earlier would have given to it. */
  earlierJobId: string;
  keyed: Keyed;
  /** Why the request is refused where it is no repeat: what it asks for was in time only earlier. */
  late: Refusal | undefined;
}

/** The browser or program that sent a request. */
export interface Client {
  /** Where the request comes from (`networkOf`). */
  network: string;
  userAgent: string;
  /** The `Cookie` header. */
  cookies: string | undefined;
}

/** A request with its caller and its checked input, as handlers get it. */
export interface ApiRequest<Input extends RouteInput = RouteInput> {
  caller: Caller;
  client: Client;
  params: Input['params'];
  query: Input['query'];
  body: Input['body'];
  requestId: string;
  log: Log;
  /** The client sent `Prefer: respond-async`: it wants 202 and the job's address. */
  respondAsync: boolean;
  /** The client sent an `Idempotency-Key`. */
  idempotency: Idempotency | undefined;
  /** The state of the record that the write is meant for. */
  ifMatch: IfMatch | undefined;
  /** The `If-None-Match` header: what the client has already. */
  ifNoneMatch: string | undefined;
  connection: Connection;
  queues: Queues;
}

/** The connection of a request, for an answer that goes on for long. */
export interface Connection {
  /** The `Last-Event-ID` header: up to where the client has the stream already. */
  lastEventId: string | undefined;
  /** Calls a function once the answer has been sent, or can't be sent any more. */
  onClose(act: () => void): void;
  /** Closes the connection, whether the answer has been sent or not. */
  cut(): void;
  /** @throws Refusal if the caller may no longer do what the request asks for */
  checkCaller(): Promise<void>;
  /**
   * Takes an image from what the client's network has left of images that are fetched and drawn for no workspace.
   *
   * @throws Refusal `rate_limit_exceeded`
   */
  takeImage(): Promise<void>;
}

/** The connections of a handler to the workers. */
export interface Queues {
  producer: Producer;
  /** For operators: what the queues hold. */
  inspector: Inspector;
  /** Jobs that were accepted and that Redis has not acknowledged. */
  spool: JobSpool;
  replies: Replies;
  /** The Redis of the queues, in which limits are counted. */
  redis: Redis;
  /** The Redis in which workers store results that are too large for a reply. */
  cache: Redis;
  live: LiveChannels;
}

/** The response of a handler. */
export interface Answer {
  status: number;
  /**
   * Sent as JSON; a Buffer, or text in parts, as it is, with the Content-Type of the headers; `undefined` for none.
   */
  body: unknown;
  headers?: Record<string, string | string[]>;
}

/** Operations begin with one of these, so that clients read as sentences: `createLink`, `bulkDeleteLinks`. */
type Verb =
  | 'create'
  | 'bulkCreate'
  | 'list'
  | 'count'
  | 'find'
  | 'retrieve'
  | 'render'
  | 'update'
  | 'bulkUpdate'
  | 'upsert'
  | 'delete'
  | 'bulkDelete'
  | 'export'
  | 'download'
  | 'stream'
  | 'track'
  | 'verify'
  | 'rotate'
  | 'accept'
  | 'test'
  | 'resend'
  | 'start'
  | 'cancel'
  | 'undo';

export type OperationId = `${Verb}${Capitalize<string>}`;

/**
 * One endpoint: all that the router, the input check, the OpenAPI document and the tests know of it.
 * `params`, `query` and `body` refuse what they do not name.
 */
export interface RouteSpec<Input extends RouteInput> {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** As in the contract: `/links/{linkId}`. */
  path: string;
  /** Name of the operation in the reference and in generated clients; unique. */
  operationId: OperationId;
  /** One line for the reference. */
  summary: string;
  description: string;
  tag: Tag;
  /** It extends the published contract; the reference marks it with `x-extension`. */
  extension?: true;
  /**
   * Scope that the key, or the role of the signed-in person, must have. `public` needs neither, and is limited per client
   * address; `user` needs a signed-in person and no workspace; `operator` one who operates the installation.
   */
  scope: Scope | 'public' | 'user' | 'operator';
  /** True when what is asked for is the caller's own, which they may have without the scope. */
  isOwn?(caller: Caller, params: Readonly<Record<string, string | undefined>>): boolean;
  /** Lowest plan that has the endpoint. */
  plan?: Plan;
  params?: Joi.ObjectSchema;
  query?: Joi.ObjectSchema;
  body?: Joi.Schema;
  /** Checked instead of `body`, where the handler checks the parts of a body one by one. */
  bodyCheck?: Joi.Schema;
  /** Defaults of absent fields of the body that the schema doesn't state: a repeat may spell them out. */
  defaults?: Readonly<Record<string, unknown>>;
  /** It answers or writes one record: with an ETag, `If-None-Match` and `If-Match`. */
  record?: true;
  /** Largest body, in bytes. */
  bodyLimit?: number;
  /**
   * The body is a file, which is kept for a worker: the handler's body is an `Upload`. It is as large as `limit`, or as
   * `limits` has it for its content type.
   */
  upload?: MediaTypes & { limit: number; limits?: Readonly<Record<string, number>> };
  /** Schema of every success status. A route that writes also lists 202 by itself. */
  answers: Record<number, Joi.Schema | MediaTypes>;
  /** The route puts a job on a queue, and may answer 202. */
  writes?: boolean;
  /**
   * Counted against a limit of its own: `track` against one ten times larger, `fetch` against that of endpoints without a
   * key, since other hosts are asked.
   */
  limit?: 'track' | 'fetch';
  /**
   * It may read many rows, always or with such a query, whose parameters are not checked yet: few of these requests run at
   * once for one workspace, and others wait.
   */
  isHeavy?: boolean | ((query: Query) => boolean);
  handle(request: ApiRequest<Input>): Promise<Answer>;
}

/** Content types of a body or an answer that is not JSON. */
export interface MediaTypes {
  media: readonly string[];
}

/** True for a scope that API keys and roles have: the endpoint is that of a workspace. */
export const isOfWorkspace = (scope: Route['scope']): scope is Scope =>
  scope !== 'public' && scope !== 'user' && scope !== 'operator';

/** True for a query with one of these parameters: filters that no index answers, so that all rows may be read. */
export const hasAny =
  (...names: readonly string[]) =>
  (query: Query): boolean =>
    names.some((name) => query[name] !== undefined);

/** An answer without a body. */
export const NO_CONTENT: MediaTypes = { media: [] };

/** A route whose input types are settled. */
export type Route = RouteSpec<RouteInput>;

/** Names a route's input types: what its schemas let through. */
export function route<Input extends RouteInput>(spec: RouteSpec<Input>): Route {
  // The schemas of a route have let its input through before `handle` gets it.
  return spec as unknown as Route;
}
