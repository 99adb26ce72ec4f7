import { hash } from '@node-rs/argon2';
import { unseal } from '../infra/secrets.ts';
import { encodeLink, type LinkEntry } from '../lookup/entry.ts';
import type { LinkRow } from './model.ts';

/** OWASP's second recommendation for Argon2id: 19 MiB, two passes. */
const ARGON2 = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/**
 * What the redirect process needs to know of a link.
 *
 * @param known an entry of the same link whose password has not changed: its hash is used again
 */
export async function linkEntry(row: LinkRow, known?: LinkEntry): Promise<string> {
  const entry: LinkEntry = { id: row.id, projectId: row.project_id, destination: row.url };
  if (row.expires_at !== null) entry.expiresAt = row.expires_at.getTime();
  if (row.expired_url !== null) entry.expiredUrl = row.expired_url;
  if (row.password !== null) {
    entry.passwordHash = known?.passwordHash ?? (await hash(unseal(row.password), ARGON2));
  }
  return encodeLink(entry);
}
