import { Refusal } from '../errors.ts';
import { refuseTakenName } from '../infra/taken-name.ts';
import { once } from '../jobs/once.ts';
import type { JobContext } from '../queues/queue.ts';
import { Tag } from './model.ts';
import { type TagRecord, toTag } from './record.ts';

/** @throws Refusal `conflict` when the name is taken; case does not count */
export function createTag(
  { id, name, color }: { id: string; name: string; color: string },
  job: JobContext,
): Promise<TagRecord> {
  return once(job, async (trx) => {
    await refuseTakenName(trx, 'tags', job.projectId, { id, name });
    const row = await Tag.add(job.projectId, { id, name, color }, trx);
    return { result: toTag(row), changes: [] };
  });
}

/** @throws Refusal `not_found`, or `conflict` when the name is taken */
export function updateTag(
  { id, ...fields }: { id: string; name?: string; color?: string },
  job: JobContext,
): Promise<TagRecord> {
  return once(job, async (trx) => {
    if (fields.name !== undefined) {
      await refuseTakenName(trx, 'tags', job.projectId, { id, name: fields.name });
    }
    const changed = await Tag.of(job.projectId, trx)
      .where({ id })
      .patch({ ...fields, updated_at: new Date() })
      .returning('*');
    const row = (changed as unknown as Tag[])[0];
    if (row === undefined) throw unknownTag(id);
    return { result: toTag(row), changes: [] };
  });
}

/** Takes the tag from all links too. @throws Refusal `not_found` */
export function deleteTag({ id }: { id: string }, job: JobContext): Promise<{ id: string }> {
  return once(job, async (trx) => {
    const deleted = await Tag.of(job.projectId, trx).where({ id }).delete();
    if (deleted === 0) throw unknownTag(id);
    return { result: { id }, changes: [] };
  });
}

const unknownTag = (id: string) => new Refusal('not_found', `There is no tag "${id}"`);
