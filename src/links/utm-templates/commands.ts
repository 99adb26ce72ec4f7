import { refuseChanged } from '../../http/etag.ts';
import { refuseOverfull } from '../../infra/overfull.ts';
import { runIdempotent } from '../../jobs/run-idempotent.ts';
import { handlers } from '../../queues/job.ts';
import { changeRow } from '../../workspaces/change-row.ts';
import { nameKey, refuseTakenName } from '../../workspaces/taken-name.ts';
import { utmTemplateJobs } from './jobs.ts';
import { UtmTemplate } from './model.ts';
import { toUtmTemplate } from './record.ts';

/** Maximum number of templates in a workspace. */
export const MAX_UTM_TEMPLATES = 100;

export const utmTemplateHandlers = handlers(utmTemplateJobs, {
  /**
   * Creates a template. @throws Refusal `conflict` if the name is taken, `unprocessable_entity` if
   * there are too many
   */
  'utmTemplate.create': ({ userId, ...template }, job) =>
    runIdempotent(job, async (trx) => {
      const { projectId } = job;
      await refuseOverfull(trx, `utm_templates ${projectId}`, {
        count: () => UtmTemplate.of(projectId, trx).resultSize(),
        max: MAX_UTM_TEMPLATES,
        message: `A workspace has at most ${MAX_UTM_TEMPLATES} UTM templates`,
      });
      await refuseTakenName(trx, 'utm_templates', projectId, template);
      const row = await UtmTemplate.add(
        projectId,
        { ...template, name_key: nameKey(template.name), user_id: userId ?? null },
        trx,
      );
      return toUtmTemplate(row);
    }),

  /** Changes a template. @throws Refusal `not_found`, or `conflict` if the name is taken */
  'utmTemplate.update': ({ id, changes }, job) =>
    runIdempotent(job, async (trx) => {
      const { projectId } = job;
      const before = await UtmTemplate.lock(projectId, id, trx);
      refuseChanged(job.ifMatch, toUtmTemplate(before));
      const { name = before.name } = changes;
      await refuseTakenName(trx, 'utm_templates', projectId, { id, name });
      const columns = { ...changes, name, name_key: nameKey(name) };
      return toUtmTemplate(await changeRow(UtmTemplate.of(projectId, trx), id, columns));
    }),

  /** Deletes a template; links keep the values they took from it. @throws Refusal `not_found` */
  'utmTemplate.delete': ({ id }, job) =>
    runIdempotent(job, async (trx) => {
      refuseChanged(job.ifMatch, toUtmTemplate(await UtmTemplate.lock(job.projectId, id, trx)));
      await UtmTemplate.of(job.projectId, trx).where({ id }).delete();
      return { id };
    }),
});
