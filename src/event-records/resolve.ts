import type { QueryBuilder } from 'objection';
import { Refusal } from '../errors.ts';
import type { ResolveRecords } from '../events/query/filters.ts';
import { externalIdIn } from '../http/fields.ts';
import { found } from '../http/route.ts';
import { db, rows } from '../infra/db.ts';
import { Link } from '../links/model.ts';
import { linkQueries } from '../links/queries.ts';
import { normalizeKey } from '../lookup/short-link.ts';
import { QrCode } from '../qrcodes/model.ts';
import { qrCodeQueries } from '../qrcodes/queries.ts';
import { listInside } from '../short-links/inside.ts';
import type { ShortLinkModel } from '../short-links/model.ts';
import { existingIds } from '../short-links/references.ts';

/** Finds the links and QR codes that a filter of events names. */
export const resolveRecords: ResolveRecords = async (
  projectId,
  { domain, key, linkId, qrcodeId, externalId, tagId, folderId, pageId },
) => {
  if (pageId !== undefined) await refuseUnknown(projectId, 'pages', 'page', pageId);
  const sets: string[][] = [];
  const inside = await listInside(projectId);
  if (inside !== undefined) sets.push(inside);
  if (linkId !== undefined) sets.push(await ofRefs(Link.of(projectId), 'link', linkId));
  if (qrcodeId !== undefined) sets.push(await ofRefs(QrCode.of(projectId), 'QR code', qrcodeId));
  if (externalId !== undefined) {
    const callersId = externalIdIn(externalId) ?? externalId;
    const record =
      (await linkQueries.findByExternalId(projectId, callersId)) ??
      (await qrCodeQueries.findByExternalId(projectId, callersId));
    sets.push([found(record, `link "${externalId}", nor such a QR code`).id]);
  }
  if (key !== undefined) {
    if (domain === undefined) {
      throw new Refusal(
        'unprocessable_entity',
        'domain is required with key, and must be one: a key alone does not identify a link',
      );
    }
    const name = normalizeKey(key);
    const record =
      (await linkQueries.findByKey(projectId, domain, name)) ??
      (await qrCodeQueries.findByKey(projectId, domain, name));
    sets.push([found(record, `link "${key}" on ${domain}`).id]);
  }
  if (tagId !== undefined) sets.push(await ofTags(projectId, tagId));
  if (folderId !== undefined) sets.push(await ofFolders(projectId, folderId));
  if (sets.length === 0) return undefined;
  return sets.reduce((ids, right) => {
    const accepted = new Set(right);
    return ids.filter((id) => accepted.has(id));
  });
};

/** Finds records by their ids, or by `ext_` and the caller's own ids. */
async function ofRefs(
  query: QueryBuilder<ShortLinkModel>,
  noun: string,
  refs: readonly string[],
): Promise<string[]> {
  const externalIds = refs.flatMap((ref) => externalIdIn(ref) ?? []);
  const records = await query
    .whereRaw('(id = ANY(?) OR external_id = ANY(?))', [[...refs], externalIds])
    .select('id', 'external_id')
    .castTo<{ id: string; external_id: string | null }[]>();
  return refs.map((ref) => {
    const own = externalIdIn(ref);
    const isMeant = ({ id, external_id: externalId }: (typeof records)[number]) =>
      own === undefined ? id === ref : externalId === own;
    return found(records.find(isMeant), `${noun} "${ref}"`).id;
  });
}

async function ofTags(projectId: string, tagIds: readonly string[]): Promise<string[]> {
  await refuseUnknown(projectId, 'tags', 'tag', tagIds);
  const records = await rows<{ id: string }>(
    db(),
    `SELECT link_id AS id FROM link_tags WHERE project_id = :projectId AND tag_id = ANY(:tagIds)
      UNION SELECT qrcode_id FROM qrcode_tags WHERE project_id = :projectId AND tag_id = ANY(:tagIds)`,
    { projectId, tagIds },
  );
  return records.map((row) => row.id);
}

async function ofFolders(projectId: string, folderIds: readonly string[]): Promise<string[]> {
  await refuseUnknown(projectId, 'folders', 'folder', folderIds);
  const records = await rows<{ id: string }>(
    db(),
    `SELECT id FROM links WHERE project_id = :projectId AND folder_id = ANY(:folderIds)
      UNION ALL SELECT id FROM qrcodes WHERE project_id = :projectId AND folder_id = ANY(:folderIds)`,
    { projectId, folderIds },
  );
  return records.map((row) => row.id);
}

/** @throws Refusal `not_found` for the first id that no record has */
async function refuseUnknown(
  projectId: string,
  table: 'folders' | 'pages' | 'tags',
  noun: string,
  ids: readonly string[],
): Promise<void> {
  const present = await existingIds(db(), table, projectId, ids);
  for (const id of ids) found(present.has(id) ? id : undefined, `${noun} "${id}"`);
}
