import type { LinkFilters } from '../links/filters.ts';
import { linkQueries } from '../links/queries.ts';
import type { QrCodeFilters } from '../qrcodes/filters.ts';
import { qrCodeQueries } from '../qrcodes/queries.ts';
import { hidePasswords, VISITS as SCANS } from '../qrcodes/record.ts';
import { fields } from '../short-links/fields.ts';
import { csvColumns } from '../short-links/record.ts';
import { type ExportFormat, formatted, type Parts } from './format.ts';
import { mapped, pages } from './pages.ts';

/** Names of the shared columns and of a kind's own ones, which have positions among them. */
const columnsWith = (own: Readonly<Record<string, number>>): string[] =>
  Object.entries({ ...csvColumns(fields), ...own })
    .toSorted(([, a], [, b]) => a - b)
    .map(([name]) => name);

const LINK_COLUMNS = columnsWith({ shortLink: 4, url: 5, clicks: 27, importedClicks: 34 });
const QR_CODE_COLUMNS = columnsWith({ type: 3.5, static: 4, url: 5, [SCANS]: 27 });

const toRow = <Item extends { tags: readonly { name: string }[] }>(record: Item) => ({
  ...record,
  tags: record.tags.map(({ name }) => name).join(', '),
});

/**
 * Exports links, in order of creation.
 *
 * @param selection filters, or ids of which some may not exist
 */
export const exportLinks = (
  projectId: string,
  selection: LinkFilters | readonly string[],
  format: ExportFormat,
): Parts => {
  const links = pages(projectId, (page) => linkQueries.listAfter(projectId, selection, page));
  const shown = mapped(links, (link) => ({ ...link, password: null }));
  return formatted(shown, format, LINK_COLUMNS, toRow);
};

/** Exports QR codes as {@link exportLinks} does. */
export const exportQrCodes = (
  projectId: string,
  selection: QrCodeFilters | readonly string[],
  format: ExportFormat,
): Parts => {
  const codes = pages(projectId, (page) => qrCodeQueries.listAfter(projectId, selection, page));
  return formatted(mapped(codes, hidePasswords), format, QR_CODE_COLUMNS, toRow);
};
