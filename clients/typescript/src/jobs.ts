import type { Job } from './generated/index.js';
import { pause, type Send } from './retries.ts';

/** Pause between two requests for the state of a job, in ms. */
const POLL_MS = 500;
/** Statuses by the names of errors; all others are 422. */
const STATUSES: Partial<Record<string, number>> = {
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  internal_server_error: 500,
};

/**
 * Waits for the end of a write that the API has accepted and not performed yet (202), and returns
 * the answer that it would have had.
 */
export async function settleJob(
  response: Response,
  { headers, signal }: Request,
  { baseUrl, send, timeoutMs }: { baseUrl: string; send: Send; timeoutMs: number },
): Promise<Response> {
  const location = response.headers.get('location');
  if (response.status !== 202 || location?.startsWith('/jobs/') !== true) return response;
  const authorization = headers.get('authorization') ?? '';
  for (const end = Date.now() + timeoutMs; Date.now() < end; ) {
    await pause(POLL_MS, signal);
    const state = await send(
      new Request(baseUrl + location, { headers: { authorization }, signal }),
    );
    if (!state.ok) return state;
    const job = (await state.json()) as Job;
    if (job.status === 'done') return answer(200, job.result, response);
    if (job.status === 'failed') {
      return answer(STATUSES[job.error!.code] ?? 422, { error: job.error }, response);
    }
  }
  const error = { code: 'service_unavailable', message: `The job ${location} has not ended yet` };
  return answer(503, { error }, response);
}

function answer(status: number, body: unknown, { headers }: Response): Response {
  const requestId = headers.get('x-request-id');
  return Response.json(body ?? {}, {
    status,
    headers: requestId === null ? {} : { 'x-request-id': requestId },
  });
}
