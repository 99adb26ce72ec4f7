import { db, execute, rows } from '../infra/db.ts';
import { cacheRedis } from '../infra/redis.ts';
import { recordWrite } from '../infra/standbys.ts';
import {
  type ChangedName,
  type LookupChange,
  publishCommitted,
  publishPresent,
} from './publish.ts';

/*
 * Long jobs commit slices, each with the names of the entries to publish. If a worker dies after the
 * commit, the next job publishes these.
 */

/** A table of long jobs. */
export interface SlicedTable {
  name: 'imports' | 'bulk_changes';
  /** Column of the names to publish. */
  entries: 'changes' | 'lookups';
  /** Column of the number of the next slice. */
  next: 'position' | 'slice';
}

/** A committed slice of a long job: its id, and the number of the next slice. */
export interface Committed {
  id: string;
  next: number;
}

/** Publishes the entries of a slice after its commit. */
export async function publishSlice(
  table: SlicedTable,
  projectId: string,
  { changes, ...slice }: Committed & { changes: LookupChange[] },
): Promise<void> {
  await Promise.all([publishCommitted(cacheRedis(), changes), recordWrite(projectId)]);
  await forget(table, projectId, slice);
}

/** Publishes the entries of a worker that died after it had committed them. */
export async function publishPendingSlices(table: SlicedTable, projectId: string): Promise<void> {
  const pending = await rows<Committed & { entries: ChangedName[] }>(
    db(),
    `SELECT id, ${table.next} AS next, ${table.entries} AS entries FROM ${table.name}
      WHERE project_id = ? AND ${table.entries} IS NOT NULL`,
    [projectId],
  );
  for (const { entries, ...slice } of pending) {
    await Promise.all([publishPresent(cacheRedis(), entries), recordWrite(projectId)]);
    await forget(table, projectId, slice);
  }
}

/** Removes the published entries of a slice, unless a later slice has replaced them. */
async function forget(
  table: SlicedTable,
  projectId: string,
  { id, next }: Committed,
): Promise<void> {
  await execute(
    db(),
    `UPDATE ${table.name} SET ${table.entries} = NULL WHERE project_id = ? AND id = ? AND ${table.next} = ?`,
    [projectId, id, next],
  );
}
