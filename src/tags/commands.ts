import { refuseChanged } from '../http/etag.ts';
import { searchable } from '../infra/folded.ts';
import { runIdempotent } from '../jobs/run-idempotent.ts';
import type { JobContext } from '../queues/definition.ts';
import { handlers } from '../queues/job.ts';
import { nameKey, refuseTakenName } from '../workspaces/taken-name.ts';
import { tagJobs } from './jobs.ts';
import { Tag } from './model.ts';
import { type TagRecord, toTag } from './record.ts';

/** The columns that derive from the name. */
const namedColumns = (name: string) => ({
  name,
  name_key: nameKey(name),
  search_text: searchable(name),
});

/** Creates a tag. @throws Refusal `conflict` if the name is taken, ignoring case */
export function createTag(
  { id, name, color }: { id: string; name: string; color: string },
  job: JobContext,
): Promise<TagRecord> {
  return runIdempotent(job, async (trx) => {
    await refuseTakenName(trx, 'tags', job.projectId, { id, name });
    const row = await Tag.add(job.projectId, { id, ...namedColumns(name), color }, trx);
    return toTag(row);
  });
}

/** Changes a tag. @throws Refusal `not_found`, or `conflict` if the name is taken */
export function updateTag(
  { id, ...fields }: { id: string; name?: string; color?: string },
  job: JobContext,
): Promise<TagRecord> {
  return runIdempotent(job, async (trx) => {
    refuseChanged(job.ifMatch, toTag(await Tag.lock(job.projectId, id, trx)));
    const { name } = fields;
    if (name !== undefined) await refuseTakenName(trx, 'tags', job.projectId, { id, name });
    const [row] = await Tag.of(job.projectId, trx)
      .where({ id })
      .patch({
        ...fields,
        ...(name === undefined ? {} : namedColumns(name)),
        updated_at: new Date(),
      })
      .returning('*');
    return toTag(row!);
  });
}

/** Deletes a tag, and removes it from all links and QR codes. @throws Refusal `not_found` */
export function deleteTag({ id }: { id: string }, job: JobContext): Promise<{ id: string }> {
  return runIdempotent(job, async (trx) => {
    refuseChanged(job.ifMatch, toTag(await Tag.lock(job.projectId, id, trx)));
    await Tag.of(job.projectId, trx).where({ id }).delete();
    return { id };
  });
}

export const tagHandlers = handlers(tagJobs, {
  'tag.create': createTag,
  'tag.update': updateTag,
  'tag.delete': deleteTag,
});
