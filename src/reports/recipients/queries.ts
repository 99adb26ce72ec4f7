import { db, rows } from '../../infra/db.ts';
import { hashToken } from '../../infra/secrets.ts';
import type { MailSchedule } from '../../mail/sending-times.ts';
import { namesWithoutAddress, type ReportNames } from './confirmation.ts';

/** A person who can confirm that they want a report. */
interface Confirmable {
  projectId: string;
  tokenHash: string;
  names: ReportNames;
}

/**
 * Finds the person of a link to confirm; `undefined` if it is not valid, or the report has expired.
 * The query names no workspace, since people know none.
 */
export async function findConfirmable(token: string): Promise<Confirmable | undefined> {
  const tokenHash = hashToken(token);
  const [row] = await rows<{
    projectId: string;
    name: string;
    schedule: MailSchedule | null;
    workspace: string;
    slug: string;
  }>(
    db(),
    `SELECT p.project_id AS "projectId", r.name, r.schedule, w.name AS workspace, w.slug
       FROM report_recipients p
       JOIN shared_reports r ON r.project_id = p.project_id AND r.id = p.report_id
       JOIN workspaces w ON w.id = p.project_id
      WHERE p.token_hash = ? AND p.token_expires_at > now()
        AND (r.expires_at IS NULL OR r.expires_at > now())`,
    [tokenHash],
  );
  if (row === undefined) return undefined;
  const { projectId, workspace, slug } = row;
  return { projectId, tokenHash, names: namesWithoutAddress(row, { name: workspace, slug }) };
}
