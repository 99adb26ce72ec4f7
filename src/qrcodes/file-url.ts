import { config } from '../config.ts';
import { FILE_TYPES } from '../images/file-source.ts';
import type { FileContent } from './content/file.ts';
import type { QrCodeRow } from './model.ts';
import { savedName } from './render/file-name.ts';

/**
 * URL of the stored file that a code opens; `undefined` if none is stored, as in an imported code
 * that has the URL of its file.
 * The API serves files, since redirect processes need no database.
 */
export function fileUrl({ project_id: projectId, content, design }: QrCodeRow): string | undefined {
  const { storedFile: file } = design;
  if (!file) return undefined;
  const { name, isDownload } = content['file'] as FileContent;
  const saved = encodeURIComponent(savedName(name) || 'file');
  const path = `/files/${projectId}/${file.id}/${saved}.${FILE_TYPES[file.type].ending}`;
  return `${config().BASE_URL}${path}${isDownload ? '?download=1' : ''}`;
}
