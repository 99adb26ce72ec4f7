import type Joi from 'joi';
import { Refusal } from '../errors.ts';
import { mapSlice, type Position, type Slice } from '../infra/keyset.ts';
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

/** The parts of a request that a schema has validated. */
export interface RouteInput {
  params?: unknown;
  query?: unknown;
  body?: unknown;
}

/** The Idempotency-Key of a request. */
export interface Idempotency {
  /** Id of the job that all repeats share. */
  jobId: string;
  /** Id that version 0.5 and earlier would have given to the job. */
  earlierJobId: string;
  keyed: Keyed;
  /** Reason why the request is refused unless it is a repeat, because it was only valid earlier. */
  late: Refusal | undefined;
}

/** The browser or program that sent a request. */
export interface Client {
  /** Network of the client (`networkOf`). */
  network: string;
  userAgent: string;
  /** The `Cookie` header. */
  cookies: string | undefined;
}

/** A request as handlers receive it, with its caller and its validated input. */
export interface ApiRequest<Input extends RouteInput = RouteInput> {
  caller: Caller;
  client: Client;
  params: Input['params'];
  query: Input['query'];
  body: Input['body'];
  requestId: string;
  log: Log;
  /** True if the client sent `Prefer: respond-async` to get 202 and the job's address. */
  respondAsync: boolean;
  /** Set if the client sent an `Idempotency-Key`. */
  idempotency: Idempotency | undefined;
  /** State of the record that the write expects. */
  ifMatch: IfMatch | undefined;
  /** The `If-None-Match` header: the version that the client has. */
  ifNoneMatch: string | undefined;
  connection: Connection;
  queues: Queues;
}

/** The parts of a request that adding a job needs. */
export type Requester = Pick<ApiRequest, 'queues' | 'caller' | 'requestId'>;

/** The connection of a request, for streaming answers. */
export interface Connection {
  /** The `Last-Event-ID` header: the last event of the stream that the client received. */
  lastEventId: string | undefined;
  /** Calls a function once the answer has been sent, or can no longer be sent. */
  onClose(act: () => void): void;
  /** Closes the connection, whether the answer has been sent or not. */
  cut(): void;
  /**
   * Identifies the caller again.
   *
   * @throws Refusal when the caller may no longer do what the request asks for
   */
  checkCaller(): Promise<Caller>;
  /**
   * Counts an image against the network's limit of images that are fetched and drawn without a
   * workspace.
   *
   * @throws Refusal `rate_limit_exceeded`
   */
  takeImage(): Promise<void>;
}

/** Connections of a handler to the workers. */
export interface Queues {
  producer: Producer;
  /** Reads the content of the queues, for operators. */
  inspector: Inspector;
  /** Accepted jobs that Redis has not acknowledged yet. */
  spool: JobSpool;
  replies: Replies;
  /** Redis of the queues, in which limits are counted. */
  redis: Redis;
  /** Redis in which workers store results that are too large for a reply. */
  cache: Redis;
  live: LiveChannels;
}

/** The response of a handler. */
export interface Answer {
  status: number;
  /**
   * Sent as JSON; a Buffer, or text in parts, is sent unchanged with the Content-Type of the
   * headers; `undefined` for no body.
   */
  body: unknown;
  headers?: Record<string, string | string[]>;
  /** Position of the last record of a page, if more follow: the start of the next page. */
  next?: Position | undefined;
}

export const ok = (body: unknown): Answer => ({ status: 200, body });

/** Answers with a page of a list, and the way to the next one. */
export function pageOf<Row>(slice: Slice<Row>, toRecord: (row: Row) => unknown): Answer {
  const { rows, next } = mapSlice(slice, toRecord);
  return { ...ok(rows), next };
}

export const noContent: Answer = { status: 204, body: undefined };

/**
 * Returns a requested record.
 *
 * @throws Refusal `not_found` if there is none
 */
export function found<Item>(record: Item | undefined, what: string): Item {
  if (record === undefined) throw new Refusal('not_found', `There is no ${what}`);
  return record;
}

/** Makes an answer of 201 with the record and its location. */
export const created = (location: string, body: unknown): Answer => ({
  status: 201,
  body,
  headers: { Location: location },
});

/** Adds the header that marks the answer of an earlier request. */
export const replayed = (answer: Answer): Answer => ({
  ...answer,
  headers: { ...answer.headers, 'Idempotent-Replayed': 'true' },
});

/**
 * First words of operation ids, so that client code reads as sentences: `createLink`,
 * `bulkDeleteLinks`.
 */
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
  | 'merge'
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
  | 'undo'
  | 'reset'
  | 'simulate'
  | 'revert'
  | 'restore';

