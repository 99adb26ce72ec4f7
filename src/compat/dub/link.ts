import { UTM_FIELDS } from '../../events/utm.ts';
import { type Call, definedFields, type Fields, ifReadable, type LinkRecord } from '../peer.ts';
import { keyOfLength } from '../random-key.ts';
import { DUB_UTM_FIELDS, refuseLongUtm, withRef } from './utm.ts';

/** Fields that Dub's links share with links of this API. */
const COMMON = [
  'id',
  'domain',
  'key',
  'url',
  'trackConversion',
  'externalId',
  'archived',
  'expiresAt',
  'expiredUrl',
  'password',
  'proxy',
  'title',
  'description',
  'image',
  'video',
  'rewrite',
  'doIndex',
  'ios',
  'android',
  'geo',
  'publicStats',
  'folderId',
  'comments',
  'shortLink',
  'qrCode',
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'utm_term',
  'utm_content',
  'testVariants',
  'testStartedAt',
  'testCompletedAt',
  'userId',
  'clicks',
  'leads',
  'sales',
  'saleAmount',
  'lastClicked',
  'createdAt',
  'updatedAt',
  'tagId',
  'projectId',
] as const;

/** Fields of Dub's links without a counterpart here. */
const ABSENT = {
  tenantId: null,
  programId: null,
  partnerId: null,
  disabledAt: null,
  identifier: null,
  linkRetentionCleanupDisabledAt: null,
  conversions: 0,
} as const;

/** Fields of Dub's bodies that may only have an empty value. */
const NOTHING = [...Object.keys(ABSENT), 'testStartedAt'] as readonly string[];

/** Color of tags if the key may not read them. */
const NO_COLOR = 'gray';
/** Maximum number of ids in one query. */
const MAX_IDS = 100;

/** Colors of tags by id, because the tags of links have no color in this API. */
export type Colors = ReadonlyMap<string, string>;

/** Reads the colors of the tags that links have. */
export async function colorsOf(call: Call, links: readonly LinkRecord[]): Promise<Colors> {
  const ids = [...new Set(links.flatMap(({ tags }) => tags.map(({ id }) => id)))];
  const colors = new Map<string, string>();
  for (let at = 0; at < ids.length; at += MAX_IDS) {
    const query = { ids: ids.slice(at, at + MAX_IDS), pageSize: String(MAX_IDS) };
    const tags = await ifReadable(call<{ id: string; color: string }[]>('listTags', { query }));
    for (const { id, color } of tags?.body ?? []) colors.set(id, color);
  }
  return colors;
}

/** Converts a link to Dub's format. */
export function toDubLink(link: LinkRecord, colors: Colors): Fields {
  return {
    ...Object.fromEntries(COMMON.map((name) => [name, link[name]])),
    ...ABSENT,
    tags: link.tags.map(({ id, name }) => ({ id, name, color: colors.get(id) ?? NO_COLOR })),
    webhookIds: link['webhookIds'] ?? [],
    workspaceId: link.projectId,
  };
}

/** Converts links to Dub's format. */
export async function toDubLinks(call: Call, links: readonly LinkRecord[]): Promise<Fields[]> {
  const colors = await colorsOf(call, links);
  return links.map((link) => toDubLink(link, colors));
}

/**
 * Converts a change of a link for this API. Leaves out fields that only Dub has if they are empty;
 * this API refuses others. An empty UTM parameter clears it; `ref` becomes a part of the URL.
 *
 * @throws Refusal `unprocessable_entity` for UTM parameters that are too long for Dub
 */
export function fromDubChange(body: Fields): Fields {
  refuseLongUtm(body);
  const { ref, ...fields } = Object.fromEntries(
    Object.entries(body).filter(
      ([name, value]) => !(NOTHING.includes(name) && (value === null || value === undefined)),
    ),
  );
  const { url } = fields;
  const change = emptyUtmAsNull(fields);
  if (ref === undefined) return change;
  return typeof url === 'string' ? { ...change, url: withRef(url, ref) } : { ...change, ref };
}

/** Writes `ref` into the present destination of a link, for a change without one. */
export function withRefInPlace({ ref, ...change }: Fields, { url }: LinkRecord): Fields {
  return ref === undefined ? change : { ...change, url: withRef(url, ref) };
}

/** Replaces empty UTM parameters by `null`. */
export const emptyUtmAsNull = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      value === '' && isUtm(name) ? null : value,
    ]),
  );

const isUtm = (name: string) => DUB_UTM_FIELDS.includes(name);

/** True for a change of UTM parameters of a destination that has none of its own. */
export const changesUtm = (change: Fields): boolean =>
  Object.keys(change).some(isUtm) && !/[?&]utm_/.test(String(change['url']));

/**
 * Adds the other UTM parameters of a link to a change, because this API writes those that a change
 * names in a fixed order, in which Dub has all. A bare origin gets its slash.
 */
export function withAllUtm(change: Fields, link: LinkRecord): Fields {
  const { url } = change;
  const isOrigin = typeof url === 'string' && /^https?:\/\/[^/?#]+$/i.test(url);
  return {
    ...definedFields(Object.fromEntries(UTM_FIELDS.map((name) => [name, link[name]]))),
    ...change,
    ...(isOrigin ? { url: `${url}/` } : {}),
  };
}

/**
 * Converts a new link for this API.
 *
 * @throws Refusal for a `keyLength` that no key can have
 */
export function fromDubLink(body: Fields): Fields {
  const { keyLength, ...link } = fromDubChange(body);
  if (keyLength === undefined || typeof link['key'] === 'string') return link;
  const { prefix, ...rest } = link;
  const key = keyOfLength(keyLength, 'keyLength');
  if (typeof prefix !== 'string') return { ...rest, key };
  return { ...rest, key: `${prefix.replace(/^\//, '').replace(/\/$/, '')}/${key}` };
}
