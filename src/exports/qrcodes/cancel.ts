import { Refusal } from '../../errors.ts';
import { execute } from '../../infra/db.ts';
import { runIdempotent } from '../../jobs/run-idempotent.ts';
import type { JobContext } from '../../queues/definition.ts';
import { handlers } from '../../queues/job.ts';
import { changeRow } from '../../workspaces/change-row.ts';
import { exportWriteJobs } from '../jobs.ts';
import { OPEN, PictureExport } from './model.ts';
import { dropParts } from './part.ts';
import { type ExportRecord, toExport } from './record.ts';

/**
 * Ends an unfinished export and deletes its parts.
 *
 * @throws Refusal `not_found`; `conflict` if it has ended
 */
function cancelExport({ id }: { id: string }, job: JobContext): Promise<ExportRecord> {
  return runIdempotent(job, async (trx) => {
    const row = await PictureExport.lock(job.projectId, id, trx);
    if (!OPEN.includes(row.state)) {
      throw new Refusal('conflict', `The export must not be cancelled: it is ${row.state}`);
    }
    await dropParts(trx, id);
    await execute(trx, 'DELETE FROM export_items WHERE export_id = ?', [id]);
    const changes = { state: 'cancelled', bytes: 0 } as const;
    return toExport(await changeRow(PictureExport.of(job.projectId, trx), id, changes));
  });
}

export const exportWriteHandlers = handlers(exportWriteJobs, { 'export.cancel': cancelExport });
