import { refuseChanged } from '../../http/etag.ts';
import { runIdempotent } from '../../jobs/run-idempotent.ts';
import { handlers } from '../../queues/job.ts';
import { changeRow } from '../../workspaces/change-row.ts';
import { QrCode } from '../model.ts';
import { templateJobs } from './jobs.ts';
import { Template } from './model.ts';
import { toTemplate } from './record.ts';

export const templateHandlers = handlers(templateJobs, {
  /** Renames a template. @throws Refusal `not_found` */
  'template.update': ({ id, changes }, job) =>
    runIdempotent(job, async (trx) => {
      const { projectId } = job;
      refuseChanged(job.ifMatch, toTemplate(await Template.lock(projectId, id, trx)));
      return toTemplate(await changeRow(Template.of(projectId, trx), id, changes));
    }),

  /** Deletes a template; codes keep the design they took from it. @throws Refusal `not_found` */
  'template.delete': ({ id }, job) =>
    runIdempotent(job, async (trx) => {
      refuseChanged(job.ifMatch, toTemplate(await Template.lock(job.projectId, id, trx)));
      await Template.of(job.projectId, trx).where({ id }).delete();
      await QrCode.of(job.projectId, trx).where({ template_id: id }).patch({ template_id: null });
      return { id };
    }),
});
