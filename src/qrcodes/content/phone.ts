import type { ContentType } from './content-type.ts';
import { phoneNumber } from './fields.ts';

/** A number to call (RFC 3966). */
export const phone: ContentType<string> = {
  name: 'phone',
  description: 'A phone number; an international one begins with +.',
  schema: phoneNumber(),
  encode: (number) => `tel:${number}`,
  onVisit: (number, { useDisplayPage }) =>
    useDisplayPage
      ? {
          page: {
            type: 'phone',
            title: 'Call',
            subtitle: number,
            actions: [{ label: 'Call now', href: `tel:${number}` }],
            rows: [{ label: 'Number', value: number, href: `tel:${number}`, copy: true }],
          },
        }
      : { open: `tel:${number}` },
};
