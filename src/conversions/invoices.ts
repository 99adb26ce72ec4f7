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
  data: NewSale,
  answer: SaleResult,
): Promise<SaleResult | undefined> {
  const { sale, eventId } = data;
  const claim = claimOf(data);
  if (claim === null) return undefined;
  const fingerprint = fingerprintOf(sale);
  const inserted = await rows<object>(
    trx,
    `INSERT INTO invoices (project_id, invoice_id, customer_id, fingerprint, answer, event_id)
     VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING invoice_id`,
    [projectId, claim, '', fingerprint, JSON.stringify(answer), eventId],
  );
  if (inserted.length > 0) return undefined;
  const first = (await trx('invoices')
    .where({ project_id: projectId, invoice_id: claim })
    .first('fingerprint', 'answer')) as { fingerprint: string; answer: SaleResult | null };
  if (first.fingerprint !== fingerprint && first.fingerprint !== olderFingerprintOf(sale)) {
    throw new Refusal(
      'conflict',
      `The invoice "${sale.invoiceId}" was already recorded with other contents`,
    );
  }
  // The customer has been erased meanwhile, so the answer may only contain what the caller sent
  // again.
  return first.answer ?? answer;
}

/**
 * Returns the text that identifies the invoice of a sale in its workspace; `null` without one. A
 * visitor who guesses invoices must not claim them before the workspace's software or the page of
 * the customer: sales from pages have claims by customer, apart from all others, whose ids never
 * begin with a space.
 */
export function claimOf({ sale, isFromPage = false }: Pick<NewSale, 'sale' | 'isFromPage'>) {
  const { invoiceId, customerExternalId } = sale;
  if (invoiceId === null || !isFromPage) return invoiceId;
  return ` page ${fingerprintOf({ invoiceId, customerExternalId })}`;
}

const hash = (text: string) => createHash('sha256').update(text).digest('base64url');

/** Computes a fingerprint of the values of a body, ignoring order, defaults and nulls. */
export function fingerprintOf(body: object): string {
  const values = Object.entries(body).filter(([, value]) => value !== null && value !== undefined);
  return `v2:${hash(canonicalJson(Object.fromEntries(values)))}`;
}

/** Computes the original fingerprint of invoices, which depended on the order of members. */
const olderFingerprintOf = (sale: SaleBody): string => hash(JSON.stringify(sale));
