import type { LinkEntry } from '../lookup/entry.ts';
import { shortLinkOf } from '../lookup/short-link.ts';
import { shortLinkEntry } from '../short-links/entry.ts';
import { contentOf } from './content-of.ts';
import type { QrCodeRow } from './model.ts';

/** Builds the look-up entry of a QR code. @param domain name of its domain */
export function qrCodeEntry(row: QrCodeRow, domain: string, previous?: LinkEntry): Promise<string> {
  const { type, value } = contentOf(row);
  const visit = type.onVisit(value, { useDisplayPage: row.use_display_page });
  const leads =
    'open' in visit
      ? { destination: visit.open }
      : { destination: shortLinkOf(domain, row.key), page: visit.page };
  const ios = row.ios ?? visit.ios ?? null;
  const android = row.android ?? visit.android ?? null;
  return shortLinkEntry({ ...row, ios, android }, leads, previous);
}
