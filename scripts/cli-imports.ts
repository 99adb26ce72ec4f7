import { createReadStream } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal } from '../src/errors.ts';
import { newId } from '../src/ids.ts';
import { createImport, startImport, undoImport } from '../src/imports/commands.ts';
import { fetchImports } from '../src/imports/fetch.ts';
import type { NewImport } from '../src/imports/jobs.ts';
import { ON_CONFLICT } from '../src/imports/model.ts';
import {
  API_PROVIDER_NAMES,
  API_PROVIDERS,
  type ApiProviderName,
  PROVIDER_NAMES,
} from '../src/imports/providers/index.ts';
import type { ProviderWithApi } from '../src/imports/providers/provider.ts';
import { readImport } from '../src/imports/queries.ts';
import { runImport } from '../src/imports/run.ts';
import { sealOfImport } from '../src/imports/sealing.ts';
import type { Source } from '../src/imports/source.ts';
import { db } from '../src/infra/db.ts';
import { makeLog } from '../src/infra/log.ts';
import type { JobContext } from '../src/queues/definition.ts';
import { workspaceId } from '../src/workspaces/queries.ts';
import {
  type Command,
  type Options,
  required,
  secretOf,
  sizeOf,
  slugOf,
  text,
  UsageError,
} from './cli-options.ts';

const SOURCES: readonly Source[] = ['csv', 'workspace', ...PROVIDER_NAMES];
/** Maximum number of rows: the plan of the workspace does not limit the operator. */
const MAX_ROWS = 500_000;
/** Time between two lines of progress, in ms. */
const PROGRESS_MS = 1_000;
const AT_REST = new Set(['checked', 'done', 'cancelled', 'undone', 'failed']);

/** Commands about imports. They do the work themselves, together with any running workers. */
export const IMPORT_COMMANDS: Record<string, Command> = {
  import: {
    summary: 'Import links of a file, or of another service',
    usage:
      '--workspace acme --file links.csv [--source bitly|dub|kutt|polr|shlink|shortio|sink|yourls|csv|workspace] [--dry-run] ' +
      '[--domain go.acme.test] [--on-conflict skip|update|fail-row] [--allow-random-keys] [--passphrase-file secret.txt], or instead of --file: ' +
      '--source … --token-file key.txt [--url https://s.acme.test]',
    async run(options) {
      const projectId = await workspaceId(db(), slugOf(options, 'workspace'));
      const { newImport, file } = await newImportOf(projectId, options);
      const job = jobOf(projectId, 'import.create', newImport);
      const bytes = file === undefined ? undefined : () => createReadStream(file);
      await withOptionNames(createImport(newImport, job, bytes));
      return followed(projectId, newImport.id);
    },
  },
  'import start': {
    summary: 'Start an import that was only checked',
    usage: '--workspace acme --id imp_… [--allow-random-keys]',
    run: (options) => commanded(options, 'import.start', startImport, randomKeys(options)),
  },
  'import undo': {
    summary: 'Delete what an import created',
    usage: '--workspace acme --id imp_…',
    run: (options) => commanded(options, 'import.undo', undoImport),
  },
};

const randomKeys = (options: Options) => ({
  allowRandomKeys: options['allow-random-keys'] === true,
});

/** Names the option of the command line in a refusal that names the field of the API. */
async function withOptionNames<Result>(promise: Promise<Result>): Promise<Result> {
  try {
    return await promise;
  } catch (thrown) {
    const rule = /^allowRandomKeys must be true: (.+)$/.exec((thrown as Error).message)?.[1];
    if (!(thrown instanceof Refusal) || rule === undefined) throw thrown;
    throw new UsageError(`--allow-random-keys is required: ${rule}`);
  }
}

const jobOf = (projectId: string, name: string, data: unknown): JobContext => ({
  jobId: newId('job'),
  projectId,
  task: { name, data },
  isRepeat: false,
  log: makeLog('cli', 'fatal'),
});

async function commanded(
  options: Options,
  name: string,
  command: (data: { id: string }, job: JobContext) => Promise<unknown>,
  fields: object = {},
): Promise<object> {
  const projectId = await workspaceId(db(), slugOf(options, 'workspace'));
  const data = { id: required(options, 'id'), ...fields };
  await withOptionNames(command(data, jobOf(projectId, name, data)));
  return followed(projectId, data.id);
}

async function newImportOf(
  projectId: string,
  options: Options,
): Promise<{ newImport: NewImport; file: string | undefined }> {
  const source = oneOf(options, 'source', SOURCES);
  const onConflict = oneOf(options, 'on-conflict', ON_CONFLICT) ?? 'skip';
  const owner = (await db()('workspace_users')
    .where({ project_id: projectId, role: 'owner' })
    .first('user_id')) as { user_id: string };
  const common = {
    id: newId('import'),
    userId: owner.user_id,
    source,
    options: {
      mapping: {},
      onConflict,
      domain: text(options, 'domain'),
      ...randomKeys(options),
    },
    dryRun: options['dry-run'] === true,
    mostRows: MAX_ROWS,
  };
  const token = secretOf(options, 'token-file');
  if (token === undefined) {
    const file = required(options, 'file');
    const upload = { id: '', parts: 0, bytes: sizeOf(file, 'file'), sha256: '' };
    const secret = secretOf(options, 'passphrase-file');
    const passphrase = secret === undefined ? {} : { passphrase: sealOfImport(projectId, secret) };
    return { newImport: { ...common, ...passphrase, upload, name: path.basename(file) }, file };
  }
  const service = API_PROVIDER_NAMES.find((name) => name === source);
  if (service === undefined) {
    throw new UsageError(`--source must be one of ${API_PROVIDER_NAMES.join(', ')}`);
  }
  const api = { url: urlOf(service, options), token: sealOfImport(projectId, token) };
  return { newImport: { ...common, api, name: API_PROVIDERS[service].title }, file: undefined };
}

function urlOf(source: ApiProviderName, options: Options): string {
  const url = text(options, 'url') ?? (API_PROVIDERS[source] as ProviderWithApi).api.url;
  if (url === undefined) throw new UsageError('--url is required');
  return url.replace(/\/(?:yourls-api\.php)?$/, '');
}

function oneOf<Name extends string>(
  options: Options,
  name: string,
  names: readonly Name[],
): Name | undefined {
  const value = text(options, name);
  if (value === undefined) return undefined;
  if (!names.includes(value as Name)) {
    throw new UsageError(`--${name} must be one of ${names.join(', ')}`);
  }
  return value as Name;
}

/** Works on an import until it needs no more work. @returns its state */
async function followed(projectId: string, id: string): Promise<object> {
  const job = jobOf(projectId, 'import.run', {});
  for (let shown = 0; ; ) {
    const one = await readImport({ projectId, scopes: ['*'] }, id);
    const { warnings, state, source, counts, renamed, keyless, progress, undo, failure, errors } =
      one;
    if (Date.now() - shown > PROGRESS_MS) {
      shown = Date.now();
      console.error(`${state}: ${progress.done} of ${progress.total}`);
    }
    if (AT_REST.has(state)) {
      return { warnings, id, state, source, ...counts, renamed, keyless, undo, failure, errors };
    }
    if (state === 'fetching') {
      await fetchImports({}, job);
      await sleep(50);
    } else {
      await runImport({}, job);
    }
  }
}
