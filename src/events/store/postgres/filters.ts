import type { SqlValue } from '../../../infra/db.ts';
import { containing } from '../../../infra/like.ts';
import { type EventFilter, EXACT_COLUMNS, ROOT_KEY } from '../../filter.ts';
import { UTM_FIELDS } from '../../utm.ts';
import { pageSql } from './rollups.ts';

/** Sales without a link have no key. A lead or sale has the key of its click. */
const IS_ROOT = `(e.link_id IS NULL AND e.key = '${ROOT_KEY}')`;

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

/** Makes the SQL of a filter. */
export function toSql(filter: EventFilter): FilterSql {
  const { records, domain, values = {}, via, parts = {}, utm = {}, isRoot, isEmpty } = filter;
  const { pageId, variants } = filter;
  const conditions: string[] = [];
  const bindings: Record<string, SqlValue> = {};
  for (const column of EXACT_COLUMNS) {
    const some = values[column];
    if (some === undefined) continue;
    conditions.push(`AND e.${column} = ANY(:${column})`);
    bindings[column] = some;
  }
  if (via !== undefined) {
    conditions.push('AND e.via = ANY(:via)');
    bindings['via'] = via;
  }
  if (parts.referer !== undefined) {
    conditions.push('AND e.referer ILIKE :referer');
    bindings['referer'] = containing(parts.referer);
  }
  if (parts.url !== undefined) {
    conditions.push(`AND ${pageSql('e.url')} ILIKE :url`);
    bindings['url'] = containing(parts.url);
  }
  for (const [at, name] of UTM_FIELDS.entries()) {
    const value = utm[name];
    if (value === undefined) continue;
    conditions.push(`AND (utm_texts(e.url))[${at + 1}] = :${name}`);
    bindings[name] = value;
  }
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
  const named = {
    ...(records === undefined ? {} : { records }),
    ...(domain === undefined ? {} : { domain }),
  };
  return { ...named, conditions: conditions.join(' '), bindings: { ...bindings, ...named } };
}
