import { Refusal } from '../errors.ts';
import { fingerprint, unseal } from '../infra/secrets.ts';
import type { TagReference } from '../tags/record.ts';
import { readUtm, writeUtm } from './destination.ts';
import type { LinkRow } from './model.ts';
import type { References, UsableDomain } from './references.ts';
import type { LinkChanges, TagChoice } from './schema.ts';

/*
 * The rules of a link that need the database: what its fields refer to must be the workspace's. Run inside
 * the transaction that writes, so that nothing can change in between.
 */

/** What a link's fields lead to once they are resolved. */
export interface Resolved {
  /** Absent: none was named. */
  domain?: UsableDomain;
  /** Absent: none were named. */
  tags?: TagReference[];
}

/**
 * Resolves what a link refers to.
 *
 * @throws Refusal `forbidden` for a domain of somebody else, `unprocessable_entity` naming everything unknown
 */
export function resolve(link: LinkChanges, references: References): Resolved {
  const resolved: Resolved = {};
  if (link.domain !== undefined) {
    const domain = references.domain(link.domain);
    if (domain === undefined) {
      throw new Refusal(
        'forbidden',
        `The domain "${link.domain}" is not one of this workspace's domains`,
      );
    }
    resolved.domain = domain;
  }
  const faults: string[] = [];
  if (link.tags !== undefined) resolved.tags = resolveTags(link.tags, references, faults);
  if (typeof link.folderId === 'string' && !references.has('folder', link.folderId)) {
    faults.push(`folderId: there is no folder "${link.folderId}"`);
  }
  for (const webhookId of link.webhookIds ?? []) {
    if (!references.has('webhook', webhookId))
      faults.push(`webhookIds: there is no webhook "${webhookId}"`);
  }
  if (typeof link.pageId === 'string') faults.push(`pageId: there is no page "${link.pageId}"`);
  if (faults.length > 0) throw new Refusal('unprocessable_entity', faults.join('; '));
  return resolved;
}

function resolveTags(
  { ids, names }: TagChoice,
  references: References,
  faults: string[],
): TagReference[] {
  const tags = new Map<string, TagReference>();
  for (const id of ids) {
    const tag = references.tagById(id);
    if (tag === undefined) faults.push(`tagIds: there is no tag "${id}"`);
    else tags.set(tag.id, tag);
  }
  for (const name of names) {
    const tag = references.tagByName(name);
    if (tag === undefined) faults.push(`tagNames: there is no tag "${name}"`);
    else tags.set(tag.id, tag);
  }
  return [...tags.values()];
}

/**
 * A link must not lead to itself.
 *
 * @throws Refusal `unprocessable_entity`
 */
export function refuseLoop(destination: string, domain: string, key: string): void {
  if (!/^https?:/i.test(destination)) return;
  const { hostname, pathname } = new URL(destination);
  if (hostname !== domain) return;
  let path = pathname.slice(1);
  try {
    path = decodeURIComponent(path).normalize('NFC');
  } catch {
    // A path that can't be decoded is no key.
  }
  if (path.replace(/\/$/, '') === key) {
    throw new Refusal('unprocessable_entity', 'url must not be the short link itself');
  }
}

/** The columns of a new link before its caller's fields are applied. */
export function blankRow(
  ids: Pick<LinkRow, 'project_id' | 'id' | 'user_id' | 'domain_id' | 'key' | 'url'>,
  now: Date,
): LinkRow {
  return {
    ...ids,
    external_id: null,
    archived: false,
    expires_at: null,
    expired_url: null,
    password: null,
    password_fingerprint: null,
    track_conversion: false,
    flexible: false,
    filled: false,
    do_index: false,
    public_stats: false,
    proxy: false,
    rewrite: false,
    title: null,
    description: null,
    image: null,
    video: null,
    ios: null,
    android: null,
    geo: null,
    folder_id: null,
    webhook_ids: null,
    comments: null,
    notification_token: null,
    utm_source: null,
    utm_medium: null,
    utm_campaign: null,
    utm_term: null,
    utm_content: null,
    pre_redirection: false,
    is_form_mandatory: false,
    page_id: null,
    page_url: null,
    created_at: now,
    updated_at: now,
  };
}

/** Where each field that is stored as sent has its column. */
const COLUMNS = {
  externalId: 'external_id',
  archived: 'archived',
  expiredUrl: 'expired_url',
  trackConversion: 'track_conversion',
  flexible: 'flexible',
  doIndex: 'do_index',
  publicStats: 'public_stats',
  proxy: 'proxy',
  rewrite: 'rewrite',
  title: 'title',
  description: 'description',
  image: 'image',
  video: 'video',
  ios: 'ios',
  android: 'android',
  geo: 'geo',
  folderId: 'folder_id',
  webhookIds: 'webhook_ids',
  comments: 'comments',
  notificationToken: 'notification_token',
  preRedirection: 'pre_redirection',
  isFormMandatory: 'is_form_mandatory',
  pageId: 'page_id',
  pageUrl: 'page_url',
} as const satisfies Partial<Record<keyof LinkChanges, keyof LinkRow>>;

/** The row as it is after the changes. Absent fields stay, `null` clears. */
export function applyChanges(row: LinkRow, changes: LinkChanges): LinkRow {
  const next: LinkRow = { ...row };
  const columns = next as unknown as Record<string, unknown>;
  for (const [field, column] of Object.entries(COLUMNS)) {
    const value = changes[field as keyof typeof COLUMNS];
    if (value !== undefined) columns[column] = value;
  }
  if (changes.expiresAt !== undefined) {
    next.expires_at = changes.expiresAt === null ? null : new Date(changes.expiresAt);
  }
  if (changes.password !== undefined) {
    next.password = changes.password;
    next.password_fingerprint =
      changes.password === null ? null : fingerprint(unseal(changes.password));
  }
  next.url = writeUtm(changes.url ?? row.url, changes);
  Object.assign(next, readUtm(next.url));
  return next;
}

/** @throws Refusal `conflict` when the destination changes although the link was made not to */
export function refuseFixedDestination(before: LinkRow, after: LinkRow): void {
  if (after.url === before.url || after.flexible) return;
  throw new Refusal(
    'conflict',
    'url cannot be changed: the link is not flexible. Set flexible to true to change its destination',
  );
}

export const taken = (what: string, value: string, where: string): Refusal =>
  new Refusal('conflict', `The ${what} "${value}" is taken ${where}`);
