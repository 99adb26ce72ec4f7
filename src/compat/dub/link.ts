import { type Ask, type Fields, ifReadable, type LinkRecord } from '../peer.ts';
import { keyOfLength } from '../random-key.ts';

/** Fields that Dub's link and ours have in common. */
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

/** Fields of Dub's link that nothing here is like. */
const ABSENT = {
  tenantId: null,
  programId: null,
  partnerId: null,
  disabledAt: null,
  conversions: 0,
} as const;

/** Fields of Dub's bodies that can only say nothing. */
const NOTHING = [...Object.keys(ABSENT), 'ref', 'testStartedAt'] as readonly string[];

/** Color of tags where the key may not read them. */
const NO_COLOR = 'gray';
/** Most ids in one query. */
const CHUNK = 100;

/** Colors of tags by their ids: those of links have none here. */
export type Colors = ReadonlyMap<string, string>;

/** Reads the colors of the tags that links have. */
export async function colorsOf(ask: Ask, links: readonly LinkRecord[]): Promise<Colors> {
  const ids = [...new Set(links.flatMap(({ tags }) => tags.map(({ id }) => id)))];
  const colors = new Map<string, string>();
  for (let at = 0; at < ids.length; at += CHUNK) {
    const query = { ids: ids.slice(at, at + CHUNK), pageSize: String(CHUNK) };
    const tags = await ifReadable(ask<{ id: string; color: string }[]>('listTags', { query }));
    for (const { id, color } of tags?.body ?? []) colors.set(id, color);
  }
  return colors;
}

/** A link as Dub answers it. */
export function toDubLink(link: LinkRecord, colors: Colors): Fields {
  return {
    ...Object.fromEntries(COMMON.map((name) => [name, link[name]])),
    ...ABSENT,
    tags: link.tags.map(({ id, name }) => ({ id, name, color: colors.get(id) ?? NO_COLOR })),
    webhookIds: link['webhookIds'] ?? [],
    workspaceId: link.projectId,
  };
}

/** Links as Dub answers them. */
export async function toDubLinks(ask: Ask, links: readonly LinkRecord[]): Promise<Fields[]> {
  const colors = await colorsOf(ask, links);
  return links.map((link) => toDubLink(link, colors));
}

/** A change of a link as our endpoints take it. What Dub alone has is refused there, unless it says nothing. */
export function fromDubChange(body: Fields): Fields {
  const own = Object.entries(body).filter(
    ([name, value]) => !(NOTHING.includes(name) && (value === null || value === undefined)),
  );
  return Object.fromEntries(own);
}

/** A new link as our endpoints take it. @throws Refusal for a `keyLength` that no key has */
export function fromDubLink(body: Fields): Fields {
  const { keyLength, ...link } = fromDubChange(body);
  if (keyLength === undefined || typeof link['key'] === 'string') return link;
  const { prefix, ...rest } = link;
  const key = keyOfLength(keyLength, 'keyLength');
  if (typeof prefix !== 'string') return { ...rest, key };
  return { ...rest, key: `${prefix.replace(/^\//, '').replace(/\/$/, '')}/${key}` };
}
