import { Refusal } from '../errors.ts';
import { ARCHIVE_MEDIA } from '../exports/archive.ts';
import { fileAnswer, MEDIA_TYPES } from '../exports/format.ts';
import { Joi } from '../http/fields.ts';
import { MEBIBYTE } from '../http/input.ts';
import {
  type Answer,
  type ApiRequest,
  created,
  ok,
  pageOf,
  type Route,
  type RouteSpec,
  route,
} from '../http/route.ts';
import { dropUpload, type Upload } from '../http/upload.ts';
import { newId } from '../ids.ts';
import { FetchRefused } from '../infra/fetch-refused.ts';
import { readUrl } from '../infra/outbound-addresses.ts';
import { answerWrite } from '../jobs/answer-write.ts';
import type { Paging } from '../workspaces/lists.ts';
import { IMPORT_BYTES, IMPORT_ROWS } from '../workspaces/plans.ts';
import { includesScope, type Scope } from '../workspaces/scopes.ts';
import { importBulkJobs, importJobs } from './jobs.ts';
import { API_PROVIDERS } from './providers/index.ts';
import type { ProviderWithApi } from './providers/provider.ts';
import { errorsFile, listImports, readImport } from './queries.ts';
import { importDetails, importRecord, toImport } from './record.ts';
import {
  importChangesBody,
  importListQuery,
  importParams,
  type NewFetchBody,
  type NewImportQuery,
  newFetchBody,
  newImportQuery,
  type OptionChanges,
  type StartQuery,
  startQuery,
} from './schema.ts';
import { sealOfImport } from './sealing.ts';

const write = { extension: true, tag: 'Imports', scope: 'imports.write', writes: true } as const;
const read = { extension: true, tag: 'Imports', scope: 'imports.read' } as const;
/**
 * Browsers send the third type for CSV files if a spreadsheet program is installed. Workbooks are
 * read as far as to say how to save them.
 */
const MEDIA = [
  'text/csv',
  'text/tab-separated-values',
  'application/vnd.ms-excel',
  'application/json',
  ARCHIVE_MEDIA,
  'application/sql',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
];
const FILE_BYTES = 25 * MEBIBYTE;
const ARCHIVE_BYTES = 64 * MEBIBYTE;

type Params = { id: string };

/** Properties that all writes of an existing import share. */
const change = {
  ...write,
  method: 'post',
  params: importParams,
  answers: { 200: importRecord },
} as const satisfies Partial<RouteSpec<object>>;

export const importRoutes: Route[] = [
  route<{ query: NewImportQuery; body: Upload }>({
    ...write,
    method: 'post',
    path: '/imports',
    isHeavy: true,
    operationId: 'createImport',
    summary: 'Import links from a file',
    description:
      'The body is a file of up to 25 MiB: CSV, whose encoding and delimiter are detected, an ' +
      'export of Bitly, Dub, Kutt, Polr, Shlink, Short.io, Sink or YOURLS in CSV or JSON, or a ' +
      'dump of the database of Polr or YOURLS (`source`). Rows are imported in the background, or with `dryRun=true` only ' +
      'checked: `GET /imports/{id}` has the progress, the counts, a preview and errors. Links ' +
      'follow the rules of `POST /links/bulk`; missing tags are created. An import can have ' +
      '1,000 rows on the Free plan, 50,000 on Pro, and 500,000 on the others. A workspace runs ' +
      'one import at a time. With `source=workspace` the file is an export of a whole ' +
      'workspace, up to 64 MiB (`application/gzip`). It can have as many records besides ' +
      'events, and ten times as many events; it needs the scopes to write all kinds of records.',
    query: newImportQuery,
    upload: { media: MEDIA, limit: FILE_BYTES, limits: { [ARCHIVE_MEDIA]: ARCHIVE_BYTES } },
    answers: { 201: importRecord },
    handle: answerUpload,
  }),
  route<{ body: NewFetchBody }>({
    ...write,
    method: 'post',
    path: '/imports/fetch',
    operationId: 'createImportFromApi',
    summary: 'Import links from the API of another service',
    description:
      'Reads all links of an account at Bitly, Dub, Kutt, Shlink, Short.io or YOURLS over its ' +
      'API, in the background, and imports them like a file. If the service asks to wait, the ' +
      'import continues later.',
    limit: 'fetch',
    body: newFetchBody,
    answers: { 201: importRecord },
    handle: answerFetch,
  }),
  route<{ query: Paging }>({
    ...read,
    method: 'get',
    path: '/imports',
    operationId: 'listImports',
    summary: 'List imports',
    description: 'Returns the imports of the workspace, newest first.',
    query: importListQuery,
    answers: { 200: Joi.array().items(importRecord) },
    handle: async ({ caller, query }) =>
      pageOf(await listImports(caller.projectId, query), toImport),
  }),
  route<{ params: Params }>({
    ...read,
    method: 'get',
    path: '/imports/{id}',
    operationId: 'retrieveImport',
    summary: 'Retrieve an import',
    description: 'Returns an import with its progress, its preview and its first 100 errors.',
    params: importParams,
    answers: { 200: importDetails },
    handle: async ({ caller, params }) => ok(await readImport(caller, params.id)),
  }),
  route<{ params: Params; body: OptionChanges }>({
    ...change,
    method: 'patch',
    path: '/imports/{id}',
    operationId: 'updateImport',
    summary: 'Change the options of an import',
    description:
      'Changes the options of an import that has not been started, and checks its file again. Absent options and columns ' +
      'stay as they are; null clears an option.',
    body: importChangesBody,
    handle: (request) => {
      const { passphrase, ...options } = request.body;
      const sealed =
        passphrase === undefined
          ? {}
          : { passphrase: sealOfImport(request.caller.projectId, passphrase) };
      const data = { id: request.params.id, changes: { ...options, ...sealed } };
      return answerWrite(request, importJobs['import.update'], data, ok);
    },
  }),
  route<{ params: Params; query: StartQuery }>({
    ...change,
    path: '/imports/{id}/start',
    operationId: 'startImport',
    summary: 'Start an import',
    description:
      'Imports a file that was uploaded with `dryRun=true`. If some of its rows have no key ' +
      '(`keyless`), this needs `allowRandomKeys=true`, here or in the options.',
    query: startQuery,
    handle: (request) => {
      const data = { ...request.params, ...request.query };
      return answerWrite(request, importJobs['import.start'], data, ok);
    },
  }),
  route<{ params: Params }>({
    ...change,
    path: '/imports/{id}/cancel',
    operationId: 'cancelImport',
    summary: 'Cancel an import',
    description:
      'Ends an import, or its check. Rows that have been imported stay; an undo deletes their links.',
    handle: (request) => answerWrite(request, importJobs['import.cancel'], request.params, ok),
  }),
  route<{ params: Params }>({
    ...change,
    path: '/imports/{id}/undo',
    operationId: 'undoImport',
    summary: 'Undo an import',
    description:
      'Deletes the links that an import created, in the background, except for links that were ' +
      'changed since. Links that the import updated stay as they are, and so do its tags.',
    handle: (request) => answerWrite(request, importJobs['import.undo'], request.params, ok),
  }),
  route<{ params: Params }>({
    ...read,
    method: 'get',
    path: '/imports/{id}/errors',
    operationId: 'downloadImportErrors',
    summary: 'Download the errors of an import',
    description:
      'Returns the refused rows as CSV: row, column, message, and the cells of the row. ' +
      'Passwords are left out for callers without the scope `imports.write`. Errors are stored ' +
      'for 24 hours after the import ends.',
    params: importParams,
    answers: { 200: { media: [MEDIA_TYPES.csv] } },
    handle: async ({ caller, params }) =>
      fileAnswer(await errorsFile(caller, params.id), 'errors', 'csv'),
  }),
];

