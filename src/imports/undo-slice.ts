import { type Db, rows } from '../infra/db.ts';
import type { Publish } from '../jobs/run-idempotent.ts';
import { LINK_TABLES } from '../links/model.ts';
import { remove } from '../short-links/remove.ts';
import type { Import, Undo } from './model.ts';

/** Links that one slice deletes. */
const SLICE = 500;

/**
 * Deletes some of the links that an import made; those that have been changed since stay.
 *
 * @returns the progress, and whether that was the last slice
 */
export async function undoSlice(
  trx: Db,
  { project_id, id, undo }: Import,
  publish: Publish,
): Promise<{ undo: Undo; isLast: boolean }> {
  const before = undo!;
  const made = await rows<{ id: string; isUnchanged: boolean }>(
    trx,
    `SELECT l.id, l.updated_at = i.made_at AS "isUnchanged"
       FROM import_links i JOIN links l ON l.project_id = i.project_id AND l.id = i.link_id
      WHERE i.project_id = :project_id AND i.import_id = :id AND i.link_id > :after
      ORDER BY i.link_id LIMIT :limit FOR UPDATE OF l`,
    { project_id, id, after: before.after, limit: SLICE },
  );
  const ids = made.filter(({ isUnchanged }) => isUnchanged).map((link) => link.id);
  publish(await remove(trx, LINK_TABLES, project_id, ids));
  const after = {
    ...before,
    deleted: before.deleted + ids.length,
    changed: before.changed + made.length - ids.length,
    after: made.at(-1)?.id ?? before.after,
  };
  const isLast = made.length < SLICE;
  // What is not there any more was deleted before, or meanwhile.
  const gone = isLast ? after.total - after.deleted - after.changed : before.gone;
  return { undo: { ...after, gone }, isLast };
}
