import type { LinkEntry } from '../lookup/entry.ts';
import { shortLinkOf } from '../lookup/short-link.ts';
import { shortLinkEntry } from '../short-links/entry.ts';
import { contentOf } from './content-of.ts';
import type { QrCodeRow } from './model.ts';

/** Look-up entry of a QR code, on the domain of this name. */
export function qrCodeEntry(row: QrCodeRow, domain: string, known?: LinkEntry): Promise<string> {
  const { type, value } = contentOf(row);
  const visit = type.onVisit(value, { useDisplayPage: row.use_display_page });
  const leads =
    'open' in visit
      ? { destination: visit.open }
      : { destination: shortLinkOf(domain, row.key), page: visit.page };
  return shortLinkEntry(row, leads, known);
}
