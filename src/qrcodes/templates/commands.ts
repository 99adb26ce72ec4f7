import { refuseChanged } from '../../http/etag.ts';
import { execute } from '../../infra/db.ts';
import { runIdempotent } from '../../jobs/run-idempotent.ts';
import { handlers } from '../../queues/job.ts';
import { changeRow } from '../../workspaces/change-row.ts';
import { QrCode } from '../model.ts';
import { templateJobs } from './jobs.ts';
import { Template } from './model.ts';
import { toTemplate } from './record.ts';

export const templateHandlers = handlers(templateJobs, {
  /** Renames a template, or makes it the default. @throws Refusal `not_found` */
  'template.update': ({ id, changes: { isDefault, ...changes } }, job) =>
    runIdempotent(job, async (trx) => {
      const { projectId } = job;
      if (isDefault === true) {
        // Two changes at once would each leave their template as the default; or each would wait for
        // the template of the other if they locked their own first.
        await execute(trx, 'SELECT pg_advisory_xact_lock(hashtext(?))', [`template ${projectId}`]);
      }
      const before = await Template.lock(projectId, id, trx);
      refuseChanged(job.ifMatch, toTemplate(before));
      if (isDefault === true) {
        const others = Template.of(projectId, trx).where({ is_default: true }).whereNot({ id });
        await others.patch({ is_default: false });
      }
      const row = { ...changes, is_default: isDefault ?? before.is_default };
      return toTemplate(await changeRow(Template.of(projectId, trx), id, row));
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
