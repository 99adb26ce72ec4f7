import { createHash } from 'node:crypto';
import { MEBIBYTE } from '../http/input.ts';
import { type Db, db } from '../infra/db.ts';
import { FETCH_RULES, FetchRefused } from '../infra/fetch-refused.ts';
import { guardedFetch } from '../infra/guarded-fetch.ts';
import { parseJson } from '../infra/parse-json.ts';
import { followUps } from '../jobs/follow-up.ts';
import type { JobContext } from '../queues/definition.ts';
import { tooManyRows } from './file.ts';
import { importBulkJobs } from './jobs.ts';
import { countKeyless, randomKeysFault } from './mapping.ts';
import { type FileRow, Import } from './model.ts';
import {
  API_PROVIDERS,
  type ApiProviderName,
  PROVIDERS,
  type ProviderName,
  toCells,
} from './providers/index.ts';
import {
  type FetchJson,
  type Page,
  type ProviderRequest,
  type ProviderWithApi,
  Refused,
} from './providers/provider.ts';
import { wakeImports } from './run.ts';
import { openOfImport } from './sealing.ts';
import { storeSlices } from './slices.ts';
import type { Source } from './source.ts';

/*
 * Reads the links of an account from the API of a provider, page by page, into the slices of an
 * import. The rows of a page and the cursor of the next one are committed together, so a worker
 * that is killed loses one page, which is requested again.
 */

/**
 * Maximum size of an answer in bytes, and its maximum number of values: for a page of
 * {@link MAX_RECORDS}, or all groups of an account.
 */
const MAX_BYTES = 4 * MEBIBYTE;
const MAX_VALUES = 100_000;
const MAX_MEMBERS = 20_000;
const TIMEOUT_MS = 30_000;
/** Time limit for all requests of a page, in ms. */
const PAGE_MS = 60_000;
/** Maximum number of concurrent requests to one service. */
const AT_ONCE = 5;
/** Time after which a job yields to other workspaces, in ms. */
const TURN_MS = 5_000;
/** Delay before a failed page is requested again, in ms: the first delay, and the maximum. */
const BACKOFF_MS = { first: 1_000, max: 15 * 60_000 };
/**
 * All imports from APIs share the slots of one tenant in a worker, because an API may occupy a slot
 * for long.
 */
const TENANT = 'imports from APIs';
/** Number of attempts at a page. If the service asks to wait, they take some hours. */
const ATTEMPTS = 8;
const LIMITED_ATTEMPTS = 60;

/** Rules that an address violates at every attempt. */
const LASTING = new Set([
  FETCH_RULES.url,
  FETCH_RULES.scheme,
  FETCH_RULES.credentials,
  FETCH_RULES.address,
  FETCH_RULES.port,
  FETCH_RULES.certificate,
]);

/** Error of a service that may disappear with another attempt. */
class Later extends Error {
  readonly isLimit: boolean;
  readonly afterMs: number | undefined;

  constructor(message: string, isLimit = false, afterMs?: number) {
    super(message);
    this.isLimit = isLimit;
    this.afterMs = afterMs;
  }
}

/** Queues a job that reads links for the workspace's imports, unless one is already waiting. */
export async function wakeFetch(projectId: string): Promise<void> {
  await followUps().wake(
    importBulkJobs['import.fetch'],
    {},
    { subject: `fetch ${projectId}`, projectId, tenant: TENANT },
  );
}

/** Queues a job that continues an import when its API accepts requests again. */
async function wakeLater(projectId: string, id: string, delayMs: number): Promise<void> {
  const options = { subject: `fetch later ${id}`, projectId, tenant: TENANT, delayMs };
  await followUps().wake(importBulkJobs['import.fetch'], { id }, options);
}

/**
 * Reads pages for the workspace's imports, one import after the other, for some seconds; another
 * job continues.
 *
 * @param data.id id of an import that had to wait: only queues the job of its workspace
 */
