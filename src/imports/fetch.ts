import { createHash } from 'node:crypto';
import { type Db, db } from '../infra/db.ts';
import { FETCH_RULES, FetchRefused } from '../infra/fetch-refused.ts';
import { guardedFetch } from '../infra/guarded-fetch.ts';
import { parseJson } from '../infra/parse-json.ts';
import { followUps } from '../jobs/follow-up.ts';
import { bulk } from '../queues/bulk.ts';
import type { JobContext } from '../queues/queue.ts';
import { tooManyRows } from './file.ts';
import { type FileRow, Import } from './model.ts';
import type { Source } from './open.ts';
import { PEERS, type PeerName, toCells } from './peers/index.ts';
import type { Ask, Page, Peer, Question } from './peers/peer.ts';
import { wakeImports } from './run.ts';
import { openOfImport } from './sealing.ts';
import { storeSlices } from './slices.ts';

/*
 * Reading the links of an account from the API of a peer, page by page, into the slices of an import. The rows of a page
 * and the place of the next one are committed together: a worker that is killed loses one page, which is asked for again.
 */

/** Largest answer, in bytes, and its values. */
const MOST_BYTES = 32 * 1024 * 1024;
const MOST_VALUES = 1_000_000;
const MOST_MEMBERS = 20_000;
const TIMEOUT_MS = 30_000;
/** Requests to one service at a time. */
const AT_ONCE = 5;
/** Time after which a job lets others have their turns, in ms. */
const TURN_MS = 5_000;
/** Delay before another attempt: the first one, and the longest, in ms. */
const BACKOFF_MS = { first: 1_000, most: 15 * 60_000 };
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

/** The service refuses, for a reason that its user can mend. */
class Refused extends Error {}

/** Has a worker read the links of an import. */
export async function wakeFetch(projectId: string, id: string, delayMs = 0): Promise<void> {
  const options = { subject: `fetch ${id}`, projectId, delayMs };
  await followUps().wake(bulk, 'import.fetch', { id }, options);
}

/** Reads pages of an import's API, for some seconds; another job goes on. */
export async function fetchImport({ id }: { id: string }, job: JobContext): Promise<undefined> {
  const { projectId } = job;
  const end = Date.now() + TURN_MS;
  do {
    const one = await Import.of(projectId).where({ id }).first();
    if (one?.state !== 'fetching' || one.remote === null || one.token === null) return undefined;
    if (Date.parse(one.remote.retryAt ?? '') > Date.now()) return undefined;
    const wait = await fetchPage(one);
    if (wait === undefined) {
      await wakeImports(projectId);
      return undefined;
    }
    if (wait > 0) {
      job.log.info({ importId: id, wait }, 'the API of an import was asked again later');
      await wakeFetch(projectId, id, wait);
      return undefined;
    }
  } while (Date.now() < end);
  await wakeFetch(projectId, id);
  return undefined;
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

/** Requests to an API, few at a time. */
function asker(peer: Peer, base: string, token: string): Ask {
  const running = new Set<Promise<unknown>>();
  return async (path, question = {}) => {
    while (running.size >= AT_ONCE) await Promise.race(running).catch(() => {});
    const asked = ask(peer, urlOf(peer, base, path), token, question);
    const settled = asked.finally(() => running.delete(settled)).catch(() => {});
    running.add(settled);
    return asked;
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
  token: string,
  { query = {}, form, isOptional = false }: Question,
): Promise<unknown> {
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  const type = form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' };
  const fetched = await guardedFetch(url.href, {
    maxBytes: MOST_BYTES,
    timeoutMs: TIMEOUT_MS,
    compressed: true,
    // Another origin would not get the token.
    maxRedirects: 0,
    headers: { accept: 'application/json', ...type, ...api.headers?.(token) },
    ...(form === undefined
      ? {}
      : { method: 'POST' as const, body: new URLSearchParams(form).toString() }),
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
    return parseJson(body, MOST_VALUES, MOST_MEMBERS);
  } catch {
    throw new Refused(`url must be the API of ${title}: its answer is not JSON that can be read`);
  }
}
