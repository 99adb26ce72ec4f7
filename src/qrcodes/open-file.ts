import type { FileType } from '../images/file-source.ts';
import { db, rows } from '../infra/db.ts';

/**
 * Reads the file of QR codes; `undefined` if no code has it whose short link opens it: an operator
 * has blocked it, it has expired, or it has not started. Its password, rules and number of visits
 * decide at the short link only, since a visitor loads the file afterwards.
 */
export async function openFile(
  projectId: string,
  fileId: string,
): Promise<{ bytes: Buffer; type: FileType } | undefined> {
  const [file] = await rows<{ bytes: Buffer; type: FileType }>(
    db(),
    `SELECT f.bytes, f.type FROM files f
      WHERE f.project_id = :projectId AND f.id = :fileId AND EXISTS (
        SELECT 1 FROM qrcodes q
         WHERE q.project_id = :projectId AND q.design -> 'storedFile' IS NOT NULL
           AND q.design -> 'storedFile' ->> 'id' = :fileId
           AND coalesce(q.expires_at > now(), true) AND coalesce(q.starts_at <= now(), true)
           AND NOT EXISTS (SELECT 1 FROM blocked_links b WHERE b.record_id = q.id))`,
    { projectId, fileId },
  );
  return file;
}
