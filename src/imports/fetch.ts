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
import { type FileRow, Import } from './model.ts';
import { PEERS, type PeerName, toCells } from './peers/index.ts';
import { type Ask, type Page, type Peer, type Question, Refused } from './peers/peer.ts';
import { wakeImports } from './run.ts';
import { openOfImport } from './sealing.ts';
import { storeSlices } from './slices.ts';
import type { Source } from './source.ts';

/*
 * Reading the links of an account from the API of a peer, page by page, into the slices of an import. The rows of a page
 * and the place of the next one are committed together: a worker that is killed loses one page, which is asked for again.
 */

/** Largest answer, in bytes, and its values: those of a page of {@link MOST_RECORDS}, and of all groups of an account. */
const MOST_BYTES = 4 * MEBIBYTE;
const MOST_VALUES = 100_000;
const MOST_MEMBERS = 20_000;
const TIMEOUT_MS = 30_000;
/** Longest time for all requests of a page, in ms. */
const PAGE_MS = 60_000;
/** Requests to one service at a time. */
const AT_ONCE = 5;
/** Time after which a job lets others have their turns, in ms. */
const TURN_MS = 5_000;
/** Delay before another attempt: the first one, and the longest, in ms. */
const BACKOFF_MS = { first: 1_000, most: 15 * 60_000 };
/** All imports from APIs have the share of one workspace in a worker's slots, since an API may keep a slot for long. */
const TENANT = 'imports from APIs';
/** Attempts at a page before it is given up; where the service asks to wait, for some hours. */
const ATTEMPTS = 8;
const LIMITED_ATTEMPTS = 60;

/** Rules that an address breaks at every attempt. */
const LASTING = new Set([
  FETCH_RULES.url,
  FETCH_RULES.scheme,
  FETCH_RULES.credentials,
  FETCH_RULES.address,
  FETCH_RULES.port,
  FETCH_RULES.certificate,
]);

/** The service answers in a way that another attempt may change. */
class Later extends Error {
  readonly isLimit: boolean;
  readonly afterMs: number | undefined;

  constructor(message: string, isLimit = false, afterMs?: number) {
    super(message);
    this.isLimit = isLimit;
    this.afterMs = afterMs;
  }
}

/** Queues a job that reads the links of the workspace's imports; does nothing where one waits. */
export async function wakeFetch(projectId: string): Promise<void> {
  await followUps().wake(
    importBulkJobs['import.fetch'],
    {},
    { subject: `fetch ${projectId}`, projectId, tenant: TENANT },
  );
}

/** Queues a job that reads on in an import when its API may be asked again. */
async function wakeLater(projectId: string, id: string, delayMs: number): Promise<void> {
  const options = { subject: `fetch later ${id}`, projectId, tenant: TENANT, delayMs };
  await followUps().wake(importBulkJobs['import.fetch'], { id }, options);
}

/**
 * Reads pages of the APIs of a workspace's imports, one import after the other, for some seconds; another job goes on.
 *
 * @param data.id of an import that had to wait: the job of its workspace is queued, if none waits
 */
export async function fetchImports({ id }: { id?: string }, job: JobContext): Promise<void> {
  const { projectId } = job;
  if (id !== undefined) {
    await wakeFetch(projectId);
    return;
  }
  const end = Date.now() + TURN_MS;
  do {
    const one = await nextImport(projectId);
    if (one === undefined) return;
    const wait = await fetchPage(one);
    if (wait === undefined) await wakeImports(projectId);
    else if (wait > 0) {
      job.log.info({ importId: one.id, wait }, 'the API of an import was asked again later');
      await wakeLater(projectId, one.id, wait);
    }
  } while (Date.now() < end);
  await wakeFetch(projectId);
}

/** The first import whose API may be asked now. */
async function nextImport(projectId: string): Promise<Import | undefined> {
  return Import.of(projectId)
    .where({ state: 'fetching' })
    .whereNotNull('token')
    .whereRaw("coalesce((remote->>'retryAt')::timestamptz <= ?, true)", [new Date()])
    .orderBy(['requested_at', 'id'])
    .first();
}

