import { Joi, requiredText, requiredTime } from '../http/fields.ts';
import type { Folder } from './model.ts';

/** The public record of a folder of links and QR codes. */
export type FolderRecord = ReturnType<typeof toFolder>;

export const folderRecord = Joi.object({
  id: requiredText.description('Id of the folder.').example('fold_5Rt9pXc1Ze'),
  name: requiredText.description('Name of the folder.').example('Spring launch'),
  createdAt: requiredTime.description('Time of creation.'),
}).meta({ name: 'Folder' });

export function toFolder(row: Folder) {
  return { id: row.id, name: row.name, createdAt: row.created_at.toISOString() };
}
