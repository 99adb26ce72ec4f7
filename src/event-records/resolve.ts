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
  if (pageId !== undefined) await existing(findPage(projectId, pageId), `page "${pageId}"`);
  const sets: string[][] = [];
  if (linkId !== undefined) {
    sets.push([await existing(linkQueries.findByRef(projectId, linkId), `link "${linkId}"`)]);
  }
  if (qrcodeId !== undefined) {
    const code = qrCodeQueries.findByRef(projectId, qrcodeId);
    sets.push([await existing(code, `QR code "${qrcodeId}"`)]);
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
        'domain is required with key: a key alone does not identify a link',
      );
    }
    const name = normalizeKey(key);
    const record =
      (await linkQueries.findByKey(projectId, domain, name)) ??
      (await qrCodeQueries.findByKey(projectId, domain, name));
    sets.push([await existing(Promise.resolve(record), `link "${key}" on ${domain}`)]);
  }
  if (tagId !== undefined) sets.push(await ofTags(projectId, tagId));
  if (folderId !== undefined) sets.push(await ofFolder(projectId, folderId));
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

async function ofFolder(projectId: string, folderId: string): Promise<string[]> {
  const [folder] = await existingIds(db(), 'folders', projectId, [folderId]);
  found(folder, `folder "${folderId}"`);
  const records = await rows<{ id: string }>(
    db(),
    `SELECT id FROM links WHERE project_id = :projectId AND folder_id = :folderId
      UNION ALL SELECT id FROM qrcodes WHERE project_id = :projectId AND folder_id = :folderId`,
    { projectId, folderId },
  );
  return records.map((row) => row.id);
}

async function existing(
  lookup: Promise<{ id: string } | undefined>,
  what: string,
): Promise<string> {
  return found(await lookup, what).id;
}
