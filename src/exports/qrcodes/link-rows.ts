import { db, rows } from '../../infra/db.ts';
import { scanLinkOf, shortLinkOf } from '../../lookup/short-link.ts';
import { type DrawnRow, findDesigns } from '../../qrcodes/queries.ts';

/**
 * Reads the parts of the codes of links that their images need, by the id of the link. A code that
 * was designed for a link, in its folder, has its design; others are plain, like the images of
 * `qrCode`.
 */
export async function findLinkRows(
  projectId: string,
  ids: readonly string[],
): Promise<Map<string, DrawnRow>> {
  if (ids.length === 0) return new Map();
  const links = await rows<
    Pick<DrawnRow, 'domain' | 'key' | 'title'> & { id: string; folderId: string | null }
  >(
    db(),
    `SELECT l.id, l.key, l.title, l.folder_id AS "folderId", d.slug AS domain FROM links l JOIN domains d ON d.id = l.domain_id
      WHERE l.project_id = ? AND l.id = ANY(?)`,
    [projectId, ids],
  );
  const codes = links.map(({ folderId, ...link }) => ({
    ...link,
    placed: { url: scanLinkOf(shortLinkOf(link.domain, link.key)), folderId },
  }));
  const designOf = await findDesigns(
    projectId,
    codes.map(({ placed }) => placed),
  );
  return new Map(
    codes.map(({ id, placed, ...link }) => {
      const row = { ...link, design: designOf(placed) ?? {}, payload: placed.url };
      return [id, { ...row, isStatic: false, drawsPassword: false }];
    }),
  );
}
