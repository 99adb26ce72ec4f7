import type { ContentType } from './content-type.ts';
import { dialledNumber, readable, telUri } from './phone-number.ts';

/** A number to call (RFC 3966). */
export const phone: ContentType<string> = {
  name: 'phone',
  description:
    'A phone number; an international one begins with +. It may have an extension (`ext. 89`), or be a service code ' +
    '(`*100#`).',
  schema: dialledNumber(),
  encode: telUri,
  onVisit: (number, { useDisplayPage }) => {
    const href = telUri(number);
    if (!useDisplayPage) return { open: href };
    const value = readable(number);
    return {
      page: {
        type: 'phone',
        title: 'Call',
        subtitle: value,
        actions: [{ label: 'Call now', href }],
        rows: [{ label: 'Number', value, href, copy: true }],
      },
    };
  },
};
