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
  const { name, value } = verificationRecord(slug, token);
  return (await textsOf(name)).some((text) => equal(text, value));
}

/**
 * Reads the values of the TXT records of a name; none if it has no such record.
 *
 * @throws Error when no name server answered
 */
export async function textsOf(name: string): Promise<string[]> {
  try {
    const records = await newResolver(DNS_TIMEOUT_MS).resolveTxt(name);
    return records.map((chunks) => chunks.join(''));
  } catch (error) {
    if (ABSENT.has((error as NodeJS.ErrnoException).code ?? '')) return [];
    throw error;
  }
}

/** Compares in a time that does not depend on the texts. */
export function equal(a: string, b: string): boolean {
  const [x, y] = [Buffer.from(a), Buffer.from(b)];
  return x.length === y.length && timingSafeEqual(x, y);
}
