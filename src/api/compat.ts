import type { Express, Request, Response } from 'express';
import {
  type Answered,
  type Call,
  definedFields,
  type Peer,
  type PeerRequest,
  type PeerRoute,
} from '../compat/peer.ts';
import { PEERS } from '../compat/peers.ts';
import { Refusal } from '../errors.ts';
import { answerError } from '../http/answer-error.ts';
import { MEBIBYTE, type Query, readAnyBody, readBody, readForm } from '../http/input.ts';
import type { OperationId, Route } from '../http/route.ts';
import { networkOf } from '../infra/network.ts';
import { healthAnswer } from '../infra/process.ts';
import type { Caller } from '../workspaces/api-keys.ts';
import { NOBODY } from './authenticate.ts';
import { allowOrigin, patternOf, serveOptions } from './cors.ts';
import { type InnerDependencies, innerContext } from './inner-context.ts';
import { queryOf, send } from './perform.ts';
import { endpoint } from './routes.ts';

/** Converts a thrown error to the answer of the imitated service. */
export type ErrorAnswer = (
  thrown: unknown,
  requestId: string,
) => { status: number; body: unknown; headers?: Record<string, string | string[]> };

/**
 * Serves the APIs of other services; `src/compat` translates their requests and answers. Every
 * translated request is admitted, checked and answered by the routes of this API.
 */
export function serveCompat(app: Express, dependencies: InnerDependencies): void {
  const versions = PEERS.flatMap((peer) => [
    peer,
    ...(peer.earlier ?? []).map((version) => ({ ...peer, ...version })),
  ]);
  // The error format of the longest path counts.
  for (const peer of versions.toSorted((a, b) => a.path.length - b.path.length)) {
    const errors = errorsOf(peer);
    app.use(peer.path, (_request, response, next) => {
      response.locals['errors'] = errors;
      next();
    });
    for (const route of peer.routes) {
      app[route.method](peerPattern(peer, route), handle(peer, route, dependencies));
    }
    const endpoints = peer.routes.map((route) => {
      const { method, isForPages } = route;
      return { method, path: peerPattern(peer, route), scope: scopeOf(route), isForPages };
    });
    serveOptions(app, endpoints);
  }
}

/** Converts the path of a route to an Express pattern. */
function peerPattern({ path, spanning }: Peer, route: PeerRoute): string {
  const pattern = patternOf(path + route.path);
  return spanning === undefined ? pattern : pattern.replace(`:${spanning}`, `*${spanning}`);
}

/** Joins the segments of a path parameter with slashes. */
const joined = (params: Request['params']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(params).map(([name, value]) => [name, [value].flat().join('/')]),
  );

const scopeOf = ({ operation }: PeerRoute): Route['scope'] =>
  operation === undefined ? 'public' : endpoint(operation).scope;

const isWrite = ({ operation }: PeerRoute): boolean =>
  operation !== undefined && endpoint(operation).writes === true;

const errorsOf =
  (peer: Peer, request?: PeerRequest): ErrorAnswer =>
  (thrown, requestId) => {
    const ours = answerError(thrown, requestId);
    if (peer.toError === undefined) return ours;
    const { code, message } = ours.body.error;
    const refusal = thrown instanceof Refusal ? thrown : new Refusal(code, message);
    return peer.toError(refusal, ours.status, request);
  };

function handle(peer: Peer, route: PeerRoute, dependencies: InnerDependencies) {
  const { admission, queues, checks, log } = dependencies;
  return async (request: Request, response: Response) => {
    response.locals['route'] = peer.path + route.path;
    if (request.method === 'HEAD' && isWrite(route)) {
      throw new Refusal('bad_request', 'HEAD must not be sent to an endpoint that creates records');
    }
    if (scopeOf(route) === 'public' || route.isForPages) allowOrigin(request, response, true);
    const asked: PeerRequest = {
      params: joined(request.params),
      query: queryOf(request),
      body: undefined,
      header: (name) => request.get(name),
      ip: request.ip ?? '',
      isReady: async () => (await healthAnswer('/readyz', checks, { log }))?.status === 200,
    };
    response.locals['errors'] = errorsOf(peer, asked);
    // Read first, because the key may be in the form.
    if (route.takes === 'form') asked.body = await readForm(request, MEBIBYTE);
    const caller =
      route.operation === undefined
        ? NOBODY
        : await admission.admitKey(
            endpoint(route.operation),
            queues,
            {
              authorization: (route.authorization ?? peer.authorization)(asked),
              network: networkOf(request.ip ?? ''),
            },
            response,
          );
    if (route.takes === 'json') asked.body = await readBody(request, limitOf(route));
    if (route.takes === 'any') asked.body = await readAnyBody(request, limitOf(route));
    const call = callerFor(route, caller, { request, response }, dependencies);
    const answer = await route.answer(asked, call);
    await send(answer, request, response);
  };
}

const limitOf = ({ operation }: PeerRoute): number =>
  (operation === undefined ? undefined : endpoint(operation).bodyLimit) ?? MEBIBYTE;

/**
 * Makes a function that calls endpoints of this API for an admitted caller. The first write is
 * already counted; others count as separate requests.
 */
function callerFor(
  { operation: main }: PeerRoute,
  caller: Caller,
  { request, response }: { request: Request; response: Response },
  dependencies: InnerDependencies,
): Call {
  const { admission, perform, queues } = dependencies;
  // One idempotency key cannot be used for several writes.
  const isKeyed = (operation: OperationId) =>
    operation === main || (main !== undefined && endpoint(main).method === 'get');
  let writes = 0;
  return async <Body>(
    operation: OperationId,
    { params = {}, query = {}, body }: Parameters<Call>[1] = {},
  ) => {
    const route = endpoint(operation);
    admission.authorize(route, caller);
    if (route.writes === true) {
      writes += 1;
      if (writes > 1) await admission.take(route, caller, queues.producer, response);
    }
    const context = innerContext(caller, { request, response }, dependencies);
    const input = {
      params,
      readQuery: () => definedFields(query) as Query,
      readBody: async () => body,
      idempotencyKey: isKeyed(operation) ? request.get('idempotency-key') : undefined,
      ifMatch: undefined,
    };
    const answer = await perform(route, input, context);
    if (answer.status === 202) {
      throw new Refusal(
        'internal_server_error',
        'The change was accepted and takes longer than usual. Read the record again in a moment',
      );
    }
    return answer as Answered<Body>;
  };
}
