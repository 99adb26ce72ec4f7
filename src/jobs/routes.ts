import { Refusal } from '../errors.ts';
import { id, Joi, requiredText } from '../http/fields.ts';
import { ok, type Route, route } from '../http/route.ts';
import { kindOfId } from '../ids.ts';
import { bulk, clicks, writes } from '../queues/index.ts';
import type { Inspector } from '../queues/inspect.ts';
import { isJobOf, isRecentJobId } from './job-ids.ts';
import { findJob, type JobRecord } from './outcomes.ts';
import { openResult } from './sealed.ts';

/** Queues whose jobs callers can read. */
const QUEUES = [writes, bulk, clicks];

export const jobRoutes: Route[] = [
  route<{ params: { id: string } }>({
    method: 'get',
    path: '/jobs/{id}',
    operationId: 'retrieveJob',
    limits: 'records',
    summary: 'Retrieve a job',
    description:
      'Returns the state of a job and, once it is done, its result. Only the key or person that ' +
      'sent the request can read it, even without the scope.',
    extension: true,
    tag: 'Jobs',
    scope: 'jobs.read',
    isOwn: (caller, { id }) => isJobOf(caller, id ?? ''),
    params: Joi.object<{ id: string }>({ id: id().required().description('Id of the job.') }),
    answers: {
      200: Joi.object({
        id: requiredText.description('Id of the job.').example('job_4Jx2vQ0aTq'),
        status: Joi.string()
          .valid('queued', 'running', 'done', 'failed')
          .required()
          .description('State of the job.')
          .example('done'),
        result: Joi.any()
          .description('Response body of the request; only when `done`.')
          .example({ id: 'link_4Jx2vQ0aTq' }),
        error: Joi.object({
          code: requiredText.description('Name of the error.'),
          message: requiredText.description('Explanation for a person.'),
        }).description('Error that refused the request; only when `failed`.'),
      }).meta({ name: 'Job' }),
    },
    async handle({ caller, params, queues }) {
      // Other names are refused before Redis is read, since queues have further keys, such as
      // `events`.
      if (kindOfId(params.id) !== 'job' || !isJobOf(caller, params.id)) throw noJob(params.id);
      const { projectId } = caller;
      let isSilent = false;
      const job =
        (await findJob(projectId, params.id)) ??
        (await findQueued(queues.inspector, projectId, params.id).catch(() => {
          isSilent = true;
          return undefined;
        })) ??
        // The job may have ended between the two reads.
        (await findJob(projectId, params.id));
      // Redis does not answer, or may be about to receive the job.
      const isComing =
        isSilent || isRecentJobId(params.id) || queues.spool.has(projectId, params.id);
      if (job === undefined && isComing) return ok({ id: params.id, status: 'queued' });
      if (job === undefined) throw noJob(params.id);
      return ok('result' in job ? { ...job, result: openResult(projectId, job.result) } : job);
    },
  }),
];

const noJob = (jobId: string) => new Refusal('not_found', `There is no job "${jobId}"`);

async function findQueued(
  inspector: Inspector,
  projectId: string,
  jobId: string,
): Promise<JobRecord | undefined> {
  for (const queue of QUEUES) {
    const state = await inspector.stateOf(queue, jobId);
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
