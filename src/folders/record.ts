import { Joi } from '../http/fields.ts';

/** The public record of a folder of links and QR codes. */
export interface FolderRecord {
  id: string;
  name: string;
  createdAt: string;
}

export const folderRecord = Joi.object({
  id: Joi.string().required().description('Id of the folder.').example('fold_5Rt9pXc1Ze'),
  name: Joi.string().required().description('Name of the folder.').example('Spring launch'),
  createdAt: Joi.string().isoDate().required().description('Time of creation.'),
}).meta({ name: 'Folder' });

export function toFolder(row: { id: string; name: string; created_at: Date }): FolderRecord {
  return { id: row.id, name: row.name, createdAt: row.created_at.toISOString() };
}
