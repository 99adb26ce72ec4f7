import { config } from '../config.ts';
import { pluralOf } from '../events/kinds.ts';
import { type Db, db, execute } from '../infra/db.ts';
import { isSigned, sign } from '../infra/secrets.ts';
import { runIdempotent } from '../jobs/run-idempotent.ts';
import type { LinkFilters } from '../links/filters.ts';
import type { JobContext } from '../queues/queue.ts';
import { type EventExport, exportEvents } from './events.ts';
import type { ExportFormat, Parts } from './format.ts';
import { exportLinks } from './links.ts';

/** Time for which a large export can be downloaded. */
const KEEP_MS = 24 * 3_600_000;

/** The input of an export. */
export interface NewExport {
  id: string;
  format: ExportFormat;
  of: { events: EventExport } | { links: LinkFilters };
}

/** The download URL of an export, and its expiry. */
export interface ExportResult {
  url: string;
  expiresAt: string;
}

/** The text of an export, in parts. */
export function partsOf(projectId: string, { of, format }: Omit<NewExport, 'id'>): Parts {
  return 'events' in of
    ? exportEvents(projectId, of.events, format)
    : exportLinks(projectId, of.links, format);
}

/** Writes a large export, to be fetched from the address in the result. */
export function writeExport(wanted: NewExport, job: JobContext): Promise<ExportResult> {
  return runIdempotent(job, async (trx) => {
    const { id, format } = wanted;
    const expiresAt = new Date(Date.now() + KEEP_MS);
    const name = 'events' in wanted.of ? pluralOf(wanted.of.events.event) : 'links';
    await trx('exports').insert({
      project_id: job.projectId,
      id,
      name,
      format,
      expires_at: expiresAt,
    });
    await writeParts(trx, id, partsOf(job.projectId, wanted));
    const url = `${config().BASE_URL}/exports/${id}?token=${sign('export', id)}`;
    return { result: { url, expiresAt: expiresAt.toISOString() }, changes: [] };
  });
}

async function writeParts(trx: Db, exportId: string, parts: Parts): Promise<void> {
  let position = 0;
  for await (const text of parts) {
    await trx('export_parts').insert({ export_id: exportId, position, text });
    position += 1;
  }
}

/** A large export that can be fetched. */
export interface StoredExport {
  name: string;
  format: ExportFormat;
  parts: Parts;
}

/** The export of an address; `undefined` where the address is none of ours, `null` where the export has expired. */
export async function findExport(
  id: string,
  token: string,
): Promise<StoredExport | null | undefined> {
  if (!isSigned('export', id, token)) return undefined;
  const row = (await db()('exports').where({ id }).first('name', 'format', 'expires_at')) as
    | { name: string; format: ExportFormat; expires_at: Date }
    | undefined;
  if (row === undefined || row.expires_at.getTime() <= Date.now()) return null;
  return { name: row.name, format: row.format, parts: storedParts(id) };
}

async function* storedParts(exportId: string): Parts {
  for (let position = 0; ; position += 1) {
    const part = (await db()('export_parts')
      .where({ export_id: exportId, position })
      .first('text')) as { text: string } | undefined;
    if (part === undefined) return;
    yield part.text;
  }
}

/** Deletes exports that can't be fetched any more. */
export async function pruneExports(): Promise<undefined> {
  await execute(db(), 'DELETE FROM exports WHERE expires_at < now()');
  return undefined;
}
