import { Refusal } from '../errors.ts';
import { dropUpload, readUpload } from '../http/upload.ts';
import { type Db, db, execute } from '../infra/db.ts';
import { cacheRedis } from '../infra/redis.ts';
import { runIdempotent } from '../jobs/run-idempotent.ts';
import type { JobContext } from '../queues/definition.ts';
import { handlers } from '../queues/job.ts';
import { loadReferences, resolve } from '../short-links/references.ts';
import { changeRow } from '../workspaces/change-row.ts';
import { fetchImports, wakeFetch } from './fetch.ts';
import type { Bytes } from './file.ts';
import { FormatScan } from './formats.ts';
import { importBulkJobs, importJobs, importMaintenanceJobs, type NewImport } from './jobs.ts';
import { keyFinder, refuseRandomKeys, refuseWithoutUrl, refuseWrongMapping } from './mapping.ts';
import {
  type Archive,
  type FileRow,
  Import,
  type ImportFile,
  type ImportOptions,
  type ImportState,
  OPEN,
} from './model.ts';
import { openFile } from './open.ts';
import { PROVIDERS, type ProviderName } from './providers/index.ts';
import { type ImportRecord, KEEP_FILE_MS, toImport } from './record.ts';
import { runImport, wakeImports } from './run.ts';
import type { OptionChanges } from './schema.ts';
import { openOfImport } from './sealing.ts';
import { ARCHIVE_ROWS, storeSlices } from './slices.ts';
import { keyOf } from './workspace/import-archive-slice.ts';

/** Maximum number of unfinished imports per workspace. */
const MAX_UNFINISHED = 20;
const UNFINISHED: ImportState[] = [...OPEN, 'checked', 'fetching'];

/**
 * Reads an uploaded file and stores it in slices, which separate jobs import. Links of an API are
 * read by jobs as well.
 *
 * @param file bytes of the file if it has not been uploaded
 * @throws Refusal when the file cannot be read, does not match the source or is too large for the
 * plan, or an option is wrong
 */
export async function createImport(
  request: NewImport,
  job: JobContext,
  file?: Bytes,
): Promise<ImportRecord> {
  const { upload, api } = request;
  const drop = async () => {
    if (upload !== undefined) await dropUpload(cacheRedis(), job.projectId, upload);
  };
  let record: ImportRecord;
  try {
    record = await runIdempotent(job, async (trx) => {
      await refuseTooManyUnfinished(job.projectId, trx);
      await refuseWrongReferences(trx, job.projectId, request.options);
      return toImport(await store(trx, job.projectId, request, file));
    });
  } catch (thrown) {
    if (thrown instanceof Refusal) await drop();
    throw thrown;
  }
  await drop();
  await (api === undefined ? wakeImports(job.projectId) : wakeFetch(job.projectId));
  return record;
}

async function refuseTooManyUnfinished(projectId: string, trx: Db): Promise<void> {
  const unfinished = await Import.of(projectId, trx).whereIn('state', UNFINISHED).resultSize();
  if (unfinished < MAX_UNFINISHED) return;
  throw new Refusal(
    'conflict',
    `The workspace must not have more than ${MAX_UNFINISHED} unfinished imports; start or cancel some`,
  );
}

/** @throws Refusal for a domain, folder or tag that does not belong to the workspace */
async function refuseWrongReferences(
  trx: Db,
  projectId: string,
  { domain, folderId, tagIds }: OptionChanges,
): Promise<void> {
  const input = {
    domain: domain ?? undefined,
    folderId: folderId ?? undefined,
    tags: { ids: tagIds ?? [], names: [] },
  };
  resolve(input, await loadReferences(trx, projectId, [input]));
}

