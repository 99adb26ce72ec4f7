import { createHash } from 'node:crypto';
import { MEBIBYTE } from '../http/input.ts';
import { type Db, db, execute, rows } from '../infra/db.ts';
import { FILE_BYTES } from '../workspaces/plans.ts';
import { planOf } from '../workspaces/queries.ts';
import { FILE_TYPES, typeOfHead } from './file-source.ts';
import type { FileRef } from './name.ts';
import { bytesOf } from './read.ts';
import { refuse } from './refusals.ts';

/** Maximum size of a file, in bytes. */
const MAX_BYTES = 5 * MEBIBYTE;

/** A file that has been read, and is not stored yet. */
export interface NewFile extends FileRef {
  bytes: Buffer;
}

/**
 * Reads a file from its URL or data URI. The first bytes decide its type: headers and names cannot
 * be trusted.
 *
 * @throws Refusal `unprocessable_entity`, whose message completes "<field> …"
 */
export async function readSource(source: string): Promise<NewFile> {
  const bytes = await bytesOf(source, { maxBytes: MAX_BYTES }, Object.keys(FILE_TYPES).join(', '));
  const head = bytes.subarray(0, 16).toString('latin1');
  const type = typeOfHead(head);
  if (type === undefined) throw refuse('must be a PDF, PNG, JPEG, WebP or GIF');
  const id = createHash('sha256').update(bytes).digest('hex');
  return { id, type, bytes };
}

/**
 * Stores a file for a workspace.
 *
 * @throws Refusal `unprocessable_entity`, whose message completes "<field> …"
 */
export async function storeFile(
  trx: Db,
  projectId: string,
  { id, type, bytes }: NewFile,
): Promise<FileRef> {
  // Concurrent callers wait, so that the limit is not exceeded.
  await execute(trx, 'SELECT pg_advisory_xact_lock(hashtext(?))', [`files ${projectId}`]);
  const [others] = await rows<{ size: number }>(
    trx,
    `SELECT coalesce(sum(octet_length(bytes)), 0)::bigint AS size FROM files
      WHERE project_id = ? AND id <> ?`,
    [projectId, id],
  );
  const plan = await planOf(projectId, trx);
  const most = FILE_BYTES[plan];
  if (others!.size + bytes.length > most) {
    throw refuse(
      `must not exceed ${most / MEBIBYTE} MiB together with the other files of the workspace, ` +
        `the limit of the plan ${plan}; the file of a deleted code counts while it can be restored`,
    );
  }
  await execute(
    trx,
    `INSERT INTO files (project_id, id, type, bytes) VALUES (?, ?, ?, ?)
     ON CONFLICT (project_id, id) DO UPDATE SET kept_at = now()`,
    [projectId, id, type, bytes],
  );
  return { id, type };
}

/** Fetches a file and stores it for a workspace. @throws Refusal as {@link storeFile} */
export async function keepFile(projectId: string, source: string): Promise<FileRef> {
  const file = await readSource(source);
  return db().transaction((trx) => storeFile(trx, projectId, file));
}

/** Deletes files that no code has used for a day, in the trash or by a scheduled change either. */
export async function pruneFiles(): Promise<void> {
  await execute(
    db(),
    `DELETE FROM files f WHERE kept_at < now() - interval '1 day'
       AND NOT EXISTS (SELECT 1 FROM qrcodes q WHERE q.project_id = f.project_id
                         AND q.design->'storedFile'->>'id' = f.id)
       AND NOT EXISTS (SELECT 1 FROM trash r WHERE r.project_id = f.project_id
                         AND r.record->'design'->'storedFile'->>'id' = f.id)
       AND NOT EXISTS (SELECT 1 FROM scheduled_changes s WHERE s.project_id = f.project_id
                         AND s.changes->'design'->'storedFile'->>'id' = f.id)`,
    [],
  );
}
