import type { DisplayPage } from '../lookup/display-page.ts';
import type { LinkEntry } from '../lookup/entry.ts';
import { shortLinkOf } from '../lookup/short-link.ts';
import { shortLinkEntry } from '../short-links/entry.ts';
import type { OnVisit } from './content/content-type.ts';
import { contentOf } from './content-of.ts';
import { fileUrl } from './file-url.ts';
import type { QrCodeRow } from './model.ts';

/** Builds the look-up entry of a QR code. @param domain name of its domain */
export function qrCodeEntry(row: QrCodeRow, domain: string, previous?: LinkEntry): Promise<string> {
  const { type, value } = contentOf(row);
  const visit = type.onVisit(value, { useDisplayPage: row.use_display_page });
  const leads = leadsOf(row, domain, visit);
  const ios = row.ios ?? visit.ios ?? null;
  const android = row.android ?? visit.android ?? null;
  return shortLinkEntry({ ...row, ios, android }, leads, previous);
}

/** The destination of a code, or its page. */
function leadsOf(
  row: QrCodeRow,
  domain: string,
  visit: OnVisit,
): Pick<LinkEntry, 'destination' | 'page'> {
  const stored = row.type === 'file' ? fileUrl(row) : undefined;
  if (stored !== undefined) return { destination: stored };
  if (!('open' in visit)) {
    return { destination: shortLinkOf(domain, row.key), page: withPhoto(visit.page, row) };
  }
  const { open: destination, page } = visit;
  return page === undefined ? { destination } : { destination, page };
}

/** Adds the photo of a contact to its page. */
function withPhoto(page: DisplayPage, { type, design }: QrCodeRow): DisplayPage {
  const picture = design.photoImage;
  return type !== 'vcard' || !picture ? page : { ...page, picture };
}
