import { createHash } from 'node:crypto';
import { db, execute, rows } from '../infra/db.ts';
import { FILE_TYPES, type FileType, typeOfHead } from './file-source.ts';
import type { FileRef } from './name.ts';
import { bytesOf } from './read.ts';
import { refuse } from './refusals.ts';

/** Maximum size of a file, in bytes. */
const MAX_BYTES = 5 * 1024 * 1024;

/**
 * Fetches a file and stores it for a workspace. The first bytes decide its type: headers and names
 * cannot be trusted.
 *
 * @throws Refusal `unprocessable_entity`, whose message completes "<field> …"
 */
export async function keepFile(projectId: string, source: string): Promise<FileRef> {
  const bytes = await bytesOf(source, MAX_BYTES, Object.keys(FILE_TYPES).join(', '));
  const head = bytes.subarray(0, 16).toString('latin1');
  const type = typeOfHead(head);
  if (type === undefined) throw refuse('must be a PDF, PNG, JPEG, WebP or GIF');
  const id = createHash('sha256').update(bytes).digest('hex');
  await execute(
    db(),
    `INSERT INTO files (project_id, id, type, bytes) VALUES (?, ?, ?, ?)
     ON CONFLICT (project_id, id) DO UPDATE SET kept_at = now()`,
    [projectId, id, type, bytes],
  );
  return { id, type };
}

/** Reads a file that a code of the workspace opens; `undefined` if there is none. */
export async function readFile(
  projectId: string,
  id: string,
): Promise<{ bytes: Buffer; type: FileType } | undefined> {
  const [file] = await rows<{ bytes: Buffer; type: FileType }>(
    db(),
    'SELECT bytes, type FROM files WHERE project_id = ? AND id = ?',
    [projectId, id],
  );
  return file;
}

/** Deletes files that no code has used for a day. */
export async function pruneFiles(): Promise<void> {
  await execute(
    db(),
    `DELETE FROM files f WHERE kept_at < now() - interval '1 day'
       AND NOT EXISTS (SELECT 1 FROM qrcodes q WHERE q.project_id = f.project_id
                         AND q.design->'storedFile'->>'id' = f.id)`,
    [],
  );
}
