import { refuseChanged } from '../http/etag.ts';
import { runIdempotent } from '../jobs/run-idempotent.ts';
import { handlers } from '../queues/job.ts';
import { removeFromScopes } from '../webhooks/scope.ts';
import { changeRow } from '../workspaces/change-row.ts';
import { nameKey, refuseTakenName } from '../workspaces/taken-name.ts';
import { folderJobs } from './jobs.ts';
import { Folder } from './model.ts';
import { toFolder } from './record.ts';

export const folderHandlers = handlers(folderJobs, {
  /** @throws Refusal `conflict` when the name is taken, ignoring case */
  'folder.create': ({ id, name }, job) =>
    runIdempotent(job, async (trx) => {
      await refuseTakenName(trx, 'folders', job.projectId, { id, name });
      const row = await Folder.add(job.projectId, { id, name, name_key: nameKey(name) }, trx);
      return toFolder(row);
    }),

  /** @throws Refusal `not_found`, or `conflict` when the name is taken */
  'folder.update': ({ id, name }, job) =>
    runIdempotent(job, async (trx) => {
      refuseChanged(job.ifMatch, toFolder(await Folder.lock(job.projectId, id, trx)));
      await refuseTakenName(trx, 'folders', job.projectId, { id, name });
      const changes = { name, name_key: nameKey(name) };
      return toFolder(await changeRow(Folder.of(job.projectId, trx), id, changes));
    }),

  /**
   * Deletes a folder; its links and QR codes remain, without a folder.
   *
   * @throws Refusal `not_found`
   */
  'folder.delete': ({ id }, job) =>
    runIdempotent(job, async (trx) => {
      refuseChanged(job.ifMatch, toFolder(await Folder.lock(job.projectId, id, trx)));
      await Folder.of(job.projectId, trx).where({ id }).delete();
      await removeFromScopes(trx, job.projectId, 'folder', id);
      for (const table of ['links', 'qrcodes']) {
        const inFolder = { project_id: job.projectId, folder_id: id };
        await trx(table).where(inFolder).update({ folder_id: null });
      }
      return { id };
    }),
});
