import { createHash } from 'node:crypto';
import type Joi from 'joi';
import { domainField } from '../domains/schema.ts';
import { Refusal } from '../errors.ts';
import { CONTINENTS, COUNTRY_CODES } from '../infra/countries.ts';
import { db } from '../infra/db.ts';
import {
  dateTime,
  externalIdIn,
  flag,
  id,
  Joi as Kinds,
  queryList,
  text,
  timezone,
} from '../infra/fields.ts';
import { containing } from '../infra/like.ts';
import { UNKNOWN } from '../infra/places.ts';
import { linkQueries } from '../links/queries.ts';
import { findPage } from '../pages/queries.ts';
import { qrCodeQueries } from '../qrcodes/queries.ts';

/** Key under which visits of a domain's root are recorded. */
const ROOT_KEY = '_root';
/** A filter by a part of a text is answered by the values that contain it, up to so many. */
const MOST_VALUES = 2_000;

/** Filters that events and analytics share, as the query names them. */
export interface FilterQuery {
  domain?: string;
  key?: string;
  linkId?: string;
  qrcodeId?: string;
  pageId?: string;
  externalId?: string;
  tagId?: string[];
  folderId?: string;
  continent?: string;
  country?: string;
  city?: string;
  device?: string;
  browser?: string;
  os?: string;
  referer?: string;
  url?: string;
  type?: 'link' | 'qr';
  types?: ('link' | 'qr')[];
  root?: boolean;
  excludeRoot?: boolean;
}

/** Which events are meant. */
export interface EventFilter {
  /** Of these links and QR codes. */
  records?: string[];
  domain?: string;
  /** Everything else, as conditions on events `e`, each after an AND. */
  conditions: string;
  /** Of all of it, by name. */
  bindings: Record<string, unknown>;
}

const VIA = Kinds.string().valid('link', 'qr');
const part = (what: string) => text(1_000).description(`A part of ${what}; case does not count.`);

export const filterSchemas: Record<keyof FilterQuery, Joi.Schema> = {
  domain: domainField().description('Domain of the short link.'),
  key: text(1_000).description('Slug of the short link; needs domain. `_root`: the domain itself.'),
  linkId: id().description('Id of the short link, or the caller’s own after `ext_`.'),
  qrcodeId: id().description('Id of the QR code, or the caller’s own after `ext_`.'),
  pageId: id().description('Id of the page before the destination.'),
  externalId: id().description('The caller’s own id of link or QR code, with the prefix `ext_`.'),
  tagId: queryList(id()).description(
    'Of links and QR codes that have this tag, or one of these, now.',
  ),
  folderId: id().description('Addition: of links and QR codes that are in this folder now.'),
  continent: Kinds.string().valid(...CONTINENTS),
  country: Kinds.string().valid(...COUNTRY_CODES, UNKNOWN),
  city: text(200),
  device: text(100),
  browser: text(100),
  os: text(100),
  referer: part('the host that visitors came from'),
  url: part('the destination'),
  type: VIA.description('How the short link was opened.'),
  types: queryList(VIA as Joi.StringSchema),
  root: flag().description('true: domains themselves only; false: links only.'),
  excludeRoot: flag().description('true: without domains themselves.'),
};

export const spanSchemas = {
  start: dateTime().description(
    'Without `interval`: the first moment that counts; default 24 hours before `end`.',
  ),
  end: dateTime().description('The first moment that counts no more; default now.'),
  timezone: timezone().description('IANA zone to which days and months are aligned.'),
};

/** All conditions of a filter, on events `e`. */
export function filterSql({ records, domain, conditions }: EventFilter): string {
  return [
    ...(records === undefined ? [] : ['AND e.link_id = ANY(:records)']),
    ...(domain === undefined ? [] : ['AND e.domain = :domain']),
    conditions,
  ].join(' ');
}

/** Filters that a column answers by being equal, and the columns. */
const EXACT = ['continent', 'country', 'city', 'device', 'browser', 'os'] as const;

/**
 * What an index knows of an event `e`: every filter can be answered by it, and any of them together. The plain
 * conditions stand beside it, since they are cheaper to look at where another index was the better way.
 */
