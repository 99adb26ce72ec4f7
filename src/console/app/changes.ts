import { type Api, answer, idempotent, type paths, type Schemas } from '../api/client.ts';
import { ApiError } from '../api/error.ts';
import { loadPart } from '../api/reachability.ts';

/*
 * Writes to records that others may change at the same time. Each write reads the current record
 * and sends its ETag in `If-Match`. Changes that others made to other fields stay; when both
 * changed the same field, the person decides.
 */

/** Rarely needed. */
const loadQuestions = loadPart(() => import('./conflict-dialog.tsx'));

type JsonOf<T> = T extends { content: { 'application/json': infer Body } } ? Body : never;
type BodyOf<T> = T extends { requestBody: infer Body } ? JsonOf<Body> : never;
type AnswerOf<T, Status extends number> = T extends { responses: Record<Status, infer Answer> }
  ? JsonOf<Answer>
  : never;
/** The type of a record, by its path. */
export type RecordAt<P extends keyof paths> = AnswerOf<paths[P]['get'], 200>;
/** The body of an update, by the path of the record. */
export type BodyAt<P extends keyof paths> = BodyOf<paths[P]['patch'] | paths[P]['put']>;
/** The body of a creation, by the path of the list. */
export type NewAt<P extends keyof paths> = BodyOf<paths[P]['post']>;
/** The response to a creation, by the path of the list. */
export type CreatedAt<P extends keyof paths> = AnswerOf<paths[P]['post'], 201>;

type Fields = Readonly<Record<string, unknown>>;

/** The current version of a record in the API. */
interface Current {
  record: Fields;
  etag: string;
}

/** Type of the client's calls in generic code, for which the generated types are too narrow. */
export type Call = (
  path: string,
  init: { params: object; body?: object; signal?: AbortSignal; keepalive?: true },
) => Promise<{ data?: unknown; response: Response }>;

/** Most attempts of a change that keeps colliding with others. */
const ATTEMPTS = 5;

/** Thrown when a change was not sent because the person wants to review it. */
export class NotSent extends Error {
  constructor() {
    super('Nothing is saved yet. Your changes are still here.');
  }
}

/** A record's address in the API, with the version that the person saw. */
export interface Target<P extends keyof paths> {
  api: Api;
  path: P;
  /** Path parameters. */
  of: Readonly<Record<string, string>>;
  /** The record as shown when the person began to edit. */
  seen: RecordAt<P>;
}

/**
 * Creates a record.
 *
 * @param path path of the list
 * @param key idempotency key: retries after a lost connection create one record
 */
export async function createRecord<P extends keyof paths>(
  api: Api,
  path: P,
  body: NewAt<P>,
  key: string,
): Promise<CreatedAt<P>> {
  const send = api.POST as unknown as Call;
  return (await answer(send(path, { ...idempotent(key), body: body as Fields }))) as CreatedAt<P>;
}

/**
 * Changes fields of a record.
 *
 * @returns the changed record
 * @throws NotSent when somebody else changed the same fields and the person returns to the form
 */
export async function changeRecord<P extends keyof paths>(
  { api, path, of, seen }: Target<P>,
  body: BodyAt<P>,
): Promise<RecordAt<P>> {
  const send = (path === '/tags/{id}' ? api.PUT : api.PATCH) as unknown as Call;
  let wanted = body as Fields;
  let before = seen as Fields;
  for (let attempt = 1; ; attempt += 1) {
    const { record, etag } = await readRecord(api, path, of);
    const theirs = Object.keys(wanted).filter((name) => !isSame(name, record, before));
    const isMine = (name: string) => !isSame(name, wanted, before);
    const conflicts = theirs.filter((name) => isMine(name) && !isSame(name, wanted, record));
    let given = theirs.filter((name) => !isMine(name));
    if (conflicts.length > 0) {
      const { askAboutConflict } = await loadQuestions();
      const choice = await askAboutConflict({ api, path, fields: conflicts, mine: wanted, record });
      if (choice === undefined) throw new NotSent();
      if (choice === 'theirs') given = [...given, ...conflicts];
    }
    wanted = Object.fromEntries(Object.entries(wanted).filter(([name]) => !given.includes(name)));
    if (Object.keys(wanted).length === 0) return record as RecordAt<P>;
    try {
      const params = { path: of, header: { 'If-Match': etag } };
      return (await answer(send(path, { params, body: wanted }))) as RecordAt<P>;
    } catch (error) {
      if (!isOutdated(error) || attempt === ATTEMPTS) throw error;
      // The person has decided about this version, so only newer changes raise the question again.
      before = record;
    }
  }
}

/**
 * Deletes a record, and asks first when somebody changed it since the person saw it.
 *
 * @throws NotSent when the person keeps the record
 */
export async function deleteRecord<P extends keyof paths>({
  api,
  path,
  of,
  seen,
}: Target<P>): Promise<void> {
  const { record, etag } = await readRecord(api, path, of);
  const before = seen as Fields;
  const changed = Object.keys(before).filter(
    (name) => !COUNTED.test(name) && !isSame(name, record, before),
  );
  if (changed.length > 0) {
    const { askBeforeDeletion } = await loadQuestions();
    if (!(await askBeforeDeletion({ api, path, fields: changed, record }))) throw new NotSent();
  }
  const remove = api.DELETE as unknown as Call;
  await remove(path, { params: { path: of, header: { 'If-Match': etag } } });
}

/** Fields that visits and background checks change; a deletion ignores changes of these. */
const COUNTED =
  /^(?:clicks|scans|views|leads|sales|saleAmount|refundAmount|lastClicked|lastUsedAt|lastSeenAt|updatedAt|failingSince|pausedUntil|pendingSince|lastSentAt|lastError|refusedEvents|lastRefus(?:al|edAt)|lastTest|backfill|usage|destinationCheck|filled)$/;

async function readRecord(
  api: Api,
  path: string,
  of: Readonly<Record<string, string>>,
): Promise<Current> {
  const read = api.GET as unknown as Call;
  const { data, response } = await read(path, { params: { path: of } });
  return { record: data as Fields, etag: response.headers.get('etag') ?? '*' };
}

const isOutdated = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'conflict' && error.message.startsWith('If-Match');

/** True when a field has the same value in two records, or in a record and a body. */
const isSame = (name: string, a: Fields, b: Fields): boolean =>
  comparable(valueOf(name, a)) === comparable(valueOf(name, b));

/** Reads the value of a body's field from a record, which has `tags` in place of `tagIds`. */
function valueOf(name: string, record: Fields): unknown {
  if (name !== 'tagIds' || 'tagIds' in record) return record[name];
  return ((record['tags'] ?? []) as Schemas['TagReference'][]).map(({ id }) => id);
}

/** Normalizes a value for comparison: URLs in their canonical form, empty values as null. */
function comparable(value: unknown): string {
  if (typeof value === 'string') return value === '' ? 'null' : JSON.stringify(urlOr(value));
  if (Array.isArray(value))
    return value.length === 0 ? 'null' : `[${value.map(comparable).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([name, one]) => `${name}:${comparable(one)}`).join()}}`;
}

function urlOr(text: string): string {
  try {
    return new URL(text).href;
  } catch {
    return text;
  }
}
