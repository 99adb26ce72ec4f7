import type { IncomingMessage } from 'node:http';
import Joi from 'joi';
import { Refusal } from '../errors.ts';

/** Deeper bodies than any schema describes. */
const MAX_DEPTH = 32;

/**
 * Checks a value against its schema.
 *
 * @param where how a value at fault is called when it has no name of its own: `body`, `query`, `params`
 * @returns the value with defaults and conversions applied
 * @throws Refusal `unprocessable_entity` naming every failing field and its rule
 */
export function check<T>(schema: Joi.Schema, value: unknown, where: string): T {
  refuseUnstorableText(value, where);
  const { value: checked, error } = prepared(schema).validate(value);
  if (error === undefined) return checked as T;
  throw new Refusal('unprocessable_entity', describe(error, where));
}

const PREFERENCES: Joi.ValidationOptions = {
  abortEarly: false,
  errors: { wrap: { label: false, array: false } },
  messages: {
    'object.unknown': '{{#label}} is not a known field',
    'any.required': '{{#label}} is required',
    // Rules of ours: `error('rule', { rule: 'must …' })`.
    rule: '{{#label}} {{#rule}}',
  },
};

const preparedSchemas = new WeakMap<Joi.Schema, Joi.Schema>();

/** The schema with our preferences built in: given to `validate`, they would be compiled at every call. */
function prepared(schema: Joi.Schema): Joi.Schema {
  let ready = preparedSchemas.get(schema);
  if (ready === undefined) {
    ready = schema.prefs(PREFERENCES);
    preparedSchemas.set(schema, ready);
  }
  return ready;
}

function describe(
  error: { details: { message: string; path: unknown[] }[] },
  where: string,
): string {
  const faults = error.details.map(({ message, path }) =>
    path.length === 0 ? message.replace(/^value\b/, where) : message,
  );
  return [...new Set(faults)].slice(0, 50).join('; ');
}

/**
 * Checks values of a list, each by itself, in one go.
 *
 * @returns in order: the checked value, or why it is refused
 */
export function checkEach<T>(
  schema: Joi.Schema,
  values: readonly unknown[],
  where: string,
): (T | Refusal)[] {
  const { value: checked, error } = prepared(listOf(schema)).validate(values);
  const faults = new Map<unknown, Joi.ValidationErrorItem[]>();
  for (const fault of error?.details ?? []) {
    faults.set(fault.path[0], [...(faults.get(fault.path[0]) ?? []), fault]);
  }
  return (checked as T[]).map((value, index) => {
    try {
      refuseUnstorableText(values[index], where);
    } catch (thrown) {
      if (thrown instanceof Refusal) return thrown;
      throw thrown;
    }
    const own = faults.get(index);
    if (own === undefined) return value;
    // "[3].url is required" is "url is required", "[3] must be …" is "link must be …".
    const details = own.map(({ message, path }) => ({
      message: message.replace(`[${index}].`, '').replace(`[${index}]`, where),
      path: path.slice(1),
    }));
    return new Refusal('unprocessable_entity', describe({ details }, where));
  });
}

const lists = new WeakMap<Joi.Schema, Joi.ArraySchema>();

function listOf(schema: Joi.Schema): Joi.ArraySchema {
  let list = lists.get(schema);
  if (list === undefined) {
    list = Joi.array().items(schema);
    lists.set(schema, list);
  }
  return list;
}

/** Postgres stores no null characters and no halves of surrogate pairs. */
function refuseUnstorableText(value: unknown, where: string, depth = 0): void {
  if (typeof value === 'string') {
    if (value.includes('\0')) {
      throw new Refusal('unprocessable_entity', `${where} must not contain null characters`);
    }
    if (!value.isWellFormed()) {
      throw new Refusal('unprocessable_entity', `${where} must be well-formed Unicode`);
    }
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  if (depth > MAX_DEPTH) {
    throw new Refusal('unprocessable_entity', `${where} is nested deeper than ${MAX_DEPTH} levels`);
  }
  for (const [key, inner] of Object.entries(value)) {
    refuseUnstorableText(key, `a field name in ${where}`);
    refuseUnstorableText(inner, depth === 0 ? key : where, depth + 1);
  }
}

/**
 * Splits a query string. A name that comes twice has a list of values.
 *
 * @throws Refusal `bad_request` where percent-encoding is malformed
 */
export function parseQuery(search: string): Record<string, string | string[]> {
  const query: Record<string, string | string[]> = Object.create(null) as Record<string, string>;
  for (const pair of search.replace(/^\?/, '').split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    const value = equals < 0 ? '' : decode(pair.slice(equals + 1));
    const before = query[name];
    if (before === undefined) query[name] = value;
    else query[name] = Array.isArray(before) ? [...before, value] : [before, value];
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
 * Reads a JSON body.
 *
 * @param limit largest body, in bytes
 * @throws Refusal `bad_request` for a wrong content type, a body over the limit, or malformed JSON
 */
export async function readBody(request: IncomingMessage, limit: number): Promise<unknown> {
  const type = (request.headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase();
  if (type !== 'application/json') {
    throw new Refusal('bad_request', 'The Content-Type of the body must be application/json');
  }
  if (request.headers['content-encoding'] !== undefined) {
    throw new Refusal('bad_request', 'The body must be sent without Content-Encoding');
  }
  const bytes = await collect(request, limit);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new Refusal('bad_request', 'The body must be well-formed JSON in UTF-8');
  }
}

function collect(request: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limit) {
        chunks.push(chunk);
        return;
      }
      // The rest is read and dropped: a client that is still sending would not see the answer otherwise.
      chunks.length = 0;
      reject(
        new Refusal('bad_request', `The body must not be larger than ${limit / 1024 / 1024} MiB`),
      );
    });
    request.on('end', () => resolve(Buffer.concat(chunks)));
    request.on('error', reject);
    request.on('close', () => reject(new Error('the client went away')));
  });
}
