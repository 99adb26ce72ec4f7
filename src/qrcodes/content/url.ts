import { destination } from '../../short-links/url-field.ts';
import type { ContentType } from './content-type.ts';

/** A web address, or the deep link of an app. */
export const url: ContentType<string> = {
  name: 'url',
  description: 'A URL; where its scheme is missing, https:// is put before it.',
  schema: destination(),
  encode: (address) => address,
  onVisit: (address) => ({ open: address }),
};
