import { createHash } from 'node:crypto';
import { db, rows, type SqlValue } from '../../../infra/db.ts';
import { containing } from '../../../infra/like.ts';
import { type EventFilter, EXACT_COLUMNS, ROOT_KEY } from '../../filter.ts';
import { UTM_FIELDS } from '../../utm.ts';
import { isRebuilding } from './rollup-rebuilds.ts';
import { pageSql } from './rollups.ts';

/** Sales without a link have no key. A lead or sale has the key of its click. */
const IS_ROOT = `(e.link_id IS NULL AND e.key = '${ROOT_KEY}')`;
/** Most destinations with UTM parameters that are looked up; with more, those of events are read, which takes longer. */
const MOST_TAGGED = 2_000;
/** Most texts with a part that are looked up. More match so many events that searching their texts is faster. */
const MOST_TEXTS = 200;

/** A filter as SQL on events `e`. */
export interface FilterSql {
  records?: string[];
  domain?: string;
  /** Everything but records and domain, each condition after an AND. */
  conditions: string;
  /** Values of all placeholders, by name. */
  bindings: Record<string, SqlValue>;
}

/** All conditions of a filter. */
export function filterSql({ records, domain, conditions }: FilterSql): string {
  return [
    ...(records === undefined ? [] : ['AND e.link_id = ANY(:records)']),
    ...(domain === undefined ? [] : ['AND e.domain = :domain']),
    conditions,
  ].join(' ');
}

/**
 * Terms of an event `e` in the index of filters, which serves every filter and any combination of them. The plain
 * conditions are added, since they are cheaper to evaluate where the planner prefers another index.
 */
const TERMS =
  'event_terms(e.project_id, e.domain, e.via, e.continent, e.country, e.city, e.device, e.browser, e.os, e.referer, e.url)';

/** One of the terms, in the format of the function `event_terms`. */
const termOf = (projectId: string, name: string, value: string): string =>
  `${projectId} ${name} ${value}`;

/** Makes the SQL of a filter. */
export async function toSql(projectId: string, filter: EventFilter): Promise<FilterSql> {
  const { records, domain, values = {}, via, parts = {}, isRoot, isEmpty } = filter;
  const { pageId, variants } = filter;
  const conditions: string[] = [];
  const bindings: Record<string, SqlValue> = {};
  const terms: string[] = [];
  for (const column of EXACT_COLUMNS) {
    const some = values[column];
    if (some === undefined) continue;
    conditions.push(`AND e.${column} = ANY(:${column})`);
    bindings[column] = some;
    const own = some.map((value) => termOf(projectId, column, value));
    if (own.length === 1) terms.push(own[0]!);
    else {
      conditions.push(`AND ${TERMS} && :${column}Terms::text[]`);
      bindings[`${column}Terms`] = own;
    }
  }
  if (via !== undefined) {
    conditions.push('AND e.via = ANY(:via)');
    bindings['via'] = via;
    if (via.length === 1) terms.push(termOf(projectId, 'via', via[0]!));
  }
  for (const column of ['referer', 'url'] as const) {
    const part = parts[column];
    if (part !== undefined) await addPart(projectId, column, part, conditions, bindings);
  }
  if (filter.utm !== undefined) await addUtm(projectId, filter.utm, conditions, bindings);
  if (pageId !== undefined) {
    conditions.push('AND e.page_id = :pageId');
    bindings['pageId'] = pageId;
  }
  if (variants !== undefined) {
    conditions.push('AND e.variant = ANY(:variants)');
    bindings['variants'] = variants;
  }
  if (isRoot !== undefined) conditions.push(`AND ${isRoot ? '' : 'NOT '}${IS_ROOT}`);
  if (isEmpty === true) conditions.push('AND false');
  if (terms.length > 0) {
    if (domain !== undefined) terms.push(termOf(projectId, 'domain', domain));
    conditions.push(`AND ${TERMS} @> :terms::text[]`);
    bindings['terms'] = terms;
  }
  const named = {
    ...(records === undefined ? {} : { records }),
    ...(domain === undefined ? {} : { domain }),
  };
  return { ...named, conditions: conditions.join(' '), bindings: { ...bindings, ...named } };
}

/** Adds the conditions that parameters of the destination have some values. */
async function addUtm(
  projectId: string,
  utm: NonNullable<EventFilter['utm']>,
  conditions: string[],
  bindings: Record<string, SqlValue>,
): Promise<void> {
  const wanted = UTM_FIELDS.flatMap((name, at) => {
    const value = utm[name];
    return value === undefined ? [] : [{ name, at: at + 1, value }];
  });
  const holds = (url: string) =>
    wanted.map(({ name, at }) => `(utm_texts(${url}))[${at}] = :${name}`).join(' AND ');
  const values = Object.fromEntries(wanted.map(({ name, value }) => [name, value]));
  // The index finds the events of a few destinations; the condition makes it exact.
  Object.assign(bindings, values);
  conditions.push(`AND ${holds('e.url')}`);
  const found = await findTexts(projectId, 'destination', holds, values, MOST_TAGGED);
  if (found === undefined) return;
  conditions.push(`AND ${TERMS} && :utmTerms::text[]`);
  bindings['utmTerms'] = found.map((value) => termOf(projectId, 'url', md5(value)));
}

/**
 * Texts of a workspace that hold a condition; `undefined` where there are too many, or they are not known.
 *
 * @param holds SQL of the condition, of the SQL of a text
 */
async function findTexts(
  projectId: string,
  list: 'referer' | 'destination',
  holds: (text: string) => string,
  bindings: Record<string, SqlValue>,
  most: number,
): Promise<string[] | undefined> {
  if (await isRebuilding(projectId)) return undefined;
  const found = await rows<{ value: string }>(
    db(),
    `SELECT value FROM event_values WHERE project_id = :projectId AND dimension = :list AND ${holds('value')} LIMIT :limit`,
    { ...bindings, projectId, list, limit: most + 1 },
  );
  return found.length > most ? undefined : found.map(({ value }) => value);
}

/**
 * Adds the condition that a text contains a part. No index on events finds parts of texts; so the texts of the workspace
 * that contain it are looked up first, and the index finds their events.
 */
async function addPart(
  projectId: string,
  column: 'referer' | 'url',
  wanted: string,
  conditions: string[],
  bindings: Record<string, SqlValue>,
): Promise<void> {
  const pattern = containing(wanted);
  const [list, textOf] =
    column === 'url' ? (['destination', pageSql] as const) : ([column, plain] as const);
  const contains = (text: string) => `${textOf(text)} ILIKE :pattern`;
  const found = await findTexts(projectId, list, contains, { pattern }, MOST_TEXTS);
  if (found === undefined) {
    conditions.push(`AND ${textOf(`e.${column}`)} ILIKE :${column}`);
    bindings[column] = pattern;
    return;
  }
  const values = found.map((value) => (column === 'url' ? md5(value) : value));
  conditions.push(`AND ${TERMS} && :${column}::text[]`);
  bindings[column] = values.map((value) => termOf(projectId, column, value));
}

const plain = (text: string) => text;

const md5 = (value: string) => createHash('md5').update(value).digest('hex');
