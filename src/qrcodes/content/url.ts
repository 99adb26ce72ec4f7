import { destination } from '../../short-links/url-field.ts';
import type { ContentType } from './content-type.ts';

/** A web address, or the deep link of an app. */
export const url: ContentType<string> = {
  name: 'url',
  description: 'A URL; without a scheme, it gets https://.',
  schema: destination(),
  encode: (address) => address,
  onVisit: (address) => ({ open: address }),
};
