import { Refusal } from '../errors.ts';
import { pluralOf } from '../events/kinds.ts';
import { type Db, db } from '../infra/db.ts';
import { unseal } from '../infra/seal.ts';
import { isSigned } from '../infra/secrets.ts';
import { runIdempotent } from '../jobs/run-idempotent.ts';
import { handlers } from '../queues/job.ts';
import { addressOf, KEEP_MS } from './address.ts';
import { exportCustomers } from './customers.ts';
import { exportEvents } from './events.ts';
import { ARCHIVE, type Parts, type StoredFormat } from './format.ts';
import { exportJobs, exportMaintenanceJobs, type NewExport } from './jobs.ts';
import { createPictureExport, resumeExports } from './qrcodes/create.ts';
import { OPEN } from './qrcodes/model.ts';
import { exportLinks, exportQrCodes } from './records.ts';
import { refuseWithoutSpace } from './space.ts';
import { writeWorkspace } from './workspace.ts';

/** Writes the text of an export, in parts. */
export function partsOf(
  projectId: string,
  { of: selection, format }: Omit<NewExport, 'id'>,
): Parts {
  if ('events' in selection) return exportEvents(projectId, selection.events, format);
  return 'links' in selection
    ? exportLinks(projectId, selection.links, format)
    : 'qrcodes' in selection
      ? exportQrCodes(projectId, selection.qrcodes, format)
      : exportCustomers(projectId, selection.customers, format);
}

/** Name of the file of an export. */
const nameOf = (selection: NewExport['of']): string =>
  'events' in selection ? pluralOf(selection.events.event) : Object.keys(selection)[0]!;

async function addExport(
  trx: Db,
  row: { project_id: string; id: string; name: string; format: StoredFormat },
): Promise<Date> {
  const expiresAt = new Date(Date.now() + KEEP_MS);
  await trx('exports').insert({ ...row, expires_at: expiresAt });
  return expiresAt;
}

/**
 * Stores the parts of an export, and returns their size in bytes.
 *
 * @throws Refusal `forbidden` if the workspace has too little space for exports
 */
async function writeParts(
  trx: Db,
  { projectId, exportId }: { projectId: string; exportId: string },
  parts: AsyncIterable<string | Buffer>,
): Promise<number> {
  const space = await refuseWithoutSpace(trx, projectId);
  let position = 0;
  let bytes = 0;
  for await (const part of parts) {
    bytes += Buffer.byteLength(part);
    if (bytes > space.bytes) throw new Refusal('forbidden', space.message);
    const content = typeof part === 'string' ? { text: part } : { bytes: part };
    await trx('export_parts').insert({ export_id: exportId, position, ...content });
    position += 1;
  }
  await trx('exports').where({ project_id: projectId, id: exportId }).update({ bytes });
  return bytes;
}

/** A large export that can be downloaded. */
export interface StoredExport {
  name: string;
  format: StoredFormat;
  parts: AsyncGenerator<string | Buffer, void, undefined>;
}

/**
 * Finds the export of an address; `undefined` for an invalid address, `null` if the export has
 * expired.
 */
export async function findExport(
  id: string,
  token: string,
): Promise<StoredExport | null | undefined> {
  if (!isSigned('export', id, token)) return undefined;
  const row = (await db()('exports')
    .where({ id, state: 'done' })
    .first('name', 'format', 'expires_at')) as
    | { name: string; format: StoredFormat; expires_at: Date }
    | undefined;
  if (row === undefined || row.expires_at.getTime() <= Date.now()) return null;
  return { name: row.name, format: row.format, parts: storedParts(id) };
}

async function* storedParts(exportId: string): StoredExport['parts'] {
  for (let position = 0; ; position += 1) {
    const part = (await db()('export_parts')
      .where({ export_id: exportId, position })
      .first('text', 'bytes')) as { text: string | null; bytes: Buffer | null } | undefined;
    if (part === undefined) return;
    yield part.text ?? part.bytes!;
  }
}

export const exportHandlers = handlers(exportJobs, {
  /** Writes a large export, which can be downloaded from the address in the result. */
  'export.write': (request, job) =>
    runIdempotent(job, async (trx) => {
      const { id, format } = request;
      const name = nameOf(request.of);
      const expiresAt = await addExport(trx, { project_id: job.projectId, id, name, format });
      await writeParts(
        trx,
        { projectId: job.projectId, exportId: id },
        partsOf(job.projectId, request),
      );
      return addressOf(id, expiresAt);
    }),

  /**
   * Writes an export of a whole workspace, which can be downloaded from the address in the result.
   */
  'export.workspace': ({ id, passphrase }, job) =>
    runIdempotent(job, async (trx) => {
      const { projectId } = job;
      const { counts, parts } = await writeWorkspace(
        trx,
        projectId,
        passphrase === undefined
          ? undefined
          : unseal({ purpose: 'export passphrase', owner: projectId }, passphrase),
      );
      const row = { project_id: projectId, id, name: 'workspace', format: ARCHIVE } as const;
      const expiresAt = await addExport(trx, row);
      const bytes = await writeParts(trx, { projectId, exportId: id }, parts);
      return { ...addressOf(id, expiresAt), bytes, counts };
    }),

  'export.qrcodes': createPictureExport,
});

export const exportMaintenanceHandlers = handlers(exportMaintenanceJobs, {
  /** Deletes exports that can no longer be downloaded. */
  async 'exports.prune'() {
    await db()('exports').whereRaw('expires_at < now()').whereNotIn('state', OPEN).delete();
  },

  'exports.resume': resumeExports,
});
