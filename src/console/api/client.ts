import createClient, { type Client, type Middleware } from 'openapi-fetch';
import type { components, operations, paths } from '../../../dist/reference.d.ts';
import { ApiError } from './error.ts';
import { noteFailure, noteSuccess } from './reachability.ts';

export type { operations, paths };

/** The records of the API by their names in the reference: `Schemas['Link']`. */
export type Schemas = components['schemas'];

/** A client of the API, typed from the reference. Its calls throw `ApiError`; pass them to `answer`. */
export type Api = Client<paths>;

/** First pause between two looks at a job that is not done, and the longest, in ms. */
const POLL_MS = 300;
const SLOW_POLL_MS = 3_000;

/**
 * A client for one workspace.
 *
 * @param workspace slug, sent as `X-Workspace`; `undefined` for what belongs to the person
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
      return finished(location, request.headers.get('X-Workspace'), request.signal);
    },
  };
  client.use(middleware);
  return client;
}

/** Sends a request with the session's cookie; notes whether the service can be reached. */
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

/** The answer of a write that took longer than the API waits: its job is asked for until it is done. */
async function finished(address: string, workspace: string | null, signal: AbortSignal) {
  const headers = workspace === null ? {} : { 'X-Workspace': workspace };
  for (let pause = POLL_MS; ; pause = Math.min(pause * 1.5, SLOW_POLL_MS)) {
    await new Promise((resolve) => setTimeout(resolve, pause));
    // The address has the origin of BASE_URL, which behind a proxy may not be ours.
    const { pathname } = new URL(address, location.origin);
    const response = await send(
      new Request(new URL(pathname, location.origin), { headers, signal }),
    );
    if (!response.ok) throw await ApiError.of(response);
    const job = (await response.json()) as Schemas['Job'];
    if (job.status === 'failed') {
      throw new ApiError(422, job.error?.code ?? 'internal_server_error', job.error?.message ?? '');
    }
    if (job.status === 'done') return Response.json(job.result ?? null);
  }
}

/** The 202 of a write, which the client waits for, is no answer. */
type Finished<T> = T extends Schemas['AcceptedJob']
  ? keyof T extends keyof Schemas['AcceptedJob']
    ? never
    : T
  : T;

/** The body of a successful answer: `await answer(api.GET('/links'))`. */
export async function answer<T>(call: Promise<{ data?: T }>): Promise<Finished<NonNullable<T>>> {
  const { data } = await call;
  return data as Finished<NonNullable<T>>;
}

/**
 * A call whose body is not in the reference as JSON, such as a picture or an export. One that is too large to be answered
 * at once is waited for.
 */
export async function download(
  workspace: string | undefined,
  address: string,
  signal?: AbortSignal,
): Promise<Blob> {
  const headers = workspace === undefined ? {} : { 'X-Workspace': workspace };
  const response = await send(
    new Request(new URL(address, location.origin), { headers, signal: signal ?? null }),
  );
  if (!response.ok) throw await ApiError.of(response);
  const job = response.headers.get('location');
  if (response.status !== 202 || job === null) return response.blob();
  const made = await finished(job, workspace ?? null, signal ?? new AbortController().signal);
  const { pathname, search } = new URL(((await made.json()) as { url: string }).url);
  return download(workspace, pathname + search, signal);
}

/** A key for the repeats of one write; `crypto.randomUUID` exists on https and localhost only. */
export function newIdempotencyKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}
