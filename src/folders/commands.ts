import { Refusal } from '../errors.ts';
import { refuseTakenName } from '../infra/taken-name.ts';
import { once } from '../jobs/once.ts';
import { Link } from '../links/model.ts';
import { QrCode } from '../qrcodes/model.ts';
import type { JobContext } from '../queues/queue.ts';
import { Folder } from './model.ts';
import { type FolderRecord, toFolder } from './record.ts';

/** @throws Refusal `conflict` when the name is taken; case does not count */
export function createFolder(
  { id, name }: { id: string; name: string },
  job: JobContext,
): Promise<FolderRecord> {
  return once(job, async (trx) => {
    await refuseTakenName(trx, 'folders', job.projectId, { id, name });
    const row = await Folder.add(job.projectId, { id, name }, trx);
    return { result: toFolder(row), changes: [] };
  });
}

/** @throws Refusal `not_found`, or `conflict` when the name is taken */
export function updateFolder(
  { id, name }: { id: string; name: string },
  job: JobContext,
): Promise<FolderRecord> {
  return once(job, async (trx) => {
    await refuseTakenName(trx, 'folders', job.projectId, { id, name });
    const changed = await Folder.of(job.projectId, trx)
      .where({ id })
      .patch({ name })
      .returning('*');
    const row = (changed as unknown as Folder[])[0];
    if (row === undefined) throw unknownFolder(id);
    return { result: toFolder(row), changes: [] };
  });
}

/** Its links and QR codes stay, in no folder. @throws Refusal `not_found` */
export function deleteFolder({ id }: { id: string }, job: JobContext): Promise<{ id: string }> {
  return once(job, async (trx) => {
    const deleted = await Folder.of(job.projectId, trx).where({ id }).delete();
    if (deleted === 0) throw unknownFolder(id);
    await Link.of(job.projectId, trx).where({ folder_id: id }).patch({ folder_id: null });
    await QrCode.of(job.projectId, trx).where({ folder_id: id }).patch({ folder_id: null });
    return { result: { id }, changes: [] };
  });
}

const unknownFolder = (id: string) => new Refusal('not_found', `There is no folder "${id}"`);
