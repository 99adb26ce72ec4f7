import { refuseChanged } from '../http/etag.ts';
import { runIdempotent } from '../jobs/run-idempotent.ts';
import type { JobContext } from '../queues/definition.ts';
import { handlers } from '../queues/job.ts';
import { removeFromScopes } from '../webhooks/scope.ts';
import { changeRow } from '../workspaces/change-row.ts';
import { refuseTakenName } from '../workspaces/taken-name.ts';
import { tagJobs } from './jobs.ts';
import { nameColumns, Tag } from './model.ts';
import { type TagRecord, toTag } from './record.ts';

/** Creates a tag. @throws Refusal `conflict` if the name is taken, ignoring case */
export function createTag(
  { id, name, color }: { id: string; name: string; color: string },
  job: JobContext,
): Promise<TagRecord> {
  return runIdempotent(job, async (trx) => {
    await refuseTakenName(trx, 'tags', job.projectId, { id, name });
    const row = await Tag.add(job.projectId, { id, ...nameColumns(name), color }, trx);
    return toTag(row);
  });
}

export const tagHandlers = handlers(tagJobs, {
  'tag.create': createTag,

  /** Changes a tag. @throws Refusal `not_found`, or `conflict` if the name is taken */
  'tag.update': ({ id, ...fields }, job) =>
    runIdempotent(job, async (trx) => {
      refuseChanged(job.ifMatch, toTag(await Tag.lock(job.projectId, id, trx)));
      const { name } = fields;
      if (name !== undefined) await refuseTakenName(trx, 'tags', job.projectId, { id, name });
      const named = name === undefined ? {} : nameColumns(name);
      const changes = { ...fields, ...named, updated_at: new Date() };
      return toTag(await changeRow(Tag.of(job.projectId, trx), id, changes));
    }),

  /** Deletes a tag, and removes it from all links and QR codes. @throws Refusal `not_found` */
  'tag.delete': ({ id }, job) =>
    runIdempotent(job, async (trx) => {
      refuseChanged(job.ifMatch, toTag(await Tag.lock(job.projectId, id, trx)));
      await Tag.of(job.projectId, trx).where({ id }).delete();
      await removeFromScopes(trx, job.projectId, 'tag', id);
      return { id };
    }),
});
