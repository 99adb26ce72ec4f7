import { type FieldName, isYes } from '../fields.ts';
import { readNumber } from '../numbers.ts';

/**
 * A link in a provider's format. Names of its properties or columns are reduced to lower-case
 * letters and digits.
 */
export type ProviderRecord = Readonly<Record<string, unknown>>;

/** A link of this service: texts by field; other values are written as JSON. */
export type ProviderLink = Readonly<Partial<Record<FieldName, unknown>>>;

/** Position in the lists of an API after which the next page begins. */
export type Cursor = Readonly<Record<string, unknown>>;

/**
 * Maximum number of records per page: all of them are in memory, and some APIs need a request for
 * each.
 */
export const MAX_RECORDS = 100;

/** The service refuses or sends an unexpected answer, for a reason that its user can change. */
export class Refused extends Error {}

/** A page of links from an API. */
export interface Page {
  records: object[];
  /** Cursor of the next page; `null` after the last page. */
  next: Cursor | null;
  /** Total number of links, if the API returns it. */
  total?: number | undefined;
}

/** A request to an API: a path or an absolute URL. */
export interface ProviderRequest {
  query?: Readonly<Record<string, string>>;
  /** Fields of a form, sent by POST. */
  form?: Readonly<Record<string, string>>;
  /**
   * True if an answer of 402, 403 or 404 resolves to `undefined`, because the account's plan lacks
   * the feature.
   */
  isOptional?: boolean;
}

export type FetchJson = (path: string, request?: ProviderRequest) => Promise<unknown>;

/** Access to the links of an account. */
export interface ProviderApi {
  /** Address of the API; `undefined` if people host the service themselves. */
  url?: string;
  /** Returns the headers that carry the token. */
  headers?(token: string): Record<string, string>;
  /** Reads a page; the first one if there is no cursor. */
  page(fetchJson: FetchJson, cursor: Cursor | null, token: string): Promise<Page>;
}

/** A service whose exports can be imported. */
export interface Provider {
  /** Display name of the service. */
  title: string;
  /** Lists of names that identify the service's exports: a record has all names of one list. */
  marks: readonly (readonly string[])[];
  /**
   * Further lists, for JSON and dumps of databases only: the columns of a CSV file with these names
   * are read by their headers.
   */
  looseMarks?: readonly (readonly string[])[];
  /** Fields of `links`, in the order of the columns. */
  fields: readonly FieldName[];
  /** Converts a record to links, one for each of its addresses. */
  links(record: ProviderRecord): ProviderLink[];
}

/** A service whose links can also be read from its API. */
export interface ProviderWithApi extends Provider {
  api: ProviderApi;
}

/** Returns the first of these properties that has a value, as a text. */
export function text(record: ProviderRecord, ...names: string[]): string | undefined {
  for (const name of names) {
    const value = record[name];
    if (typeof value === 'string' && value.trim() !== '') return value;
    if (typeof value === 'number') return String(value);
  }
  return undefined;
}

/** Returns true if a property is true, as JSON or as one of the words that CSV uses. */
export const isTrue = (record: ProviderRecord, name: string): boolean =>
  record[name] === true || isYes(text(record, name) ?? '');

/** Converts names of tags, which are an array or the text of a cell. */
export function tags(value: unknown): unknown {
  if (!Array.isArray(value)) return typeof value === 'string' ? value : undefined;
  return value.length === 0 ? undefined : value.map((tag: unknown) => nameOfTag(tag));
}

const nameOfTag = (tag: unknown): unknown =>
  typeof tag === 'object' && tag !== null && 'name' in tag ? tag.name : tag;

/**
 * Converts a limit of visits. Counters start at 0 here, so visits that the provider counted are
 * subtracted; a link that has reached its limit is expired.
 *
 * @param since a time before the expiry of a link that has reached its limit
 */
export function remainingVisits(
  limit: string | undefined,
  clicks: string | undefined,
  since: string | undefined,
): Pick<ProviderLink, 'maxVisits' | 'expiresAt'> {
  const most = countOf(limit);
  // 0 means no limit.
  if (limit === undefined || most === 0) return {};
  if (most === undefined) return { maxVisits: limit };
  const remaining = most - (countOf(clicks) ?? 0);
  return remaining > 0
    ? { maxVisits: remaining }
    : { expiresAt: since ?? new Date(0).toISOString() };
}

const countOf = (cell: string | undefined): number | undefined =>
  cell === undefined ? undefined : (readNumber(cell, ',') ?? readNumber(cell, '.'));

/** Returns a list from an answer. */
export const listOf = (answer: unknown, name?: string): Record<string, unknown>[] => {
  const list = name === undefined ? answer : (answer as Record<string, unknown> | null)?.[name];
  return Array.isArray(list) ? (list as Record<string, unknown>[]) : [];
};

/**
 * Returns the records of a page.
 *
 * @param title name of the service
 * @throws Refused for more than {@link MAX_RECORDS} records, and for values that are not objects
 */
export function pageOf(title: string, answer: unknown, name?: string): Record<string, unknown>[] {
  const records = listOf(answer, name);
  const api = `url must be the API of ${title}`;
  if (records.length > MAX_RECORDS) {
    const limit = `which must have at most ${MAX_RECORDS}`;
    throw new Refused(`${api}: it answers ${records.length} links in a page, ${limit}`);
  }
  if (records.some((record: unknown) => typeof record !== 'object' || record === null)) {
    throw new Refused(`${api}: links in its answer are not objects`);
  }
  return records;
}

/** Reads a number from an answer; `undefined` if the value is not a number. */
export function numberOf(answer: unknown, ...path: string[]): number | undefined {
  let value = answer;
  for (const name of path) value = (value as Record<string, unknown> | null | undefined)?.[name];
  const number = typeof value === 'string' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}