const TERMS =
  'event_terms(e.project_id, e.domain, e.via, e.continent, e.country, e.city, e.device, e.browser, e.os, e.referer, e.url)';

/** One of the terms, as the database makes them. */
const termOf = (projectId: string, name: string, value: string): string =>
  `${projectId} ${name} ${value}`;

/**
 * Which events a request means.
 *
 * @throws Refusal `not_found` when it names what is not in the workspace, `unprocessable_entity` for a key without
 *   its domain
 */
export async function resolveFilter(projectId: string, query: FilterQuery): Promise<EventFilter> {
  const { domain } = query;
  const conditions: string[] = [];
  const bindings: Record<string, unknown> = {};
  const terms: string[] = [];
  for (const name of EXACT) {
    if (query[name] === undefined) continue;
    conditions.push(`AND e.${name} = :${name}`);
    bindings[name] = query[name];
    terms.push(termOf(projectId, name, query[name]));
  }
  if (query.type !== undefined || query.types !== undefined) {
    const { type, types = ['link', 'qr'] } = query;
    const via = type === undefined ? types : types.filter((one) => one === type);
    conditions.push('AND e.via = ANY(:via)');
    bindings['via'] = via;
    if (via.length === 1) terms.push(termOf(projectId, 'via', via[0]!));
  }
  if (query.referer !== undefined) {
    await addPart(projectId, 'referer', query.referer, conditions, bindings);
  }
  if (query.url !== undefined) await addPart(projectId, 'url', query.url, conditions, bindings);
  if (query.pageId !== undefined) {
    await existing(findPage(projectId, query.pageId), `page "${query.pageId}"`);
    conditions.push('AND e.page_id = :pageId');
    bindings['pageId'] = query.pageId;
  }
  const isRootKey = query.key === ROOT_KEY && domain !== undefined;
  if (query.root === true || isRootKey) conditions.push('AND e.link_id IS NULL');
  if (query.root === false || query.excludeRoot === true) {
    conditions.push('AND e.link_id IS NOT NULL');
  }
  const records = await recordsOf(projectId, isRootKey ? { ...query, key: undefined } : query);
  if (records !== undefined) bindings['records'] = records;
  // A key has led to the record, of which all events count, under whatever name they came.
  const isNamed = records !== undefined && query.key !== undefined && !isRootKey;
  const named = domain === undefined || isNamed ? {} : { domain };
  if (terms.length > 0) {
    if (named.domain !== undefined) terms.push(termOf(projectId, 'domain', named.domain));
    conditions.push(`AND ${TERMS} @> :terms::text[]`);
    bindings['terms'] = terms;
  }
  return {
    ...(records === undefined ? {} : { records }),
    ...named,
    conditions: conditions.join(' '),
    bindings: { ...bindings, ...named },
  };
}

type Asked = Omit<FilterQuery, 'key'> & { key?: string | undefined };

/** The links and QR codes that are named, all of the ways together; `undefined`: none are. */
async function recordsOf(
  projectId: string,
  { domain, key, linkId, qrcodeId, externalId, tagId, folderId }: Asked,
): Promise<string[] | undefined> {
  const sets: string[][] = [];
  if (linkId !== undefined) sets.push([await ofLink(projectId, linkId)]);
  if (qrcodeId !== undefined) sets.push([await ofCode(projectId, qrcodeId)]);
  if (externalId !== undefined) {
    const own = externalIdIn(externalId) ?? externalId;
    const record =
      (await linkQueries.findByExternalId(projectId, own)) ??
      (await qrCodeQueries.findByExternalId(projectId, own));
    sets.push([
      await existing(Promise.resolve(record), `link "${externalId}", nor such a QR code`),
    ]);
  }
  if (key !== undefined) {
    if (domain === undefined) {
      throw new Refusal('unprocessable_entity', 'key needs domain: a key alone names no link');
    }
    const name = key.normalize('NFC');
    const record =
      (await linkQueries.findByKey(projectId, domain, name)) ??
      (await qrCodeQueries.findByKey(projectId, domain, name));
    sets.push([await existing(Promise.resolve(record), `link "${key}" on ${domain}`)]);
  }
  if (tagId !== undefined) sets.push(await ofTags(projectId, tagId));
  if (folderId !== undefined) sets.push(await ofFolder(projectId, folderId));
  if (sets.length === 0) return undefined;
  return sets.reduce((left, right) => {
    const others = new Set(right);
    return left.filter((one) => others.has(one));
  });
}

