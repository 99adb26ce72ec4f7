import createClient, { type Client, type Middleware } from 'openapi-fetch';
import type { components, operations, paths } from '../../../dist/reference.d.ts';
import { ApiError } from './error.ts';
import { noteFailure, noteSuccess } from './reachability.ts';

export type { operations, paths };

/** Records of the API by their names in the reference: `Schemas['Link']`. */
export type Schemas = components['schemas'];

/** A typed client of the API. Its calls throw `ApiError`; pass them to `answer`. */
export type Api = Client<paths>;

/** Shortest and longest interval between two polls of an unfinished job, in ms. */
const POLL_MS = 300;
const SLOW_POLL_MS = 3_000;

/**
 * Creates a client for one workspace.
 *
 * @param workspace slug for the `X-Workspace` header; `undefined` for endpoints of the person
 */
export function apiOf(workspace: string | undefined): Api {
  const client = createClient<paths>({
    baseUrl: location.origin,
    fetch: (request) => send(request),
  });
  const middleware: Middleware = {
    onRequest({ request }) {
      if (workspace !== undefined) request.headers.set('X-Workspace', workspace);
      return request;
    },
    async onResponse({ request, response }) {
      if (!response.ok) throw await ApiError.of(response);
      const location = response.headers.get('location');
      if (response.status !== 202 || location === null) return undefined;
      return finished(workspace, location, request.signal);
    },
  };
  client.use(middleware);
  return client;
}

/** Sends a request with the session cookie, and records whether the service is reachable. */
async function send(request: Request): Promise<Response> {
  try {
    const response = await fetch(request);
    noteSuccess();
    return response;
  } catch (error) {
    if (request.signal.aborted) throw error;
    noteFailure();
    throw new ApiError(0, 'offline', 'The service can’t be reached');
  }
}

/**
 * Requests a path of this service.
 *
 * @param workspace slug for the `X-Workspace` header
 */
async function get(workspace: string | undefined, path: string, signal: AbortSignal | null) {
  const headers = workspace === undefined ? {} : { 'X-Workspace': workspace };
  const response = await send(new Request(new URL(path, location.origin), { headers, signal }));
  if (!response.ok) throw await ApiError.of(response);
  return response;
}

/**
 * Polls the job of a write that outlasted the API's wait, and returns the response once it is done.
 */
async function finished(workspace: string | undefined, job: string, signal: AbortSignal | null) {
  for (let pause = POLL_MS; ; pause = Math.min(pause * 1.5, SLOW_POLL_MS)) {
    await new Promise((resolve) => setTimeout(resolve, pause));
    // The origin of the address is BASE_URL, which may differ from ours behind a proxy.
    const response = await get(workspace, new URL(job, location.origin).pathname, signal);
    const { status, error, result } = (await response.json()) as Schemas['Job'];
    if (status === 'failed') {
      throw new ApiError(422, error?.code ?? 'internal_server_error', error?.message ?? '');
    }
    if (status === 'done') return Response.json(result ?? null);
  }
}

/** A response type without the 202 of a pending write, which the client polls to its end. */
type Finished<T> = T extends Schemas['AcceptedJob']
  ? keyof T extends keyof Schemas['AcceptedJob']
    ? never
    : T
  : T;

/** Returns the body of a successful response: `await answer(api.GET('/links'))`. */
export async function answer<T>(call: Promise<{ data?: T }>): Promise<Finished<NonNullable<T>>> {
  const { data } = await call;
  return data as Finished<NonNullable<T>>;
}

interface IdempotencyHeader {
  'Idempotency-Key': string;
}

/**
 * Creates the options of a POST that retries after a lost connection must not repeat.
 *
 * @param path parameters of the path
 */
export function idempotent(key: string): { params: { header: IdempotencyHeader } };
export function idempotent<Path extends object>(
  key: string,
  path: Path,
): { params: { header: IdempotencyHeader; path: Path } };
export function idempotent(key: string, path?: object) {
  return { params: { header: { 'Idempotency-Key': key }, ...(path && { path }) } };
}

/**
 * Requests a body that the reference does not describe as JSON, such as an image or an export.
 * Waits for the job of a file that is too large for an immediate response.
 */
export async function download(
  workspace: string | undefined,
  address: string,
  signal?: AbortSignal,
): Promise<Blob> {
  const response = await get(workspace, address, signal ?? null);
  const job = response.headers.get('location');
  if (response.status !== 202 || job === null) return response.blob();
  const made = await finished(workspace, job, signal ?? null);
  const { pathname, search } = new URL(((await made.json()) as { url: string }).url);
  return download(workspace, pathname + search, signal);
}

/** Creates an idempotency key; `crypto.randomUUID` exists only on https and localhost. */
export function newIdempotencyKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}
