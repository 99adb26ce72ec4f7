import { normalize } from '../infra/normalize.ts';
import { unseal } from '../infra/seal.ts';
import { encodeLink } from '../lookup/codec.ts';
import type { LinkCard, LinkEntry } from '../lookup/entry.ts';
import { framingKey, withMissingUtm } from './destination.ts';
import { isWildcard } from './key.ts';
import type { ShortLinkRow } from './model.ts';
import { ruleEntry } from './routing-rules.ts';

/** Second configuration that OWASP recommends for Argon2id: 19 MiB, two passes. */
const ARGON2 = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/**
 * Builds the look-up entry of a link or QR code, as text.
 *
 * @param leads the destination, or the page to show at the short link itself
 * @param previous an entry of the same record with the same password, whose hash is reused
 */
export async function shortLinkEntry(
  row: ShortLinkRow & { video?: string | null },
  leads: Pick<LinkEntry, 'destination' | 'page'>,
  previous?: LinkEntry,
): Promise<string> {
  const entry: LinkEntry = { id: row.id, projectId: row.project_id, ...leads };
  if (row.starts_at !== null) entry.startsAt = row.starts_at.getTime();
  if (row.expires_at !== null) entry.expiresAt = row.expires_at.getTime();
  if (row.expired_url !== null) entry.expiredUrl = row.expired_url;
  if (row.max_visits !== null) entry.maxVisits = row.max_visits;
  if (row.password !== null) {
    entry.passwordHash = previous?.passwordHash ?? (await hashOf(row.project_id, row.password));
  }
  const card = cardOf(row);
  if (row.proxy && card !== undefined) entry.card = card;
  const before = beforeOf(row);
  if (row.pre_redirection && before !== undefined) {
    entry.before = before;
    if (row.is_form_mandatory) entry.isFormMandatory = true;
  }
  target(entry, row);
  if (row.redirect_status !== 302) entry.status = row.redirect_status;
  if (!row.forward_query) entry.dropsQuery = true;
  if (row.query_conflict !== null) entry.queryConflict = row.query_conflict;
  // Pages of this service have no paths below them, except a product, which stands for its batches.
  const hasPaths = row.flexible || isWildcard(row.key);
  if (entry.page === undefined ? hasPaths : entry.page.resolver !== undefined) {
    entry.forwardsPath = true;
  }
  if (row.track_conversion) entry.tracksConversion = true;
  if (!row.track_events) entry.countsOnly = true;
  if (row.do_index) entry.isIndexed = true;
  if (row.public_stats) entry.hasPublicStats = true;
  return encodeLink(entry);
}

async function hashOf(projectId: string, sealed: string): Promise<string> {
  const { hash } = await import('@node-rs/argon2');
  const password = unseal({ purpose: 'password', owner: projectId }, sealed);
  return hash(normalize(password, 'NFC'), ARGON2);
}

/** Adds the destinations for certain visitors, and the destinations that are shown in a frame. */
function target(entry: LinkEntry, row: ShortLinkRow): void {
  const tagged = (url: string) => withMissingUtm(url, row);
  if (row.rules !== null && row.rules.length > 0) {
    entry.rules = row.rules.map((rule) => ruleEntry(rule, tagged(rule.url)));
  }
  if (row.ios !== null) entry.ios = tagged(row.ios);
  if (row.android !== null) entry.android = tagged(row.android);
  if (row.geo !== null && Object.keys(row.geo).length > 0) {
    entry.geo = Object.fromEntries(
      Object.entries(row.geo).map(([country, url]) => [country, tagged(url)]),
    );
  }
  if (row.test_variants !== null && row.test_winner === null) {
    const variants = row.test_variants.map((variant) => ({ ...variant, url: tagged(variant.url) }));
    const until = row.test_completed_at?.getTime();
    entry.split = until === undefined ? { variants } : { variants, until };
  }
  if (!row.rewrite) return;
  const allowed = new Set(row.frameable);
  const all = [
    ...(entry.page === undefined ? [entry.destination] : []),
    ...(entry.rules ?? []).map(({ url }) => url),
    ...[entry.ios, entry.android].filter((url) => url !== undefined),
    ...Object.values(entry.geo ?? {}),
    ...(entry.split?.variants ?? []).map(({ url }) => url),
  ];
  const framed = all.filter((url) => allowed.has(framingKey(url)));
  if (framed.length === 0) return;
  entry.framed = [...new Set(framed)];
  if (row.title !== null) entry.title = row.title;
}

function cardOf(row: ShortLinkRow & { video?: string | null }): LinkCard | undefined {
  const { title, description, image, video = null } = row;
  const card = Object.fromEntries(
    Object.entries({ title, description, image, video }).filter(([, value]) => value !== null),
  );
  return Object.keys(card).length === 0 ? undefined : card;
}

function beforeOf({ page_id, page_url }: ShortLinkRow): LinkEntry['before'] {
  if (page_id !== null) return { pageId: page_id };
  return page_url === null ? undefined : { url: page_url };
}
