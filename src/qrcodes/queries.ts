import { externalIdIn } from '../http/fields.ts';
import { ShortLinkQueries } from '../short-links/queries.ts';
import { payloadOf } from './content-of.ts';
import { QR_CODE_FILTERS, type QrCodeFilters } from './filters.ts';
import { QR_CODE_TABLES, QrCode, type QrCodeRow } from './model.ts';
import { drawsPassword, hidePasswords, type SealedQrCode, toSealedQrCode } from './record.ts';
import type { StoredDesign } from './render/stored-design.ts';

/** Reads of QR codes. */
export const qrCodeQueries = new ShortLinkQueries<QrCode, SealedQrCode, QrCodeFilters>({
  tables: QR_CODE_TABLES,
  rows: (projectId, connection) => QrCode.of(projectId, connection),
  filters: QR_CODE_FILTERS,
  toRecord: toSealedQrCode,
  hide: hidePasswords,
});

/** The parts of a code that its image needs: its design and its text. */
export interface DrawnRow {
  domain: string;
  key: string;
  title: string | null;
  design: StoredDesign;
  payload: string;
  isStatic: boolean;
  /** The image contains the password of a wireless network. */
  drawsPassword: boolean;
}

type Drawn = QrCodeRow & { domain: string };

const withDomain = (projectId: string) =>
  QrCode.of(projectId)
    .join('domains as d', 'd.id', 'qrcodes.domain_id')
    .select('qrcodes.*', 'd.slug as domain');

const toDrawnRow = (row: Drawn): DrawnRow => ({
  domain: row.domain,
  key: row.key,
  title: row.title,
  design: row.design,
  payload: payloadOf(row, row.domain),
  isStatic: row.static,
  drawsPassword: drawsPassword(row),
});

/** Reads the parts of a code that its image needs, by its id or the caller's own id. */
export async function findQrCodeRow(projectId: string, ref: string): Promise<DrawnRow | undefined> {
  const externalId = externalIdIn(ref);
  const row = await withDomain(projectId)
    .where(externalId === undefined ? { 'qrcodes.id': ref } : { 'qrcodes.external_id': externalId })
    .first()
    .castTo<Drawn | undefined>();
  return row === undefined ? undefined : toDrawnRow(row);
}

/** A code as which others may have a design: its content, and its folder. */
export interface PlacedUrl {
  url: string;
  folderId: string | null;
}

/**
 * Reads the designs of static codes by the URLs that they contain; that of the newest code if there
 * are several. Only a code in the folder of the URL counts, so that nobody designs what is in folders
 * that they cannot see.
 *
 * @returns a function from a URL and its folder to the design
 */
export async function findDesigns(
  projectId: string,
  urls: readonly PlacedUrl[],
): Promise<(placed: PlacedUrl) => StoredDesign | undefined> {
  const rows = await QrCode.of(projectId)
    .where({ static: true, archived: false })
    .whereRaw('md5(url) = ANY(ARRAY(SELECT md5(one) FROM unnest(?::text[]) AS one))', [
      urls.map(({ url }) => url),
    ])
    .orderBy(['created_at', 'id'])
    .select('url', 'folder_id', 'design');
  const nameOf = ({ url, folderId }: PlacedUrl) => `${folderId ?? ''} ${url}`;
  const designs = new Map(
    rows.map(({ url, folder_id: folderId, design }) => [nameOf({ url: url!, folderId }), design]),
  );
  return (placed) => designs.get(nameOf(placed));
}

/** Reads the parts of codes that their images need, by id. */
export async function findQrCodeRows(
  projectId: string,
  ids: readonly string[],
): Promise<Map<string, DrawnRow>> {
  const rows = await withDomain(projectId).whereIn('qrcodes.id', ids).castTo<Drawn[]>();
  return new Map(rows.map((row) => [row.id, toDrawnRow(row)]));
}
