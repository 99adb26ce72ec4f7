import type { IncomingMessage } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type Joi from 'joi';
import getRawBody from 'raw-body';
import { Refusal } from '../errors.ts';
import { memoize } from '../infra/memoize.ts';
import { parseJson, TooMuchJson } from '../infra/parse-json.ts';
import { unstorable } from '../infra/storable-text.ts';
import { MESSAGES } from './messages.ts';
import { narrowing } from './narrowed.ts';

export const MEBIBYTE = 1024 * 1024;

/** Maximum number of faults that one answer names. */
const MAX_FAULTS = 50;
/** Maximum number of parameters in a query. */
const MAX_PARAMETERS = 1_000;
/** Maximum number of values in a JSON body, per MiB of its size limit. */
const MAX_VALUES_PER_MEBIBYTE = 10_000;
/** Maximum number of members of one array or object in it, per MiB of its size limit. */
const MAX_MEMBERS_PER_MEBIBYTE = 5_000;
/** Maximum time for which work on a list blocks other requests, in ms. */
const SLICE_MS = 10;

/**
 * Validates a value against its schema.
 *
 * @param where name for a value without a name of its own: `body`, `query`, `params`
 * @returns the value with defaults and conversions applied
 * @throws Refusal `unprocessable_entity` naming every failing field and its rule
 */
export function check<T>(schema: Joi.Schema, value: unknown, where: string): T {
  const { value: checked, late } = checkRepeatable<T>(schema, value, where);
  if (late !== undefined) throw late;
  return checked;
}

/**
 * A valid value; `late` is the reason why it can no longer be accepted, although it could be
 * earlier.
 */
interface Repeatable<T> {
  value: T;
  late?: Refusal;
}

/** Like `check`, for a request that may repeat one that was in time. */
export function checkRepeatable<T>(
  schema: Joi.Schema,
  value: unknown,
  where: string,
): Repeatable<T> {
  return validate(schema, value, where, textFaults(value, where));
}

/** Like `check`, for a list whose members are validated one by one later. */
export function checkEnvelope<T>(schema: Joi.Schema, value: unknown, where: string): T {
  return validate<T>(schema, value, where, []).value;
}

/** Rules that depend on the time, such as "must be in the future", become warnings of Joi. */
function validate<T>(
  schema: Joi.Schema,
  value: unknown,
  where: string,
  faults: string[],
): Repeatable<T> {
  const { value: checked, error, warning } = prepared(schema).validate(value);
  if (error !== undefined) faults.push(...describe(error, where));
  const isRight = faults.length === 0;
  if (warning !== undefined) faults.push(...describe(warning, where));
  if (faults.length === 0) return { value: checked as T };
  const named = [...new Set(faults)].slice(0, MAX_FAULTS).join('; ');
  const refusal = new Refusal('unprocessable_entity', named);
  if (!isRight) throw refusal;
  return { value: checked as T, late: refusal };
}

const PREFERENCES: Joi.ValidationOptions = {
  abortEarly: false,
  errors: { wrap: { label: false, array: false } },
  messages: MESSAGES,
};

/**
 * Builds the preferences into the schema; passed to `validate`, they would be compiled at every
 * call.
 */
const prepared = memoize((schema: Joi.Schema) => schema.prefs(PREFERENCES), new WeakMap());

function describe({ details }: Pick<Joi.ValidationError, 'details'>, where: string): string[] {
  return details
    .slice(0, MAX_FAULTS)
    .map(({ message, path }) => (path.length === 0 ? message.replace(/^value\b/, where) : message));
}

const narrowed = memoize(narrowing, new WeakMap());

/** Like `check`, for a schema of many fields and values that have few of them. */
export const checkSparse = <T>(schema: Joi.Schema, value: unknown, where: string): T =>
  check<T>(narrowed(schema)(value), value, where);

/**
 * Validates each value of a list separately, and lets other requests run in between.
 *
 * @returns in order: the validated value, or the reason why it is refused
 */
export async function checkEach<T>(
  schema: Joi.Schema,
  values: readonly unknown[],
  where: string,
): Promise<(T | Refusal)[]> {
  return mapInSlices(values, (value) => {
    try {
      return checkSparse<T>(schema, value, where);
    } catch (thrown) {
      if (!(thrown instanceof Refusal)) throw thrown;
      return thrown;
    }
  });
}

/** Maps an array, and lets other requests run in between. */
export async function mapInSlices<T, Result>(
  values: readonly T[],
  map: (value: T) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  let began = performance.now();
  for (const value of values) {
    if (performance.now() - began > SLICE_MS) {
      await nextTurn();
      began = performance.now();
    }
    results.push(map(value));
  }
  return results;
}

/**
 * Finds texts that cannot be stored, and names that no schema sees, because Joi ignores
 * `__proto__`.
 */
function textFaults(value: unknown, where: string, path = '', faults: string[] = []): string[] {
  if (faults.length >= MAX_FAULTS) return faults;
  if (typeof value === 'string') {
    const fault = unstorable(value);
    if (fault !== undefined) faults.push(`${path || where} must not contain ${fault}`);
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      textFaults(item, where, `${path}[${index}]`, faults);
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, inner] of Object.entries(value)) {
      const fieldPath = path === '' ? name : `${path}.${name}`;
      const fault = unstorable(name);
      if (fault !== undefined)
        faults.push(`a field name in ${path || where} must not contain ${fault}`);
      else if (name === '__proto__') faults.push(`${fieldPath} is not a known field`);
      else textFaults(inner, where, fieldPath, faults);
    }
  }
  return faults;
}

/** Parameters of a query or a form, by name. */
export type Query = Record<string, string | string[]>;

