import type { Request, Response } from 'express';
import { networkOf } from '../infra/network.ts';
import type { Caller } from '../workspaces/api-keys.ts';
import type { Admission } from './admission.ts';
import { type ApiDependencies, type Context, clientOf, type Perform } from './perform.ts';

/** Dependencies of interfaces that call the endpoints of this API. */
export interface InnerDependencies extends ApiDependencies {
  admission: Admission;
  perform: Perform;
}

/**
 * Makes the context in which an endpoint of this API is called for an admitted caller, by a request
 * to another interface of the process. Only an API key counts, never a cookie.
 */
export const innerContext = (
  caller: Caller,
  { request, response }: { request: Request; response: Response },
  { admission, queues, log }: InnerDependencies,
): Context => ({
  caller,
  client: { ...clientOf(request), cookies: undefined },
  requestId: String(response.locals['requestId']),
  log,
  respondAsync: false,
  ifNoneMatch: undefined,
  connection: {
    ...NO_STREAM,
    checkCaller: async () => caller,
    takeImage: () => admission.takeImage(networkOf(request.ip ?? ''), response),
  },
  queues,
});

/** Streaming endpoints are never called in this way. */
const NO_STREAM: Omit<Context['connection'], 'takeImage' | 'checkCaller'> = {
  lastEventId: undefined,
  onClose: () => {},
  cut: () => {},
};
