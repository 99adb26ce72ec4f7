import { externalIdIn } from '../infra/fields.ts';
import { RecordQueries } from '../records/queries.ts';
import { payloadOf } from './content-of.ts';
import type { StoredDesign } from './design.ts';
import { QR_CODE_FILTERS } from './filters.ts';
import { QR_CODES } from './kind.ts';
import { QrCode, type QrCodeRow } from './model.ts';

/** Reads of QR codes. */
export const qrCodeQueries = new RecordQueries(QR_CODES, QR_CODE_FILTERS);

/** What the picture of a code depends on: how it looks, and the text that it holds. */
export interface DrawnRow {
  design: StoredDesign;
  payload: string;
}

/** A code as its picture needs it, by its id or the caller's own id. */
export async function findQrCodeRow(projectId: string, ref: string): Promise<DrawnRow | undefined> {
  const externalId = externalIdIn(ref);
  const row = (await QrCode.of(projectId)
    .join('domains as d', 'd.id', 'qrcodes.domain_id')
    .where(externalId === undefined ? { 'qrcodes.id': ref } : { 'qrcodes.external_id': externalId })
    .select('qrcodes.*', 'd.slug as domain')
    .first()) as unknown as (QrCodeRow & { domain: string }) | undefined;
  if (row === undefined) return undefined;
  return { design: row.design, payload: payloadOf(row, row.domain) };
}
