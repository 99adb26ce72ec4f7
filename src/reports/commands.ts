import { refuseChanged } from '../http/etag.ts';
import { refuseOverfull } from '../infra/overfull.ts';
import { runIdempotent } from '../jobs/run-idempotent.ts';
import { handlers } from '../queues/job.ts';
import { changeRow } from '../workspaces/change-row.ts';
import { sharedReportJobs } from './jobs.ts';
import { SharedReport } from './model.ts';
import { toReport, toSealedReport } from './record.ts';

/** Maximum number of reports of a workspace. */
const MAX_REPORTS = 100;

const timeOf = (text: string | null): Date | null => (text === null ? null : new Date(text));

export const sharedReportHandlers = handlers(sharedReportJobs, {
  /** Creates a report. @throws Refusal `unprocessable_entity` if there are too many */
  'sharedReport.create': (
    { id, name, query, groups, token, tokenHash, password = null, expiresAt = null, embedOrigins },
    job,
  ) =>
    runIdempotent(job, async (trx) => {
      const { projectId } = job;
      await refuseOverfull(trx, `shared reports ${projectId}`, {
        count: () => SharedReport.of(projectId, trx).resultSize(),
        max: MAX_REPORTS,
        message: `A workspace has at most ${MAX_REPORTS} shared reports`,
      });
      const row = await SharedReport.add(
        projectId,
        {
          id,
          name,
          query,
          groups,
          token,
          token_hash: tokenHash,
          password_hash: password,
          expires_at: timeOf(expiresAt),
          embed_origins: embedOrigins,
        },
        trx,
      );
      return toSealedReport(row);
    }),

  /** Changes a report. @throws Refusal `not_found` */
  'sharedReport.update': ({ id, changes }, job) =>
    runIdempotent(job, async (trx) => {
      const before = await SharedReport.lock(job.projectId, id, trx);
      refuseChanged(job.ifMatch, toReport(before));
      const { password, expiresAt, embedOrigins, ...columns } = changes;
      const row = await changeRow(SharedReport.of(job.projectId, trx), id, {
        ...columns,
        ...(password !== undefined && { password_hash: password }),
        ...(expiresAt !== undefined && { expires_at: timeOf(expiresAt) }),
        ...(embedOrigins !== undefined && { embed_origins: embedOrigins }),
      });
      return toSealedReport(row);
    }),

  /** Gives a report a new URL; the previous one is revoked at once. @throws Refusal `not_found` */
  'sharedReport.rotate': ({ id, token, tokenHash }, job) =>
    runIdempotent(job, async (trx) => {
      await SharedReport.lock(job.projectId, id, trx);
      const changes = { token, token_hash: tokenHash };
      return toSealedReport(await changeRow(SharedReport.of(job.projectId, trx), id, changes));
    }),

  /** Deletes a report. @throws Refusal `not_found` */
  'sharedReport.delete': ({ id }, job) =>
    runIdempotent(job, async (trx) => {
      const row = await SharedReport.lock(job.projectId, id, trx);
      refuseChanged(job.ifMatch, toReport(row));
      await SharedReport.of(job.projectId, trx).where({ id }).delete();
      return { id };
    }),
});