function ofLink(projectId: string, linkId: string): Promise<string> {
  const own = externalIdIn(linkId);
  return existing(
    own === undefined
      ? linkQueries.find(projectId, linkId)
      : linkQueries.findByExternalId(projectId, own),
    `link "${linkId}"`,
  );
}

function ofCode(projectId: string, qrcodeId: string): Promise<string> {
  const own = externalIdIn(qrcodeId);
  return existing(
    own === undefined
      ? qrCodeQueries.find(projectId, qrcodeId)
      : qrCodeQueries.findByExternalId(projectId, own),
    `QR code "${qrcodeId}"`,
  );
}

async function ofTags(projectId: string, tagIds: readonly string[]): Promise<string[]> {
  const { rows: known } = await db().raw<{ rows: { id: string }[] }>(
    'SELECT id FROM tags WHERE project_id = ? AND id = ANY(?)',
    [projectId, tagIds as string[]],
  );
  const unknown = tagIds.find((one) => !known.some(({ id: other }) => other === one));
  if (unknown !== undefined) throw new Refusal('not_found', `There is no tag "${unknown}"`);
  const { rows } = await db().raw<{ rows: { id: string }[] }>(
    `SELECT link_id AS id FROM link_tags WHERE project_id = :projectId AND tag_id = ANY(:tagIds)
      UNION SELECT qrcode_id FROM qrcode_tags WHERE project_id = :projectId AND tag_id = ANY(:tagIds)`,
    { projectId, tagIds: tagIds as string[] },
  );
  return rows.map((row) => row.id);
}

async function ofFolder(projectId: string, folderId: string): Promise<string[]> {
  const folder = db()('folders').where({ project_id: projectId, id: folderId }).first('id');
  await existing(folder as unknown as Promise<{ id: string } | undefined>, `folder "${folderId}"`);
  const { rows } = await db().raw<{ rows: { id: string }[] }>(
    `SELECT id FROM links WHERE project_id = :projectId AND folder_id = :folderId
      UNION ALL SELECT id FROM qrcodes WHERE project_id = :projectId AND folder_id = :folderId`,
    { projectId, folderId },
  );
  return rows.map((row) => row.id);
}

async function existing(found: Promise<{ id: string } | undefined>, what: string): Promise<string> {
  const record = await found;
  if (record === undefined) throw new Refusal('not_found', `There is no ${what}`);
  return record.id;
}

/**
 * Events whose text contains a part. No index finds parts of texts; but all texts that there are, are known, so those that
 * contain the part are looked up first, and an index finds their events.
 */
async function addPart(
  projectId: string,
  column: 'referer' | 'url',
  wanted: string,
  conditions: string[],
  bindings: Record<string, unknown>,
): Promise<void> {
  const pattern = containing(wanted);
  const { rows } = await db().raw<{ rows: { value: string }[] }>(
    `SELECT coalesce(l.value, t.value) AS value FROM event_texts t
       LEFT JOIN long_values l ON l.project_id = t.project_id AND l.id = t.value
      WHERE t.project_id = :projectId AND t.kind = :column AND coalesce(l.value, t.value) ILIKE :pattern
      LIMIT :limit`,
    { projectId, column, pattern, limit: MOST_VALUES + 1 },
  );
  if (rows.length > MOST_VALUES) {
    conditions.push(`AND e.${column} ILIKE :${column}`);
    bindings[column] = pattern;
    return;
  }
  const values = rows.map(({ value }) => (column === 'url' ? md5(value) : value));
  conditions.push(`AND ${TERMS} && :${column}::text[]`);
  bindings[column] = values.map((value) => termOf(projectId, column, value));
}

const md5 = (value: string) => createHash('md5').update(value).digest('hex');
