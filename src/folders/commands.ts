import { refuseChanged } from '../http/etag.ts';
import { runIdempotent } from '../jobs/run-idempotent.ts';
import type { JobContext } from '../queues/definition.ts';
import { handlers } from '../queues/job.ts';
import { nameKey, refuseTakenName } from '../workspaces/taken-name.ts';
import { folderJobs } from './jobs.ts';
import { Folder } from './model.ts';
import { type FolderRecord, toFolder } from './record.ts';

/** @throws Refusal `conflict` when the name is taken, ignoring case */
export function createFolder(
  { id, name }: { id: string; name: string },
  job: JobContext,
): Promise<FolderRecord> {
  return runIdempotent(job, async (trx) => {
    await refuseTakenName(trx, 'folders', job.projectId, { id, name });
    const row = await Folder.add(job.projectId, { id, name, name_key: nameKey(name) }, trx);
    return toFolder(row);
  });
}

/** @throws Refusal `not_found`, or `conflict` when the name is taken */
export function updateFolder(
  { id, name }: { id: string; name: string },
  job: JobContext,
): Promise<FolderRecord> {
  return runIdempotent(job, async (trx) => {
    refuseChanged(job.ifMatch, toFolder(await Folder.lock(job.projectId, id, trx)));
    await refuseTakenName(trx, 'folders', job.projectId, { id, name });
    const [row] = await Folder.of(job.projectId, trx)
      .where({ id })
      .patch({ name, name_key: nameKey(name) })
      .returning('*');
    return toFolder(row!);
  });
}

/**
 * Deletes a folder; its links and QR codes remain, without a folder.
 *
 * @throws Refusal `not_found`
 */
export function deleteFolder({ id }: { id: string }, job: JobContext): Promise<{ id: string }> {
  return runIdempotent(job, async (trx) => {
    refuseChanged(job.ifMatch, toFolder(await Folder.lock(job.projectId, id, trx)));
    await Folder.of(job.projectId, trx).where({ id }).delete();
    for (const table of ['links', 'qrcodes']) {
      const inFolder = { project_id: job.projectId, folder_id: id };
      await trx(table).where(inFolder).update({ folder_id: null });
    }
    return { id };
  });
}

export const folderHandlers = handlers(folderJobs, {
  'folder.create': createFolder,
  'folder.update': updateFolder,
  'folder.delete': deleteFolder,
});