export async function fetchImports({ id }: { id?: string }, job: JobContext): Promise<void> {
  const { projectId } = job;
  if (id !== undefined) {
    await wakeFetch(projectId);
    return;
  }
  const end = Date.now() + TURN_MS;
  do {
    const importRow = await nextImport(projectId);
    if (importRow === undefined) return;
    const wait = await fetchPage(importRow);
    if (wait === undefined) await wakeImports(projectId);
    else if (wait > 0) {
      job.log.info({ importId: importRow.id, wait }, 'the API of an import was asked again later');
      await wakeLater(projectId, importRow.id, wait);
    }
  } while (Date.now() < end);
  await wakeFetch(projectId);
}

/** Finds the first import whose API may be requested now. */
async function nextImport(projectId: string): Promise<Import | undefined> {
  return Import.of(projectId)
    .where({ state: 'fetching' })
    .whereNotNull('token')
    .whereRaw("coalesce((remote->>'retryAt')::timestamptz <= ?, true)", [new Date()])
    .orderBy(['requested_at', 'id'])
    .first();
}

/** @returns the delay before the next page, in ms; `undefined` after the last page */
async function fetchPage(importRow: Import): Promise<number | undefined> {
  const remote = importRow.remote!;
  try {
    const token = openOfImport(importRow.project_id, importRow.token!);
    const provider = providerOf(importRow.source);
    const page = await provider.api.page(
      fetcherOf(provider, remote.url, token),
      remote.cursor,
      token,
    );
    return await store(importRow, page);
  } catch (thrown) {
    if (thrown instanceof Refused) return fail(importRow, thrown.message);
    if (!(thrown instanceof Later)) throw thrown;
    const attempts = remote.attempts + 1;
    if (attempts >= (thrown.isLimit ? LIMITED_ATTEMPTS : ATTEMPTS))
      return fail(importRow, thrown.message);
    const backoff = Math.min(BACKOFF_MS.first * 2 ** remote.attempts, BACKOFF_MS.max);
    const wait = Math.min(thrown.afterMs ?? backoff, BACKOFF_MS.max);
    const retryAt = new Date(Date.now() + wait).toISOString();
    await patch(db(), importRow, { remote: { ...remote, attempts, retryAt } });
    return wait;
  }
}

/** Returns the provider whose API an import reads. */
const providerOf = (source: Source): ProviderWithApi => API_PROVIDERS[source as ApiProviderName];

/** Stores the rows of a page, and the cursor of the next one. */
function store(importRow: Import, { records, next, total }: Page): Promise<number | undefined> {
  const remote = importRow.remote!;
  return db().transaction(async (trx) => {
    const locked = await Import.lock(importRow.project_id, importRow.id, trx);
    // The import was canceled, or another worker was faster.
    if (locked.state !== 'fetching' || locked.position !== importRow.position) return 0;
    const first = digest(records[0]);
    if (records.length > 0 && first === remote.first && next !== null) {
      return fail(
        importRow,
        `${PROVIDERS[importRow.source as ProviderName].title} returned the same page twice`,
        trx,
      );
    }
    const rows: FileRow[] = records
      .flatMap((record) => toCells(importRow.source as ProviderName, record))
      .map((cells, at) => [importRow.rows + at + 2, ...cells]);
    const count = importRow.rows + rows.length;
    if (count > remote.mostRows) {
      return fail(importRow, tooManyRows(remote.mostRows).message, trx);
    }
    const { position } = await storeSlices(trx, importRow, rows, importRow.position);
    const keyless = (locked.file.keyless ?? 0) + countKeyless(locked, rows);
    const file = { ...locked.file, keyless };
    const nextRemote = {
      ...remote,
      cursor: next,
      first,
      total: total ?? remote.total,
      attempts: 0,
    };
    delete nextRemote.retryAt;
    if (next !== null) {
      await patch(trx, importRow, { position, rows: count, file, remote: nextRemote });
      return 0;
    }
    const fault = remote.dryRun
      ? undefined
      : randomKeysFault({ file, options: locked.options, rows: count });
    if (fault !== undefined) return fail(importRow, fault, trx);
    const state = remote.dryRun ? 'checking' : 'queued';
    const requested_at = new Date();
    const done = {
      position: 0,
      rows: count,
      file,
      remote: nextRemote,
      token: null,
      state,
      requested_at,
    } as const;
    await patch(trx, importRow, done);
    return undefined;
  });
}

