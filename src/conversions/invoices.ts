import { createHash } from 'node:crypto';
import { Refusal } from '../errors.ts';
import { canonicalJson } from '../infra/canonical.ts';
import { type Db, rows } from '../infra/db.ts';
import type { NewSale } from './jobs.ts';
import type { SaleResult } from './record.ts';
import type { SaleBody } from './schema.ts';

/**
 * Claims the invoice of a sale. A second request waits for the commit of the first, and gets its
 * result.
 *
 * @returns the first answer, if there was one
 * @throws Refusal `conflict` for an invoice with other contents
 */
export async function claimInvoice(
  trx: Db,
  projectId: string,
  { sale, eventId }: NewSale,
  answer: SaleResult,
): Promise<SaleResult | undefined> {
  const { invoiceId } = sale;
  if (invoiceId === null) return undefined;
  const fingerprint = fingerprintOf(sale);
  const inserted = await rows<object>(
    trx,
    `INSERT INTO invoices (project_id, invoice_id, customer_id, fingerprint, answer, event_id)
     VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING invoice_id`,
    [projectId, invoiceId, '', fingerprint, JSON.stringify(answer), eventId],
  );
  if (inserted.length > 0) return undefined;
  const first = (await trx('invoices')
    .where({ project_id: projectId, invoice_id: invoiceId })
    .first('fingerprint', 'answer')) as { fingerprint: string; answer: SaleResult | null };
  if (first.fingerprint !== fingerprint && first.fingerprint !== olderFingerprintOf(sale)) {
    throw new Refusal(
      'conflict',
      `The invoice "${invoiceId}" was already recorded with other contents`,
    );
  }
  // The customer has been erased meanwhile, so the answer may only contain what the caller sent
  // again.
  return first.answer ?? answer;
}

const hash = (text: string) => createHash('sha256').update(text).digest('base64url');

/** Computes a fingerprint of the values of a body, ignoring order, defaults and nulls. */
export function fingerprintOf(body: object): string {
  const values = Object.entries(body).filter(([, value]) => value !== null && value !== undefined);
  return `v2:${hash(canonicalJson(Object.fromEntries(values)))}`;
}

/** Computes the original fingerprint of invoices, which depended on the order of members. */
const olderFingerprintOf = (sale: SaleBody): string => hash(JSON.stringify(sale));
