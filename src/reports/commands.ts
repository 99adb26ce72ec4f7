import { refuseChanged } from '../http/etag.ts';
import { canonicalJson } from '../infra/canonical.ts';
import { refuseOverfull } from '../infra/overfull.ts';
import { runIdempotent } from '../jobs/run-idempotent.ts';
import { type MailSchedule, nextSending } from '../mail/sending-times.ts';
import { handlers } from '../queues/job.ts';
import { changeRow } from '../workspaces/change-row.ts';
import { sharedReportJobs } from './jobs.ts';
import { SharedReport } from './model.ts';
import { toReport, toSealedReport } from './record.ts';

/** Maximum number of reports of a workspace. */
const MAX_REPORTS = 100;

const timeOf = (text: string | null): Date | null => (text === null ? null : new Date(text));

/** The columns of a schedule. Storing the same one must not postpone the next mails. */
function scheduleColumns(
  schedule: MailSchedule | null | undefined,
  before: MailSchedule | null,
): Partial<Pick<SharedReport, 'schedule' | 'mail_due_at'>> {
  if (schedule === undefined || canonicalJson(schedule) === canonicalJson(before)) return {};
  const mail_due_at = schedule && nextSending(schedule, new Date());
  return { schedule, mail_due_at };
}

export const sharedReportHandlers = handlers(sharedReportJobs, {
  /** Creates a report. @throws Refusal `unprocessable_entity` if there are too many */
  'sharedReport.create': (
    { id, name, query, groups, token, tokenHash, password = null, expiresAt = null, ...more },
    job,
  ) =>
    runIdempotent(job, async (trx) => {
      const { projectId } = job;
      const { embedOrigins, schedule } = more;
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
          ...scheduleColumns(schedule, null),
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
      const { password, expiresAt, embedOrigins, schedule, ...columns } = changes;
      const row = await changeRow(SharedReport.of(job.projectId, trx), id, {
        ...columns,
        ...(password !== undefined && { password_hash: password }),
        ...(expiresAt !== undefined && { expires_at: timeOf(expiresAt) }),
        ...(embedOrigins !== undefined && { embed_origins: embedOrigins }),
        ...scheduleColumns(schedule, before.schedule),
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