async function store(
  trx: Db,
  projectId: string,
  request: NewImport,
  file: Bytes | undefined,
): Promise<Import> {
  const { id, userId, upload, name, dryRun, mostRows, mostBytes } = request;
  if (upload === undefined) return Import.add(projectId, remoteRow(request), trx);
  const bytes = file ?? (() => readUpload(cacheRedis(), projectId, upload));
  const limits = { fileBytes: upload.bytes, mostRows, mostBytes };
  const opened = await openFile(bytes, limits, request.source, request.options.mapping);
  const { source, rows, mapping, ...properties } = opened;
  const options = { ...request.options, mapping };
  const contents = { bytes: upload.bytes, ...properties };
  const { columns, archive } = contents;
  if (archive !== undefined) {
    refuseOptions(options);
    if (archive.workspaceId === projectId) {
      throw new Refusal(
        'unprocessable_entity',
        'The file must be the export of another workspace, not of this one',
      );
    }
  }
  const token = await passphraseOf(projectId, request.passphrase, archive);
  refuseWrongMapping(options.mapping, columns);
  if (!dryRun) refuseWithoutUrl({ file: contents, options });
  const state = dryRun ? 'checking' : 'queued';
  const row = { id, user_id: userId, name, state, source, options, file: contents, token } as const;
  await Import.add(projectId, { ...row, rows: 0 }, trx);
  const importKey = { project_id: projectId, id };
  if (archive !== undefined) {
    const { count } = await storeSlices(trx, importKey, rows, 0, ARCHIVE_ROWS);
    return changeRow(Import.of(projectId, trx), id, { rows: count });
  }
  const shown = { ...contents };
  const { count } = await storeSlices(trx, importKey, scanned(rows, shown, options));
  const stored = await changeRow(Import.of(projectId, trx), id, { rows: count, file: shown });
  if (!dryRun) refuseRandomKeys(stored);
  return stored;
}

/** Passes rows on, and at their end adds to the properties of the file what all rows show. */
async function* scanned(
  rows: AsyncIterable<FileRow>,
  file: ImportFile,
  options: ImportOptions,
): AsyncGenerator<FileRow, void, undefined> {
  const formats = new FormatScan(file.columns.length);
  const hasKey = keyFinder({ file, options });
  let keyless = 0;
  for await (const row of rows) {
    const [, ...cells] = row;
    formats.add(cells);
    if (!hasKey(cells)) keyless += 1;
    yield row;
  }
  Object.assign(file, { keyless, formats: formats.formats(file.delimiter) });
}

/** @throws Refusal for options that do not apply to the export of a workspace */
function refuseOptions(options: OptionChanges): void {
  const { mapping, folderId, tagIds, onConflict, allowRandomKeys } = options;
  const conflicting = {
    mapping: Object.keys(mapping ?? {}).length > 0,
    folderId: typeof folderId === 'string',
    tagIds: (tagIds ?? []).length > 0,
    onConflict: onConflict !== undefined && onConflict !== 'skip',
    allowRandomKeys: allowRandomKeys === true,
  };
  const names = Object.entries(conflicting).flatMap(([name, isGiven]) => (isGiven ? [name] : []));
  if (names.length === 0) return;
  throw new Refusal(
    'unprocessable_entity',
    names
      .map((name) => `${name} must not be set for a whole workspace, which is imported as it was`)
      .join('; '),
  );
}

/**
 * Checks a passphrase and returns it as it is stored.
 *
 * @param sealed passphrase as it is sent to the worker
 * @throws Refusal when it does not match the export
 */
async function passphraseOf(
  projectId: string,
  sealed: string | undefined,
  archive: Archive | undefined,
): Promise<string | null> {
  if (sealed === undefined) return null;
  if (archive === undefined || archive.passwords === null) {
    throw new Refusal(
      'unprocessable_entity',
      'passphrase must not be set: the file has no passwords that are encrypted',
    );
  }
  if ((await keyOf(openOfImport(projectId, sealed), archive)) !== undefined) return sealed;
  throw new Refusal(
    'unprocessable_entity',
    'passphrase must be the one that the export was encrypted with',
  );
}