/**
 * Parses a query string. A repeated name has a list of values.
 *
 * @throws Refusal `bad_request` when percent-encoding is malformed, or there are more than
 * MAX_PARAMETERS
 */
export function parseQuery(search: string): Query {
  const query: Query = Object.create(null) as Query;
  const pairs = search.replace(/^\?/, '').split('&', MAX_PARAMETERS + 1);
  if (pairs.length > MAX_PARAMETERS) {
    throw new Refusal(
      'bad_request',
      `The query string must not have more than ${MAX_PARAMETERS} parameters`,
    );
  }
  for (const pair of pairs) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    const value = equals < 0 ? '' : decode(pair.slice(equals + 1));
    const before = query[name];
    if (before === undefined) query[name] = value;
    else if (Array.isArray(before)) before.push(value);
    else query[name] = [before, value];
  }
  return query;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new Refusal(
      'bad_request',
      `The query string is not well percent-encoded at "${text.slice(0, 100)}"`,
    );
  }
}

/**
 * Parses a query string that a field of a body holds.
 *
 * @throws Refusal `unprocessable_entity` when percent-encoding is malformed
 */
export function parseQueryField(name: string, text: string): Query {
  try {
    return parseQuery(text);
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown;
    throw new Refusal(
      'unprocessable_entity',
      `${name} must be a well percent-encoded query string`,
    );
  }
}

/** Error when the connection broke before the whole body arrived. */
export class ClientGone extends Error {}

/**
 * Reads a JSON body.
 *
 * @param limit maximum size of the body, in bytes
 * @throws Refusal `bad_request` for a wrong content type, a body over the limit, malformed JSON, or
 * JSON with more values or deeper nesting than any request needs
 */
export async function readBody(request: IncomingMessage, limit: number): Promise<unknown> {
  refuseType(request, 'application/json');
  return parseBody(await collect(request, limit), limit);
}

function parseBody(bytes: Buffer, limit: number): unknown {
  try {
    const mebibytes = limit / MEBIBYTE;
    const mostMembers = Math.max(1, mebibytes) * MAX_MEMBERS_PER_MEBIBYTE;
    return parseJson(bytes, mebibytes * MAX_VALUES_PER_MEBIBYTE, mostMembers);
  } catch (thrown) {
    if (thrown instanceof TooMuchJson) {
      throw new Refusal('bad_request', `The body must not ${thrown.message}`);
    }
    throw new Refusal('bad_request', 'The body must be well-formed JSON in UTF-8');
  }
}

/** Returns true for a request with a body (RFC 9112, 6.3). */
export function hasBody({ headers }: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = headers;
  return encoding !== undefined || (length !== undefined && length !== '0');
}

const FORM_TYPES = ['application/x-www-form-urlencoded', 'multipart/form-data'];

/** Maximum number of form parts that are read. */
const MAX_PARTS = 100;

/**
 * Reads a form as HTML pages and programs send it, without files. A request without a body has an
 * empty form.
 *
 * @param limit maximum size of the body, in bytes
 * @throws Refusal `bad_request` for a wrong content type, a body over the limit, or a malformed
 * form
 */
export async function readForm(request: IncomingMessage, limit: number): Promise<Query> {
  if (!hasBody(request)) return {};
  refuseType(request, ...FORM_TYPES);
  const bytes = await collect(request, limit);
  if (typeOf(request) !== 'multipart/form-data') return parseQuery(bytes.toString('utf8'));
  const headers = { 'content-type': request.headers['content-type']! };
  let parts: [string, unknown][];
  try {
    parts = [...(await new Response(new Uint8Array(bytes), { headers }).formData()).entries()];
  } catch {
    throw new Refusal('bad_request', 'The body must be a well-formed form');
  }
  const fields = parts.slice(0, MAX_PARTS).filter(([, value]) => typeof value === 'string');
  return Object.fromEntries(fields as [string, string][]);
}

/**
 * Reads a body as lenient services do: a form if its type says so, else JSON, whatever its type.
 *
 * @throws Refusal as {@link readBody} and {@link readForm} do
 */
export async function readAnyBody(request: IncomingMessage, limit: number): Promise<unknown> {
  if (FORM_TYPES.includes(typeOf(request))) return readForm(request, limit);
  refuseEncoding(request);
  return parseBody(await collect(request, limit), limit);
}

/** Returns the media type of a body; empty if it has none. */
export const typeOf = ({ headers }: IncomingMessage): string =>
  (headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase();

function refuseType(request: IncomingMessage, ...accepted: string[]): void {
  if (!accepted.includes(typeOf(request))) {
    throw new Refusal(
      'bad_request',
      `The Content-Type of the body must be ${accepted.join(' or ')}`,
    );
  }
  refuseEncoding(request);
}

/** @throws Refusal `bad_request` for a compressed body */
export function refuseEncoding({ headers }: IncomingMessage): void {
  if (headers['content-encoding'] === undefined) return;
  throw new Refusal('bad_request', 'The body must be sent without Content-Encoding');
}

/**
 * Reads a body of any type, unchanged.
 *
 * @param limit maximum size of the body, in bytes
 * @throws Refusal `bad_request` for a body over the limit, or a compressed one
 */
export function readBytes(request: IncomingMessage, limit: number): Promise<Buffer> {
  refuseEncoding(request);
  return collect(request, limit);
}

async function collect(request: IncomingMessage, limit: number): Promise<Buffer> {
  try {
    return await getRawBody(request, { limit });
  } catch (thrown) {
    if ((thrown as getRawBody.RawBodyError).type !== 'entity.too.large') throw new ClientGone();
    // Discards the rest: a client that is still sending would not see the answer otherwise.
    request.resume();
    throw new Refusal('bad_request', `The body must not be larger than ${limit / MEBIBYTE} MiB`);
  }
}
