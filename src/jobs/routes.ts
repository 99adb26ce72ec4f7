import { ok } from '../api/answer.ts';
import { type Route, route } from '../api/route.ts';
import { Refusal } from '../errors.ts';
import { id, Joi } from '../infra/fields.ts';
import { bulk } from '../queues/bulk.ts';
import type { Producer } from '../queues/queue.ts';
import { writes } from '../queues/writes.ts';
import { findJob, type JobRecord } from './queries.ts';
import { openSealed } from './result.ts';

/** Queues whose jobs callers may ask for. */
const QUEUES = [writes, bulk];

export const jobRoutes: Route[] = [
  route<{ params: { id: string } }>({
    method: 'get',
    path: '/jobs/{id}',
    summary: 'Addition: what became of a job that was answered with 202',
    tag: 'Jobs',
    scope: 'jobs.read',
    params: Joi.object<{ id: string }>({ id: id().required() }),
    answers: {
      200: Joi.object({
        id: Joi.string().required(),
        status: Joi.string().valid('queued', 'running', 'done', 'failed').required(),
        result: Joi.any().description('What the request would have answered.'),
        error: Joi.object({ code: Joi.string().required(), message: Joi.string().required() }),
      }),
    },
    async handle({ caller, params, queues }) {
      const job =
        (await findJob(caller.projectId, params.id)) ??
        (await findQueued(queues.producer, caller.projectId, params.id)) ??
        // It may have ended between the two looks.
        (await findJob(caller.projectId, params.id));
      if (job === undefined) throw new Refusal('not_found', `There is no job "${params.id}"`);
      return ok('result' in job ? { ...job, result: openSealed(job.result) } : job);
    },
  }),
];

async function findQueued(
  producer: Producer,
  projectId: string,
  jobId: string,
): Promise<JobRecord | undefined> {
  for (const queue of QUEUES) {
    const state = await producer.stateOf(queue, jobId);
    if (state === undefined || state.projectId !== projectId) continue;
    if (state.status !== 'failed') return { id: jobId, status: state.status };
    return {
      id: jobId,
      status: 'failed',
      error: { code: 'internal_server_error', message: 'The job failed on our side' },
    };
  }
  return undefined;
}
