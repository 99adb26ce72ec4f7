import { Refusal } from '../errors.ts';
import { once } from '../jobs/once.ts';
import { QrCode } from '../qrcodes/model.ts';
import type { JobContext } from '../queues/queue.ts';
import { Template } from './model.ts';

/** Codes that took its look keep it. @throws Refusal `not_found` */
export function deleteTemplate({ id }: { id: string }, job: JobContext): Promise<{ id: string }> {
  return once(job, async (trx) => {
    const deleted = await Template.of(job.projectId, trx).where({ id }).delete();
    if (deleted === 0) throw new Refusal('not_found', `There is no template "${id}"`);
    await QrCode.of(job.projectId, trx).where({ template_id: id }).patch({ template_id: null });
    return { result: { id }, changes: [] };
  });
}