/** Makes the row of an import that reads links from an API. */
function remoteRow({ id, userId, name, source, options, dryRun, mostRows, api }: NewImport) {
  const { fields } = PROVIDERS[source as ProviderName];
  const { url, token } = api!;
  return {
    id,
    user_id: userId,
    name,
    state: 'fetching' as const,
    source: source!,
    options,
    file: { bytes: 0, encoding: 'utf-8', delimiter: null, columns: [...fields] },
    rows: 0,
    remote: { url, cursor: null, total: null, attempts: 0, dryRun, mostRows },
    token,
  };
}

/**
 * Starts an import that has been checked.
 *
 * @throws Refusal
 */
export async function startImport(
  { id, allowRandomKeys }: { id: string; allowRandomKeys?: boolean | undefined },
  job: JobContext,
): Promise<ImportRecord> {
  return command(job, id, async (trx, importRow) => {
    refuseState(importRow, ['checking', 'checked'], 'started');
    refuseWithoutUrl(importRow);
    const options = allowRandomKeys ? { ...importRow.options, allowRandomKeys } : importRow.options;
    refuseUncounted(importRow.file, options);
    refuseRandomKeys({ file: importRow.file, options, rows: importRow.rows });
    // The preview of a workspace export counts what is imported from now on.
    const preview = importRow.file.archive === undefined ? importRow.preview : null;
    return { ...(await restartedColumns(trx, importRow)), options, preview, state: 'queued' };
  });
}

/** @throws Refusal while the check still counts the rows without a key */
function refuseUncounted({ isCounting }: ImportFile, { allowRandomKeys }: ImportOptions): void {
  if (isCounting !== true || allowRandomKeys === true) return;
  throw new Refusal(
    'conflict',
    'The import must not be started before its check has ended: its columns have changed',
  );
}

/** Returns the columns of an import that reads its file from the beginning. */
async function restartedColumns(
  trx: Db,
  { project_id, id, file }: Import,
): Promise<Partial<Import>> {
  await trx('import_errors').where({ project_id, import_id: id }).delete();
  await trx('import_names').where({ project_id, import_id: id }).delete();
  const counts = { done: 0, created: 0, updated: 0, skipped: 0, refused: 0, renamed: 0 };
  return {
    ...counts,
    file: { ...file, leftOut: undefined },
    position: 0,
    preview: null,
    requested_at: new Date(),
    ended_at: null,
  };
}

/**
 * Deletes the links that an import created and nobody has changed since.
 *
 * @throws Refusal
 */
export async function undoImport({ id }: { id: string }, job: JobContext): Promise<ImportRecord> {
  return command(job, id, async (trx, importRow) => {
    refuseState(importRow, ['done', 'cancelled'], 'undone');
    if (importRow.file.archive !== undefined) {
      throw new Refusal('conflict', 'An import of a whole workspace cannot be undone');
    }
    const links = (await trx('import_links')
      .where({ project_id: job.projectId, import_id: id })
      .count('* AS count')
      .first()) as { count: number };
    // Before the start, `created` counts what a check would create.
    const total = importRow.started_at === null ? 0 : importRow.created;
    const missing = total - links.count;
    const undo = { total, deleted: 0, changed: 0, gone: missing, after: '' };
    return { state: 'undoing', undo, requested_at: new Date(), ended_at: null };
  });
}

function refuseState({ state }: Import, allowed: readonly ImportState[], verb: string): void {
  if (allowed.includes(state)) return;
  throw new Refusal('conflict', `The import must not be ${verb}: it is ${state}`);
}

/** Changes the row of an import, and queues its next slice. */
async function command(
  job: JobContext,
  id: string,
  changesOf: (trx: Db, importRow: Import) => Promise<Partial<Import>>,
): Promise<ImportRecord> {
  const changed = await runIdempotent(job, async (trx) => {
    const changes = await changesOf(trx, await Import.lock(job.projectId, id, trx));
    return toImport(await changeRow(Import.of(job.projectId, trx), id, changes));
  });
  await wakeImports(job.projectId);
  return changed;
}

