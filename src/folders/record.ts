import { Joi } from '../infra/fields.ts';

/** A folder: a place of a link or QR code in the workspace. */
export interface FolderRecord {
  id: string;
  name: string;
  createdAt: string;
}

export const folderRecord = Joi.object({
  id: Joi.string().required(),
  name: Joi.string().required(),
  createdAt: Joi.string().isoDate().required(),
});

export function toFolder(row: { id: string; name: string; created_at: Date }): FolderRecord {
  return { id: row.id, name: row.name, createdAt: row.created_at.toISOString() };
}
