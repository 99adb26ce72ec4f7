import { timingSafeEqual } from 'node:crypto';
import { Resolver } from 'node:dns/promises';
import { config } from '../config.ts';
import { verificationRecord } from './record.ts';

/** Answers that say "there is no such record", as against "nobody answered". */
const ABSENT = new Set(['ENOTFOUND', 'ENODATA']);
const DNS_TIMEOUT_MS = 3_000;

/**
 * Whether the DNS has the TXT record that lets a workspace use a domain.
 *
 * @throws Error when no name server gave an answer
 */
export async function hasVerificationRecord(slug: string, token: string): Promise<boolean> {
  const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: 2 });
  if (config().DNS_SERVERS.length > 0) resolver.setServers(config().DNS_SERVERS);
  const { name, value } = verificationRecord(slug, token);
  try {
    const records = await resolver.resolveTxt(name);
    return records.some((chunks) => equal(chunks.join(''), value));
  } catch (error) {
    if (ABSENT.has((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

function equal(a: string, b: string): boolean {
  const [x, y] = [Buffer.from(a), Buffer.from(b)];
  return x.length === y.length && timingSafeEqual(x, y);
}