/** Queues the next slice of imports whose job was lost. */
export async function resumeImports(): Promise<void> {
  const open = (await db()('imports')
    .whereIn('state', [...OPEN])
    .orWhereNotNull('changes')
    .distinct('project_id')) as { project_id: string }[];
  for (const { project_id } of open) await wakeImports(project_id);
  const fetching = (await db()('imports').where({ state: 'fetching' }).distinct('project_id')) as {
    project_id: string;
  }[];
  for (const { project_id } of fetching) await wakeFetch(project_id);
}

/**
 * Deletes the files of imports a day after their end. Imports that were only checked are canceled.
 */
export async function pruneImports(): Promise<void> {
  await execute(
    db(),
    `WITH ended AS (
       UPDATE imports SET has_file = false, preview = NULL, token = NULL,
              state = CASE state WHEN 'checked' THEN 'cancelled' ELSE state END
        WHERE has_file AND ended_at < now() - make_interval(secs => :seconds)
       RETURNING project_id, id),
     sliced AS (DELETE FROM import_slices USING ended
                 WHERE import_slices.project_id = ended.project_id AND import_slices.import_id = ended.id),
     named AS (DELETE FROM import_names USING ended
                WHERE import_names.project_id = ended.project_id AND import_names.import_id = ended.id)
     DELETE FROM import_errors USING ended
      WHERE import_errors.project_id = ended.project_id AND import_errors.import_id = ended.id`,
    { seconds: KEEP_FILE_MS / 1_000 },
  );
}

export const importHandlers = handlers(importJobs, {
  /**
   * Changes the options of an import that has not started, and checks it again.
   *
   * @throws Refusal
   */
  'import.update': async ({ id, changes }, job) =>
    command(job, id, async (trx, importRow) => {
      refuseState(importRow, ['checking', 'checked'], 'changed');
      const { passphrase, ...optionChanges } = changes;
      const { allowRandomKeys, ...others } = changes;
      if (Object.keys(others).length === 0 && importRow.file.archive === undefined) {
        // The consent does not change the result of the check.
        return { options: { ...importRow.options, allowRandomKeys } };
      }
      if (importRow.file.archive !== undefined) refuseOptions(optionChanges);
      const token = await passphraseOf(job.projectId, passphrase, importRow.file.archive);
      const mapping = { ...importRow.options.mapping, ...optionChanges.mapping };
      refuseWrongMapping(mapping, importRow.file.columns);
      const options = { ...importRow.options, ...optionChanges, mapping };
      await refuseWrongReferences(trx, job.projectId, options);
      const begin = await restartedColumns(trx, importRow);
      const counting = { keyless: 0, isCounting: true };
      const file = { ...begin.file!, ...(changes.mapping === undefined ? {} : counting) };
      return { ...begin, file, ...(token === null ? {} : { token }), state: 'checking', options };
    }),
  'import.start': startImport,

  /**
   * Stops an import after the current slice; imported links remain.
   *
   * @throws Refusal
   */
  'import.cancel': async ({ id }, job) =>
    command(job, id, async (_, importRow) => {
      refuseState(importRow, ['fetching', 'checking', 'checked', 'queued', 'running'], 'cancelled');
      return { state: 'cancelled', token: null, ended_at: new Date() };
    }),
  'import.undo': undoImport,
});

export const importBulkHandlers = handlers(importBulkJobs, {
  'import.create': createImport,
  'import.fetch': fetchImports,
  'import.run': runImport,
});

export const importMaintenanceHandlers = handlers(importMaintenanceJobs, {
  'imports.resume': resumeImports,
  'imports.prune': pruneImports,
});
