import { Refusal } from '../errors.ts';
import type { ResolveRecords } from '../events/query/filters.ts';
import { externalIdIn } from '../http/fields.ts';
import { db, rows } from '../infra/db.ts';
import { normalize } from '../infra/normalize.ts';
import { linkQueries } from '../links/queries.ts';
import { findPage } from '../pages/queries.ts';
import { qrCodeQueries } from '../qrcodes/queries.ts';

/** Finds the links and QR codes that a filter of events names. */
export const resolveRecords: ResolveRecords = async (
  projectId,
  { domain, key, linkId, qrcodeId, externalId, tagId, folderId, pageId },
) => {
  if (pageId !== undefined) await existing(findPage(projectId, pageId), `page "${pageId}"`);
  const sets: string[][] = [];
  if (linkId !== undefined) sets.push([await ofLink(projectId, linkId)]);
  if (qrcodeId !== undefined) sets.push([await ofCode(projectId, qrcodeId)]);
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
    const name = normalize(key, 'NFC');
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

function ofLink(projectId: string, linkId: string): Promise<string> {
  const callersId = externalIdIn(linkId);
  return existing(
    callersId === undefined
      ? linkQueries.find(projectId, linkId)
      : linkQueries.findByExternalId(projectId, callersId),
    `link "${linkId}"`,
  );
}

function ofCode(projectId: string, qrcodeId: string): Promise<string> {
  const callersId = externalIdIn(qrcodeId);
  return existing(
    callersId === undefined
      ? qrCodeQueries.find(projectId, qrcodeId)
      : qrCodeQueries.findByExternalId(projectId, callersId),
    `QR code "${qrcodeId}"`,
  );
}

async function ofTags(projectId: string, tagIds: readonly string[]): Promise<string[]> {
  const existingTags = await rows<{ id: string }>(
    db(),
    'SELECT id FROM tags WHERE project_id = ? AND id = ANY(?)',
    [projectId, tagIds],
  );
  const unknown = tagIds.find(
    (id) => !existingTags.some(({ id: existingId }) => existingId === id),
  );
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
  const [folder] = await rows<{ id: string }>(
    db(),
    'SELECT id FROM folders WHERE project_id = ? AND id = ?',
    [projectId, folderId],
  );
  if (folder === undefined) throw new Refusal('not_found', `There is no folder "${folderId}"`);
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
  const record = await lookup;
  if (record === undefined) throw new Refusal('not_found', `There is no ${what}`);
  return record.id;
}
