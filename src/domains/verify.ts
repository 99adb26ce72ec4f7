import { timingSafeEqual } from 'node:crypto';
import { newResolver } from '../infra/names.ts';
import { verificationRecord } from './record.ts';

/** Error codes for a record that does not exist, as opposed to a missing response. */
export const ABSENT: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA']);
const DNS_TIMEOUT_MS = 2_000;

/**
 * Resolves to true if the DNS has the TXT record that verifies a domain for a workspace.
 *
 * @throws Error when no name server answered
 */
export async function hasVerificationRecord(slug: string, token: string): Promise<boolean> {
  const resolver = newResolver(DNS_TIMEOUT_MS);
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
