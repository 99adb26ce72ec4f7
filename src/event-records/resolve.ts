import { Refusal } from '../errors.ts';
import type { ResolveRecords } from '../events/query/filters.ts';
import { externalIdIn } from '../http/fields.ts';
import { found } from '../http/route.ts';
import { db, rows } from '../infra/db.ts';
import { linkQueries } from '../links/queries.ts';
import { normalizeKey } from '../lookup/short-link.ts';
import { findPage } from '../pages/queries.ts';
import { qrCodeQueries } from '../qrcodes/queries.ts';
import { existingIds } from '../short-links/references.ts';

/** Finds the links and QR codes that a filter of events names. */
export const resolveRecords: ResolveRecords = async (
  projectId,
  { domain, key, linkId, qrcodeId, externalId, tagId, folderId, pageId },
) => {
  for (const id of pageId ?? []) await existing(findPage(projectId, id), `page "${id}"`);
  const sets: string[][] = [];
  if (linkId !== undefined) {
    sets.push(
      await Promise.all(
        linkId.map((id) => existing(linkQueries.findByRef(projectId, id), `link "${id}"`)),
      ),
    );
  }
  if (qrcodeId !== undefined) {
    sets.push(
      await Promise.all(
        qrcodeId.map((id) => existing(qrCodeQueries.findByRef(projectId, id), `QR code "${id}"`)),
      ),
    );
  }
  if (externalId !== undefined) {
    const callersId = externalIdIn(externalId) ?? externalId;
    const record =
      (await linkQueries.findByExternalId(projectId, callersId)) ??
      (await qrCodeQueries.findByExternalId(projectId, callersId));
    sets.push([
      await existing(Promise.resolve(record), `link "${externalId}", nor such a QR code`),
    ]);
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
    sets.push([await existing(Promise.resolve(record), `link "${key}" on ${domain}`)]);
  }
  if (tagId !== undefined) sets.push(await ofTags(projectId, tagId));
  if (folderId !== undefined) sets.push(await ofFolders(projectId, folderId));
  if (sets.length === 0) return undefined;
  return sets.reduce((ids, right) => {
    const accepted = new Set(right);
    return ids.filter((id) => accepted.has(id));
  });
};

async function ofTags(projectId: string, tagIds: readonly string[]): Promise<string[]> {
  const existingTags = await existingIds(db(), 'tags', projectId, tagIds);
  const unknown = tagIds.find((id) => !existingTags.has(id));
  if (unknown !== undefined) throw new Refusal('not_found', `There is no tag "${unknown}"`);
  const records = await rows<{ id: string }>(
    db(),
    `SELECT link_id AS id FROM link_tags WHERE project_id = :projectId AND tag_id = ANY(:tagIds)
      UNION SELECT qrcode_id FROM qrcode_tags WHERE project_id = :projectId AND tag_id = ANY(:tagIds)`,
    { projectId, tagIds },
  );
  return records.map((row) => row.id);
}

async function ofFolders(projectId: string, folderIds: readonly string[]): Promise<string[]> {
  const folders = await existingIds(db(), 'folders', projectId, folderIds);
  for (const id of folderIds) found(folders.has(id) ? id : undefined, `folder "${id}"`);
  const records = await rows<{ id: string }>(
    db(),
    `SELECT id FROM links WHERE project_id = :projectId AND folder_id = ANY(:folderIds)
      UNION ALL SELECT id FROM qrcodes WHERE project_id = :projectId AND folder_id = ANY(:folderIds)`,
    { projectId, folderIds },
  );
  return records.map((row) => row.id);
}

async function existing(
  lookup: Promise<{ id: string } | undefined>,
  what: string,
): Promise<string> {
  return found(await lookup, what).id;
}
