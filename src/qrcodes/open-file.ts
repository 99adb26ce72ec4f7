import type { FileType } from '../images/file-source.ts';
import { db, rows } from '../infra/db.ts';

/**
 * Reads the file of a QR code; `undefined` if the code has another one, or if its short link opens
 * nothing: an operator has blocked it, it has expired, or it has not started. Its password, rules
 * and number of visits decide at the short link only, since a visitor loads the file afterwards.
 */
export async function openFile({
  projectId,
  qrcodeId,
  fileId,
}: {
  projectId: string;
  qrcodeId: string;
  fileId: string;
}): Promise<{ bytes: Buffer; type: FileType } | undefined> {
  const [file] = await rows<{ bytes: Buffer; type: FileType }>(
    db(),
    `SELECT f.bytes, f.type
       FROM qrcodes q JOIN files f ON f.project_id = q.project_id AND f.id = q.design->'storedFile'->>'id'
      WHERE q.project_id = ? AND q.id = ? AND f.id = ?
        AND coalesce(q.expires_at > now(), true) AND coalesce(q.starts_at <= now(), true)
        AND NOT EXISTS (SELECT 1 FROM blocked_links b WHERE b.record_id = q.id)`,
    [projectId, qrcodeId, fileId],
  );
  return file;
}
