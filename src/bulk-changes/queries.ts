import { Refusal } from '../errors.ts';
import { found } from '../http/route.ts';
import { BOM, csvLines } from '../infra/csv.ts';
import { type Db, db, rows } from '../infra/db.ts';
import type { Slice } from '../infra/keyset.ts';
import type { RecordKind } from '../short-links/model.ts';
import { toSharedChanges } from '../short-links/schema.ts';
import { newestFirst, type Paging } from '../workspaces/lists.ts';
import type { Edit } from './kinds.ts';
import { BulkChange, type Item } from './model.ts';
import { toBulkChange } from './record.ts';

/** Maximum number of errors in the record. */
const SHOWN_ERRORS = 100;
/** Number of errors that are read at a time. */
const PAGE = 1_000;

/** The change of each record of a bulk change. */
export const editOf = ({ project_id, data, replacement }: BulkChange): Edit => ({
  changes: toSharedChanges(project_id, { ...data }),
  replacement,
});

/** Reads the records of the next slice, in their order. */
export const itemsOf = (
  connection: Db,
  { project_id, id, slice }: Pick<BulkChange, 'project_id' | 'id' | 'slice'>,
): Promise<Item[]> =>
  rows<Item>(
    connection,
    `SELECT position, record_id, name, change_id FROM bulk_change_items
      WHERE project_id = ? AND bulk_change_id = ? AND slice = ? ORDER BY position`,
    [project_id, id, slice],
  );

/** Lists the bulk changes of a workspace, newest first. */
export const listBulkChanges = (
  projectId: string,
  kind: RecordKind,
  paging: Paging,
): Promise<Slice<BulkChange>> => newestFirst(BulkChange.of(projectId).where({ kind }), paging);

/** Names a bulk change of a workspace. */
interface Ref {
  projectId: string;
  kind: RecordKind;
  id: string;
}

async function findBulkChange({ projectId, kind, id }: Ref): Promise<BulkChange> {
  const row = await BulkChange.of(projectId).where({ id, kind }).first();
  return found(row, `bulk change "${id}"`);
}

/** Reads a bulk change with its examples and first errors. @throws Refusal `not_found` */
export async function readBulkChange(ref: Ref) {
  const row = await findBulkChange(ref);
  const errors = await errorsAfter(row, -1, SHOWN_ERRORS);
  return {
    ...toBulkChange(row),
    examples: row.examples ?? [],
    errors: errors.map(({ id, shortLink, message }) => ({ id, shortLink, message })),
  };
}

interface ErrorRow {
  position: number;
  id: string;
  shortLink: string | null;
  message: string;
}

/**
 * Reads the records that were refused in the processed slices; after an undo, those that it left as
 * they are.
 */
function errorsAfter(
  { project_id, id, undo, slice }: BulkChange,
  after: number,
  limit: number,
): Promise<ErrorRow[]> {
  const column = undo === null ? 'error' : 'undo_error';
  return rows<ErrorRow>(
    db(),
    `SELECT position, record_id AS id, name AS "shortLink", ${column} AS message FROM bulk_change_items
      WHERE project_id = ? AND bulk_change_id = ? AND slice < ? AND position > ? AND ${column} IS NOT NULL
      ORDER BY position LIMIT ?`,
    [project_id, id, slice, after, limit],
  );
}

/**
 * Streams the errors of a bulk change as CSV: id, shortLink, message.
 *
 * @throws Refusal `not_found`, or `invite_expired` after they have been deleted
 */
export async function errorsFile(ref: Ref): Promise<AsyncGenerator<string, void, undefined>> {
  const row = await findBulkChange(ref);
  if (!row.has_items) {
    throw new Refusal('invite_expired', 'The errors of the bulk change have expired');
  }
  return errorParts(row);
}

async function* errorParts(row: BulkChange): AsyncGenerator<string, void, undefined> {
  yield BOM + csvLines([['id', 'shortLink', 'message']]);
  for (let after = -1; ; ) {
    const page = await errorsAfter(row, after, PAGE);
    yield csvLines(page.map(({ id, shortLink, message }) => [id, shortLink ?? '', message]));
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    after = last.position;
  }
}