const digest = (record: object | undefined): string =>
  createHash('sha256')
    .update(JSON.stringify(record ?? null))
    .digest('base64url');

async function fail(importRow: Import, failure: string, trx: Db = db()): Promise<undefined> {
  const ended_at = new Date();
  await patch(trx, importRow, { state: 'failed', failure, token: null, ended_at });
  return undefined;
}

const patch = (trx: Db, { project_id, id }: Import, changes: Partial<Import>) =>
  Import.of(project_id, trx).where({ id, state: 'fetching' }).patch(changes);

/**
 * Makes a function that sends the requests of a page, few at a time. No request starts after one
 * has failed or the time limit of the page is over.
 */
function fetcherOf(provider: ProviderWithApi, base: string, token: string): FetchJson {
  const end = performance.now() + PAGE_MS;
  const late = new Later(
    `url must return a page of links within ${PAGE_MS / 1_000} s: ${provider.title} took longer`,
  );
  const waiting: (() => void)[] = [];
  let running = 0;
  let failure: unknown;
  return async (path, request = {}) => {
    if (running < AT_ONCE) running += 1;
    // A request that ends passes its slot on.
    else await new Promise<void>((enter) => waiting.push(enter));
    try {
      if (failure !== undefined) throw failure;
      const leftMs = Math.ceil(end - performance.now());
      if (leftMs <= 0) throw late;
      const timeoutMs = Math.min(TIMEOUT_MS, leftMs);
      return await fetchAnswer(
        provider,
        urlOf(provider, base, path),
        { token, timeoutMs },
        request,
      );
    } catch (thrown) {
      failure ??= thrown instanceof Later && performance.now() >= end ? late : thrown;
      throw failure;
    } finally {
      const enter = waiting.shift();
      if (enter === undefined) running -= 1;
      else enter();
    }
  };
}

/**
 * Resolves a path to a URL. Of an absolute URL on another host of the service, only the path is
 * used if the caller chose the address.
 */
function urlOf({ api }: ProviderWithApi, base: string, path: string): URL {
  const isElsewhere = !path.startsWith('/') && base === api.url;
  return new URL(isElsewhere ? path : `${base}${new URL(path, base).pathname}`);
}

async function fetchAnswer(
  { title, api }: ProviderWithApi,
  url: URL,
  { token, timeoutMs }: { token: string; timeoutMs: number },
  { query = {}, form, isOptional = false }: ProviderRequest,
): Promise<unknown> {
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  const type = form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' };
  const fetched = await guardedFetch(url.href, {
    maxBytes: MAX_BYTES,
    timeoutMs,
    compressed: true,
    // The token must not go to another origin.
    maxRedirects: 0,
    headers: { accept: 'application/json', ...type, ...api.headers?.(token) },
    method: form === undefined ? 'GET' : 'POST',
    body: form === undefined ? undefined : new URLSearchParams(form).toString(),
  }).catch((thrown: unknown) => {
    if (!(thrown instanceof FetchRefused)) throw thrown;
    const message = `url ${thrown.message}`;
    throw LASTING.has(thrown.message) ? new Refused(message) : new Later(message);
  });
  const { status, headers, body } = fetched;
  if (status === 429 || status >= 500) {
    const seconds = Number(headers['retry-after']);
    const wait = seconds > 0 ? seconds * 1_000 : undefined;
    throw new Later(`${title} answers with status ${status}`, status === 429, wait);
  }
  if (isOptional && [402, 403, 404].includes(status)) return undefined;
  if (status === 401 || status === 403) {
    throw new Refused(`token must be one that ${title} accepts: it answers with status ${status}`);
  }
  if (status < 200 || status >= 300) {
    throw new Refused(`url must be the API of ${title}: it answers with status ${status}`);
  }
  try {
    const answer = parseJson(body, MAX_VALUES, MAX_MEMBERS);
    if (answer !== null) return answer;
  } catch {
    // The refusal follows below.
  }
  throw new Refused(`url must be the API of ${title}: its answer is not JSON that can be read`);
}
