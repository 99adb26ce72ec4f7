import { Joi } from '../../http/fields.ts';
import type { ContentType } from './content-type.ts';

/** Capacity of the largest QR code, version 40-L in alphanumeric mode (ISO/IEC 18004, table 7). */
const MAX_CHARACTERS = 4_296;

/** Any text. */
export const text: ContentType<string> = {
  name: 'text',
  description: 'A text.',
  schema: Joi.string().min(1).max(MAX_CHARACTERS),
  encode: (words) => words,
  onVisit: (words) => ({
    page: {
      type: 'text',
      title: 'Text',
      actions: [],
      rows: [{ label: 'Text', value: words, copy: true }],
    },
  }),
};
