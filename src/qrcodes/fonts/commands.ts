import { Refusal } from '../../errors.ts';
import { refuseChanged } from '../../http/etag.ts';
import { namingField } from '../../images/request.ts';
import { db, execute } from '../../infra/db.ts';
import { refuseOverfull } from '../../infra/overfull.ts';
import { runIdempotent } from '../../jobs/run-idempotent.ts';
import { handlers } from '../../queues/job.ts';
import { nameKey, refuseTakenName } from '../../workspaces/taken-name.ts';
import { fontJobs, fontMaintenanceJobs, fontWriteJobs } from './jobs.ts';
import { Font } from './model.ts';
import type { ReadFont } from './outlines-of.ts';
import { readFont } from './read-font.ts';
import { toFont } from './record.ts';
import { fontNameFault, MAX_FONT_NAME, MAX_FONTS, MAX_STORED_FONTS } from './schema.ts';

/** Time after which a deleted font that nothing uses is removed. */
const UNUSED_FOR = '1 day';

/** The name of a font without one: that of its file. @throws Refusal naming the field */
function nameOf(name: string | undefined, inFile: string | null): string {
  if (name !== undefined) return name;
  const own = (inFile ?? '').normalize('NFC').trim().slice(0, MAX_FONT_NAME).trim();
  const isUsable = own !== '' && !/\p{C}/u.test(own) && fontNameFault(own) === undefined;
  if (isUsable) return own;
  throw new Refusal(
    'unprocessable_entity',
    'name must be set: the file has no name that can be used',
  );
}

/**
 * Reads a font, or returns the refusal of its file, which is the outcome of the job. @throws Error
 * if it cannot be read now, so that the job runs again
 */
async function readOrRefuse(source: string): Promise<ReadFont | Refusal> {
  try {
    return await namingField('source', readFont(source));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.code === 'unprocessable_entity') return error;
    throw new Error(error.message, { cause: error });
  }
}

export const fontHandlers = handlers(fontJobs, {
  /**
   * Fetches and reads a font, and stores its outlines. @throws Refusal `unprocessable_entity` for a
   * font that cannot be used, or one too many; `conflict` if the name is taken
   */
  async 'font.create'({ id, name: requested, source }, job) {
    const { projectId } = job;
    const read = await readOrRefuse(source);
    return runIdempotent(job, async (trx) => {
      if (read instanceof Refusal) throw read;
      const { name: inFile, outlines } = read;
      const name = nameOf(requested, inFile);
      await refuseOverfull(trx, `fonts ${projectId}`, {
        count: () => Font.of(projectId, trx).whereNull('deleted_at').resultSize(),
        max: MAX_FONTS,
        message: `A workspace has at most ${MAX_FONTS} fonts`,
      });
      await refuseOverfull(trx, `fonts ${projectId}`, {
        count: () => Font.of(projectId, trx).resultSize(),
        max: MAX_STORED_FONTS,
        message: `A workspace has at most ${MAX_STORED_FONTS} fonts, with deleted ones that QR codes use`,
      });
      await refuseTakenName(trx, 'fonts', projectId, { id, name }, { deleted_at: null });
      const row = await Font.add(
        projectId,
        {
          id,
          name,
          name_key: nameKey(name),
          characters: Object.keys(outlines.glyphs).length,
          outlines: JSON.stringify(outlines),
        },
        trx,
      );
      return toFont(row);
    });
  },
});

export const fontWriteHandlers = handlers(fontWriteJobs, {
  /**
   * Deletes a font: it can no longer be chosen. Codes and templates that use it keep it. @throws
   * Refusal `not_found`
   */
  'font.delete': ({ id }, job) =>
    runIdempotent(job, async (trx) => {
      const { projectId } = job;
      const row = await Font.lock(projectId, id, trx);
      if (row.deleted_at !== null) throw new Refusal('not_found', `There is no font "${id}"`);
      refuseChanged(job.ifMatch, toFont(row));
      await Font.of(projectId, trx).where({ id }).patch({ deleted_at: new Date() });
      return { id };
    }),
});

/** Removes deleted fonts that no code and no template uses. */
export async function pruneFonts(): Promise<void> {
  await execute(
    db(),
    `DELETE FROM fonts f WHERE deleted_at < now() - ?::interval
       AND NOT EXISTS (SELECT 1 FROM qrcodes q
                        WHERE q.project_id = f.project_id AND q.design -> 'frameLetters' IS NOT NULL
                          AND q.design -> 'frameTextStyles' ->> 'family' = f.id)
       AND NOT EXISTS (SELECT 1 FROM trash r
                        WHERE r.project_id = f.project_id
                          AND r.record -> 'design' -> 'frameTextStyles' ->> 'family' = f.id)
       AND NOT EXISTS (SELECT 1 FROM scheduled_changes s
                        WHERE s.project_id = f.project_id
                          AND s.changes -> 'design' -> 'frameTextStyles' ->> 'family' = f.id)
       AND NOT EXISTS (SELECT 1 FROM templates t
                        WHERE t.project_id = f.project_id
                          AND t.design -> 'frameTextStyles' ->> 'family' = f.id)`,
    [UNUSED_FOR],
  );
}

export const fontMaintenanceHandlers = handlers(fontMaintenanceJobs, {
  'fonts.prune': pruneFonts,
});
