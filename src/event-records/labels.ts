import type { LabelKind, RecordNames } from '../events/records.ts';
import { db, rows } from '../infra/db.ts';

/** SQL of the links and QR codes `record` of the workspace with their labels `label`. */
const LABELED: Record<LabelKind, string> = {
  tag: `SELECT link_id AS record, tag_id AS label FROM link_tags WHERE project_id = :projectId
    UNION ALL SELECT qrcode_id, tag_id FROM qrcode_tags WHERE project_id = :projectId`,
  folder: `SELECT id AS record, folder_id AS label FROM links
            WHERE project_id = :projectId AND folder_id IS NOT NULL
    UNION ALL SELECT id, folder_id FROM qrcodes
            WHERE project_id = :projectId AND folder_id IS NOT NULL`,
};
const TABLES: Record<LabelKind, string> = { tag: 'tags', folder: 'folders' };

/** Finds the tags or folders of links and QR codes. */
export const findLabels: RecordNames['findLabels'] = (projectId, kind, ids) =>
  rows(
    db(),
    `SELECT r.record, n.id, n.name FROM (${LABELED[kind]}) AS r
       JOIN ${TABLES[kind]} n ON n.project_id = :projectId AND n.id = r.label
      WHERE r.record = ANY(:ids)`,
    { projectId, ids },
  );

/** Lists the ids of links and QR codes with a tag or folder, in their order. */
export async function listLabeled(
  projectId: string,
  kind: LabelKind,
  { after, limit }: { after: string; limit: number },
): Promise<string[]> {
  const labeled = await rows<{ record: string }>(
    db(),
    `SELECT DISTINCT r.record FROM (${LABELED[kind]}) AS r
      WHERE r.record > :after ORDER BY r.record LIMIT :limit`,
    { projectId, after, limit },
  );
  return labeled.map(({ record }) => record);
}
