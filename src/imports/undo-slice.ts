import { type Db, rows } from '../infra/db.ts';
import type { Publish } from '../jobs/run-idempotent.ts';
import { LINK_TABLES } from '../links/model.ts';
import { remove } from '../short-links/remove.ts';
import type { Import, Undo } from './model.ts';

/** Number of links deleted per slice. */
const SLICE = 500;

/**
 * Deletes some of the links that an import created; links that were changed since remain.
 *
 * @returns the progress, and whether this was the last slice
 */
export async function undoSlice(
  trx: Db,
  { project_id, id, undo }: Import,
  publish: Publish,
): Promise<{ undo: Undo; isLast: boolean }> {
  const before = undo!;
  const links = await rows<{ id: string; isUnchanged: boolean }>(
    trx,
    `SELECT l.id, l.updated_at = i.made_at AS "isUnchanged"
       FROM import_links i JOIN links l ON l.project_id = i.project_id AND l.id = i.link_id
      WHERE i.project_id = :project_id AND i.import_id = :id AND i.link_id > :after
      ORDER BY i.link_id LIMIT :limit FOR UPDATE OF l`,
    { project_id, id, after: before.after, limit: SLICE },
  );
  const ids = links.filter(({ isUnchanged }) => isUnchanged).map((link) => link.id);
  publish(await remove(trx, LINK_TABLES, project_id, ids, {}));
  const after = {
    ...before,
    deleted: before.deleted + ids.length,
    changed: before.changed + links.length - ids.length,
    after: links.at(-1)?.id ?? before.after,
  };
  const isLast = links.length < SLICE;
  // Links that no longer exist were deleted before the undo or during it.
  const missing = isLast ? after.total - after.deleted - after.changed : before.gone;
  return { undo: { ...after, gone: missing }, isLast };
}
