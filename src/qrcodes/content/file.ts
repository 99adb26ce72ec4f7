import { Joi } from '../../http/fields.ts';
import { fileSource } from '../../images/file-source.ts';
import type { ContentType } from './content-type.ts';
import { line } from './fields.ts';

/** A file that the service stores. */
export interface FileContent {
  /** URL or data URI that it was read from. */
  source: string;
  name: string;
  isDownload: boolean;
}

/** A PDF or an image. A scan opens the stored file, whose URL the look-up entry has. */
export const file: ContentType<FileContent> = {
  name: 'file',
  whyDynamic: 'the file is stored by this service',
  description:
    'A file: `{source, name?, isDownload?}`; it is fetched once, stored and opened by a scan. The code must be ' +
    'dynamic.',
  schema: Joi.object({
    source: fileSource()
      .required()
      .description('URL or data URI of a PDF, PNG, JPEG, WebP or GIF of at most 5 MB.')
      .example('https://example.com/menu.pdf'),
    name: line(100)
      .trim()
      .empty('')
      .default('file')
      .description('Name of the file, without its ending. Default `file`.'),
    isDownload: Joi.boolean()
      .strict()
      .default(false)
      .description('true: browsers save the file instead of showing it. Default false.'),
  }).meta({ name: 'FileContent', extension: true }),
  encode: ({ source }) => source,
  onVisit: ({ source }) => ({ open: source }),
};
