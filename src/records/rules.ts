import { Refusal } from '../errors.ts';
import { fingerprint, unseal } from '../infra/secrets.ts';
import type { TagReference } from '../tags/record.ts';
import type { RoutedChanges, TagChoice } from './fields.ts';
import type { RoutedRow } from './model.ts';
import type { References, UsableDomain } from './references.ts';

/*
 * The rules of links and QR codes that need the database: what their fields refer to must be the workspace's.
 * Run inside the transaction that writes, so that nothing can change in between.
 */

/** What the fields of an input lead to once they are resolved. */
export interface Resolved {
  /** Absent: none was named. */
  domain?: UsableDomain;
  /** Absent: none were named. */
  tags?: TagReference[];
}

/**
 * Resolves what an input refers to.
 *
 * @throws Refusal `forbidden` for a domain of somebody else, `unprocessable_entity` naming everything unknown
 */
export function resolve(input: RoutedChanges, references: References): Resolved {
  const resolved: Resolved = {};
  if (input.domain !== undefined) {
    const domain = references.domain(input.domain);
    if (domain === undefined) {
      throw new Refusal(
        'forbidden',
        `The domain "${input.domain}" is not one of this workspace's domains`,
      );
    }
    resolved.domain = domain;
  }
  const faults: string[] = [];
  if (input.tags !== undefined) resolved.tags = resolveTags(input.tags, references, faults);
  if (typeof input.folderId === 'string' && !references.has('folder', input.folderId)) {
    faults.push(`folderId: there is no folder "${input.folderId}"`);
  }
  for (const webhookId of input.webhookIds ?? []) {
    if (!references.has('webhook', webhookId))
      faults.push(`webhookIds: there is no webhook "${webhookId}"`);
  }
  if (typeof input.pageId === 'string' && !references.has('page', input.pageId)) {
    faults.push(`pageId: there is no page "${input.pageId}"`);
  }
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

/** What a new row is told about itself. */
export type NewRow = Pick<RoutedRow, 'project_id' | 'id' | 'user_id' | 'domain_id' | 'key'>;

/** The common columns of a new row before its caller's fields are applied. */
export function blankRow(ids: NewRow, now: Date): RoutedRow {
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
    starts_at: null,
    max_visits: null,
    redirect_status: 302,
    forward_query: true,
    rules: null,
    frameable: null,
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
  maxVisits: 'max_visits',
  redirectStatus: 'redirect_status',
  forwardQuery: 'forward_query',
  rules: 'rules',
  frameable: 'frameable',
} as const satisfies Partial<Record<keyof RoutedChanges, keyof RoutedRow>>;

/**
 * The row as it is after the changes to its common fields. Absent fields stay, `null` clears.
 *
 * @throws Refusal `unprocessable_entity` when it would end before it begins
 */
export function applyRouted<Row extends RoutedRow>(row: Row, changes: RoutedChanges): Row {
  const next: Row = { ...row };
  const columns = next as unknown as Record<string, unknown>;
  for (const [field, column] of Object.entries(COLUMNS)) {
    const value = changes[field as keyof typeof COLUMNS];
    if (value !== undefined) columns[column] = value;
  }
  if (changes.expiresAt !== undefined) {
    next.expires_at = changes.expiresAt === null ? null : new Date(changes.expiresAt);
  }
  if (changes.startsAt !== undefined) {
    next.starts_at = changes.startsAt === null ? null : new Date(changes.startsAt);
  }
  if (next.starts_at !== null && next.expires_at !== null && next.starts_at >= next.expires_at) {
    throw new Refusal('unprocessable_entity', 'startsAt must be before expiresAt');
  }
  if (changes.password !== undefined) {
    next.password = changes.password;
    next.password_fingerprint =
      changes.password === null ? null : fingerprint(unseal(changes.password));
  }
  return next;
}

export const taken = (what: string, value: string, where: string): Refusal =>
  new Refusal('conflict', `The ${what} "${value}" is taken ${where}`);