function answerFetch(request: ApiRequest<{ body: NewFetchBody }>): Promise<Answer> {
  const { caller } = request;
  const { source, token, url, name = null, dryRun, onConflict = 'skip', ...options } = request.body;
  const data = {
    id: newId('import'),
    userId: caller.userId,
    api: {
      url: refuseForbidden(url ?? (API_PROVIDERS[source] as ProviderWithApi).api.url ?? ''),
      token: sealOfImport(caller.projectId, token),
    },
    source,
    name,
    options: { ...options, mapping: {}, onConflict },
    dryRun,
    mostRows: IMPORT_ROWS[caller.plan],
  };
  return answerWrite(request, importBulkJobs['import.create'], data, (record) =>
    created(`/imports/${record.id}`, record),
  );
}

/** @throws Refusal for an address that requests must never go to */
function refuseForbidden(url: string): string {
  try {
    // People paste the address of the API itself.
    return readUrl(url).href.replace(/\/(?:yourls-api\.php)?$/, '');
  } catch (thrown) {
    if (!(thrown instanceof FetchRefused)) throw thrown;
    throw new Refusal('unprocessable_entity', `url ${thrown.message}`);
  }
}

/** Scopes for writing everything in the export of a workspace. */
const WRITTEN = [
  'links.write',
  'qrcodes.write',
  'tags.write',
  'folders.write',
  'pages.write',
  'domains.write',
  'customers.write',
  'conversions.write',
] as const satisfies Scope[];

/** @throws Refusal `forbidden` when the caller may not write everything in a workspace */
async function refuseWithoutScopes({
  caller,
  queues,
  body,
}: ApiRequest<{ body: Upload }>): Promise<void> {
  const missing = WRITTEN.filter((scope) => !includesScope(caller.scopes, scope));
  if (missing.length === 0) return;
  await dropUpload(queues.cache, caller.projectId, body);
  throw new Refusal(
    'forbidden',
    `The import of a workspace also needs the scopes ${missing.join(', ')}`,
  );
}

async function answerUpload(
  request: ApiRequest<{ query: NewImportQuery; body: Upload }>,
): Promise<Answer> {
  const { caller, queues, body: upload } = request;
  const { name = null, source, dryRun, mapping, onConflict = 'skip', ...options } = request.query;
  if (source === 'workspace') await refuseWithoutScopes(request);
  let isNeeded = false;
  const data = async () => {
    isNeeded = true;
    return {
      id: newId('import'),
      userId: caller.userId,
      upload,
      name,
      // A mapping to fields is of the columns of a CSV file; a provider's columns have theirs.
      source: source ?? (Object.values(mapping ?? {}).some(Boolean) ? 'csv' : undefined),
      options: { ...options, mapping: mapping ?? {}, onConflict },
      dryRun,
      mostRows: IMPORT_ROWS[caller.plan],
      mostBytes: IMPORT_BYTES[caller.plan],
    };
  };
  try {
    return await answerWrite(request, importBulkJobs['import.create'], data, (record) =>
      created(`/imports/${record.id}`, record),
    );
  } finally {
    // A repeated request already has its answer.
    if (!isNeeded) await dropUpload(queues.cache, caller.projectId, upload);
  }
}