export type OperationId = `${Verb}${Capitalize<string>}`;

/**
 * Definition of one endpoint for the router, input validation, the OpenAPI document and the tests.
 * `params`, `query` and `body` refuse fields that they do not name.
 */
export interface RouteSpec<Input extends RouteInput> {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Path in the form of the contract: `/links/{linkId}`. */
  path: string;
  /** Name of the operation in the reference and in generated clients; unique. */
  operationId: OperationId;
  /** One line for the reference. */
  summary: string;
  description: string;
  tag: Tag;
  /**
   * True if the endpoint extends the published contract; the reference marks it with `x-extension`.
   */
  extension?: true;
  /**
   * Scope that the key, or the role of the signed-in person, must have. `public` needs neither, and
   * is limited per client address; `user` needs a signed-in person but no workspace; `operator`
   * needs an operator of the installation.
   */
  scope: Scope | 'public' | 'user' | 'operator';
  /** Returns true if the request concerns the caller's own data, which needs no scope. */
  isOwn?(caller: Caller, params: Readonly<Record<string, string | undefined>>): boolean;
  /** Lowest plan that includes the endpoint. */
  plan?: Plan;
  /**
   * Treatment of callers who are limited to some links and QR codes. `records`: the endpoint reads
   * and writes what is inside of their limits; `none`: it concerns no links and QR codes. Absent:
   * they are refused, since the endpoint concerns the whole workspace.
   */
  limits?: 'records' | 'none';
  params?: Joi.ObjectSchema;
  query?: Joi.ObjectSchema;
  body?: Joi.Schema;
  /** True if a request without a body has the body `{}`. */
  isBodyOptional?: true;
  /** Used instead of `body` if the handler validates the parts of a body one by one. */
  bodyCheck?: Joi.Schema;
  /**
   * Defaults of absent body fields that are not in the schema: a repeat may state them explicitly.
   */
  defaults?: Readonly<Record<string, unknown>>;
  /** True if it answers or writes one record: with an ETag, `If-None-Match` and `If-Match`. */
  record?: true;
  /** True for a `POST` of a record that takes `If-Match`, as every other write of one does. */
  isConditional?: true;
  /** Maximum size of the body, in bytes. */
  bodyLimit?: number;
  /**
   * Set if the body is a file, which is stored for a worker: the handler's body is an `Upload`. Its
   * maximum size is `limit`, or the entry of `limits` for its content type.
   */
  upload?: MediaTypes & { limit: number; limits?: Readonly<Record<string, number>> };
  /** Schema for every success status. A route that writes also lists 202 automatically. */
  answers: Record<number, Joi.Schema | MediaTypes>;
  /** True if the route adds a job to a queue, and may answer 202. */
  writes?: boolean;
  /**
   * Separate limit that the endpoint counts against: `track` is ten times as high, `fetch` is the
   * limit of endpoints without a key, because other hosts are contacted.
   */
  limit?: 'track' | 'fetch';
  /**
   * True if pages may call it with a publishable key of their origin. The handler must treat the
   * caller as any visitor (`caller.origins`).
   */
  isForPages?: true;
  /**
   * True if it may read many rows, always or for a query whose parameters are not validated yet.
   * Only a few such requests run at once per workspace, and others wait.
   */
  isHeavy?: boolean | ((query: Query) => boolean);
  handle(request: ApiRequest<Input>): Promise<Answer>;
}

/** Content types of a body or an answer that is not JSON. */
export interface MediaTypes {
  media: readonly string[];
}

/**
 * Returns true for a scope that API keys and roles have, which means that the endpoint belongs to a
 * workspace.
 */
export const isOfWorkspace = (scope: Route['scope']): scope is Scope =>
  scope !== 'public' && scope !== 'user' && scope !== 'operator';

/**
 * Returns true for a query with one of these parameters: filters without an index, for which all
 * rows may be read.
 */
export const hasAny =
  (...names: readonly string[]) =>
  (query: Query): boolean =>
    names.some((name) => query[name] !== undefined);

/** An answer without a body. */
export const NO_CONTENT: MediaTypes = { media: [] };

/** A route without its specific input types. */
export type Route = RouteSpec<RouteInput>;

/** Declares a route with its input types, which are the output of its schemas. */
export function route<Input extends RouteInput>(spec: RouteSpec<Input>): Route {
  // The schemas of a route validate its input before `handle` receives it.
  return spec as unknown as Route;
}
