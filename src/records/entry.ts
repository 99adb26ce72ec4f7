import { hash } from '@node-rs/argon2';
import { unseal } from '../infra/secrets.ts';
import type { LinkEntry } from '../lookup/entry.ts';
import type { RoutedRow } from './model.ts';

/** OWASP's second recommendation for Argon2id: 19 MiB, two passes. */
const ARGON2 = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/**
 * What the redirect process needs to know of a link and of a QR code alike.
 *
 * @param known an entry of the same record whose password has not changed: its hash is used again
 */
export async function routedEntry(
  row: RoutedRow,
  known?: LinkEntry,
): Promise<Omit<LinkEntry, 'destination'>> {
  const entry: Omit<LinkEntry, 'destination'> = { id: row.id, projectId: row.project_id };
  if (row.expires_at !== null) entry.expiresAt = row.expires_at.getTime();
  if (row.expired_url !== null) entry.expiredUrl = row.expired_url;
  if (row.password !== null) {
    entry.passwordHash = known?.passwordHash ?? (await hash(unseal(row.password), ARGON2));
  }
  return entry;
}
