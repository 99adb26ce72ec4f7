import { db, rows } from '../../infra/db.ts';
import { scanLinkOf, shortLinkOf } from '../../lookup/short-link.ts';
import { type DrawnRow, findDesigns } from '../../qrcodes/queries.ts';

/**
 * Reads the parts of the codes of links that their images need, by the id of the link. A code that
 * was designed for a link has its design; others are plain, like the images of `qrCode`.
 */
export async function findLinkRows(
  projectId: string,
  ids: readonly string[],
): Promise<Map<string, DrawnRow>> {
  if (ids.length === 0) return new Map();
  const links = await rows<Pick<DrawnRow, 'domain' | 'key' | 'title'> & { id: string }>(
    db(),
    `SELECT l.id, l.key, l.title, d.slug AS domain FROM links l JOIN domains d ON d.id = l.domain_id
      WHERE l.project_id = ? AND l.id = ANY(?)`,
    [projectId, ids],
  );
  const payloadOf = ({ domain, key }: Pick<DrawnRow, 'domain' | 'key'>) =>
    scanLinkOf(shortLinkOf(domain, key));
  const designs = await findDesigns(projectId, links.map(payloadOf));
  return new Map(
    links.map(({ id, ...link }) => {
      const payload = payloadOf(link);
      const design = designs.get(payload) ?? {};
      return [id, { ...link, design, payload, isStatic: false, drawsPassword: false }];
    }),
  );
}