/** @returns how long to wait for the next page, in ms; `undefined` when there is none */
async function fetchPage(one: Import): Promise<number | undefined> {
  const remote = one.remote!;
  try {
    const token = openOfImport(one.project_id, one.token!);
    const peer = peerOf(one.source);
    const page = await peer.api.page(asker(peer, remote.url, token), remote.cursor, token);
    return await store(one, page);
  } catch (thrown) {
    if (thrown instanceof Refused) return fail(one, thrown.message);
    if (!(thrown instanceof Later)) throw thrown;
    const attempts = remote.attempts + 1;
    if (attempts >= (thrown.isLimit ? LIMITED_ATTEMPTS : ATTEMPTS))
      return fail(one, thrown.message);
    const backoff = Math.min(BACKOFF_MS.first * 2 ** remote.attempts, BACKOFF_MS.most);
    const wait = Math.min(thrown.afterMs ?? backoff, BACKOFF_MS.most);
    const retryAt = new Date(Date.now() + wait).toISOString();
    await patch(db(), one, { remote: { ...remote, attempts, retryAt } });
    return wait;
  }
}

/** The peer whose API an import reads. */
const peerOf = (source: Source): Peer => PEERS[source as PeerName];

/** Stores the rows of a page, and where the next one begins. */
function store(one: Import, { records, next, total }: Page): Promise<number | undefined> {
  const remote = one.remote!;
  return db().transaction(async (trx) => {
    const locked = await Import.lock(one.project_id, one.id, trx);
    // It has been cancelled, or another worker was faster.
    if (locked.state !== 'fetching' || locked.position !== one.position) return 0;
    const first = digest(records[0]);
    if (records.length > 0 && first === remote.first && next !== null) {
      return fail(one, `${PEERS[one.source as PeerName].title} answers the same page again`, trx);
    }
    const rows: FileRow[] = records
      .flatMap((record) => toCells(one.source as PeerName, record))
      .map((cells, at) => [one.rows + at + 2, ...cells]);
    const count = one.rows + rows.length;
    if (count > remote.mostRows) {
      return fail(one, tooManyRows(remote.mostRows).message, trx);
    }
    const { position } = await storeSlices(trx, one, rows, one.position);
    const read = { ...remote, cursor: next, first, total: total ?? remote.total, attempts: 0 };
    delete read.retryAt;
    if (next !== null) {
      await patch(trx, one, { position, rows: count, remote: read });
      return 0;
    }
    const state = remote.dryRun ? 'checking' : 'queued';
    const requested_at = new Date();
    const done = {
      position: 0,
      rows: count,
      remote: read,
      token: null,
      state,
      requested_at,
    } as const;
    await patch(trx, one, done);
    return undefined;
  });
}

const digest = (record: object | undefined): string =>
  createHash('sha256')
    .update(JSON.stringify(record ?? null))
    .digest('base64url');

async function fail(one: Import, failure: string, trx: Db = db()): Promise<undefined> {
  const ended_at = new Date();
  await patch(trx, one, { state: 'failed', failure, token: null, ended_at });
  return undefined;
}

const patch = (trx: Db, { project_id, id }: Import, changes: Partial<Import>) =>
  Import.of(project_id, trx).where({ id, state: 'fetching' }).patch(changes);

/** The requests of a page to an API, few at a time. None begins after one has failed, or the time of the page is over. */
function asker(peer: Peer, base: string, token: string): Ask {
  const end = performance.now() + PAGE_MS;
  const late = new Later(
    `url must answer a page of links within ${PAGE_MS / 1_000} s, which ${peer.title} does not`,
  );
  const waiting: (() => void)[] = [];
  let running = 0;
  let failure: unknown;
  return async (path, question = {}) => {
    if (running < AT_ONCE) running += 1;
    // Whoever ends hands the place on.
    else await new Promise<void>((enter) => waiting.push(enter));
    try {
      if (failure !== undefined) throw failure;
      const leftMs = Math.ceil(end - performance.now());
      if (leftMs <= 0) throw late;
      const timeoutMs = Math.min(TIMEOUT_MS, leftMs);
      return await ask(peer, urlOf(peer, base, path), { token, timeoutMs }, question);
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

/** The URL of a path. A whole URL, on another host of the service, gives its path only where the caller chose the address. */
function urlOf({ api }: Peer, base: string, path: string): URL {
  const isElsewhere = !path.startsWith('/') && base === api.url;
  return new URL(isElsewhere ? path : `${base}${new URL(path, base).pathname}`);
}

async function ask(
  { title, api }: Peer,
  url: URL,
  { token, timeoutMs }: { token: string; timeoutMs: number },
  { query = {}, form, isOptional = false }: Question,
): Promise<unknown> {
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  const type = form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' };
  const fetched = await guardedFetch(url.href, {
    maxBytes: MOST_BYTES,
    timeoutMs,
    compressed: true,
    // Another origin would not get the token.
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
    const answer = parseJson(body, MOST_VALUES, MOST_MEMBERS);
    if (answer !== null) return answer;
  } catch {
    // Refused below.
  }
  throw new Refused(`url must be the API of ${title}: its answer is not JSON that can be read`);
}
