import type { FieldName } from '../fields.ts';

/** A link as a peer has it, its properties or columns named by lower-case letters and digits only. */
export type PeerRecord = Readonly<Record<string, unknown>>;

/** A link of ours: texts by fields; other values are written as JSON. */
export type PeerLink = Readonly<Partial<Record<FieldName, unknown>>>;

/** The place in the lists of an API after which the next page begins. */
export type Cursor = Readonly<Record<string, unknown>>;

/** Most records of a page: all of them are in memory, and some APIs take a request for each. */
export const MOST_RECORDS = 100;

/** The service refuses, or answers what it should not, for a reason that its user can change. */
export class Refused extends Error {}

/** A page of the links of an API. */
export interface Page {
  records: object[];
  /** `null` after the last page. */
  next: Cursor | null;
  /** Links altogether, where the API tells it. */
  total?: number | undefined;
}

/** A request to an API: a path, or a whole URL. */
export interface Question {
  query?: Readonly<Record<string, string>>;
  /** Sent as a form, with POST. */
  form?: Readonly<Record<string, string>>;
  /** An answer of 402, 403 or 404 is `undefined`: the plan of the account does not have it. */
  isOptional?: boolean;
}

export type Ask = (path: string, question?: Question) => Promise<unknown>;

/** How the links of an account are read. */
export interface PeerApi {
  /** Its address; `undefined`: people install the service themselves. */
  url?: string;
  /** Headers with the token. */
  headers?(token: string): Record<string, string>;
  /** Reads a page; without a cursor, the first one. */
  page(ask: Ask, cursor: Cursor | null, token: string): Promise<Page>;
}

/** A service whose links are imported. */
export interface Peer {
  /** Its name, for people. */
  title: string;
  /** Names of which a record has all of one list: so its exports are told from those of others. */
  marks: readonly (readonly string[])[];
  /** Fields of `links`, in the order of the columns. */
  fields: readonly FieldName[];
  /** The links of a record: one for each of its addresses. */
  links(record: PeerRecord): PeerLink[];
  api: PeerApi;
}

/** The first of these properties that has a value, as a text. */
export function text(record: PeerRecord, ...names: string[]): string | undefined {
  for (const name of names) {
    const value = record[name];
    if (typeof value === 'string' && value.trim() !== '') return value;
    if (typeof value === 'number') return String(value);
  }
  return undefined;
}

/** True where a property is true in JSON, or in one of the words of CSV. */
export const isTrue = (record: PeerRecord, name: string): boolean =>
  record[name] === true || /^(?:true|yes|y|1|t)$/i.test(text(record, name) ?? '');

/** A point in time, which some peers write as milliseconds since 1970, and Postgres with an offset of hours only. */
export function time(record: PeerRecord, ...names: string[]): string | undefined {
  const value = text(record, ...names);
  return value !== undefined && /^\d{12,14}$/.test(value)
    ? new Date(Number(value)).toISOString()
    : value?.replace(/(:\d\d(?:\.\d+)?[+-]\d\d)$/, '$1:00');
}

/** Names of tags, as an array or as the text of a cell. */
export function tags(value: unknown): unknown {
  if (!Array.isArray(value)) return typeof value === 'string' ? value : undefined;
  return value.length === 0 ? undefined : value.map((tag: unknown) => nameOfTag(tag));
}

const nameOfTag = (tag: unknown): unknown =>
  typeof tag === 'object' && tag !== null && 'name' in tag ? tag.name : tag;

/**
 * A limit of visits of which the peer has counted some: our counters begin at 0. A link that had reached it has expired.
 *
 * @param since a time before the expiry of a link that has reached its limit
 */
export function remainingVisits(
  limit: string | undefined,
  clicks: string | undefined,
  since: string | undefined,
): Pick<PeerLink, 'maxVisits' | 'expiresAt'> {
  // 0 means no limit.
  if (limit === undefined || Number(limit) === 0) return {};
  const left = Number(limit) - Number(clicks ?? 0);
  return left > 0 ? { maxVisits: left } : { expiresAt: since ?? new Date(0).toISOString() };
}

/** A list of an answer. */
export const listOf = (answer: unknown, name?: string): Record<string, unknown>[] => {
  const list = name === undefined ? answer : (answer as Record<string, unknown> | null)?.[name];
  return Array.isArray(list) ? (list as Record<string, unknown>[]) : [];
};

/**
 * The records of a page.
 *
 * @param title of the service
 * @throws Refused for more than {@link MOST_RECORDS}, and for what is no object
 */
export function pageOf(title: string, answer: unknown, name?: string): Record<string, unknown>[] {
  const records = listOf(answer, name);
  const api = `url must be the API of ${title}`;
  if (records.length > MOST_RECORDS) {
    const limit = `which must have at most ${MOST_RECORDS}`;
    throw new Refused(`${api}: it answers ${records.length} links in a page, ${limit}`);
  }
  if (records.some((record: unknown) => typeof record !== 'object' || record === null)) {
    throw new Refused(`${api}: links in its answer are not objects`);
  }
  return records;
}

/** A number of an answer; `undefined` where it is none. */
export function numberOf(answer: unknown, ...path: string[]): number | undefined {
  let value = answer;
  for (const name of path) value = (value as Record<string, unknown> | null | undefined)?.[name];
  const number = typeof value === 'string' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}
