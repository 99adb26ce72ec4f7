import { Joi } from '../../http/fields.ts';
import type { ContentType } from './content-type.ts';
import { lines } from './fields.ts';
import { phoneNumber } from './phone-number.ts';

/** A text message to compose. */
export interface Sms {
  number: string;
  message?: string;
}

/** Builds an sms URI (RFC 5724). */
const smsUri = ({ number, message }: Sms): string =>
  `sms:${number}${message === undefined ? '' : `?body=${encodeURIComponent(message)}`}`;

/**
 * A text message. Static codes hold `SMSTO:` (ZXing wiki), which more phones support fully than
 * `sms:`. Its message is not encoded, and ends with the code.
 */
export const sms: ContentType<Sms> = {
  name: 'sms',
  description: 'A text message: `{number, message?}`.',
  schema: Joi.object({
    number: phoneNumber().required().description('Phone number.').example('+4915112345678'),
    message: lines(1_600).empty('').description('Text, at most 1,600 characters.'),
  }).meta({ name: 'SmsContent' }),
  encode: ({ number, message }) => `SMSTO:${number}:${message ?? ''}`,
  onVisit: (content, { useDisplayPage }) => {
    const { number, message } = content;
    if (!useDisplayPage) return { open: smsUri(content) };
    return {
      page: {
        type: 'sms',
        title: 'Send a message',
        subtitle: number,
        actions: [{ label: 'Write message', href: smsUri(content) }],
        rows: [
          { label: 'Number', value: number, href: `tel:${number}`, copy: true },
          ...(message === undefined
            ? []
            : [{ label: 'Message', value: message, copy: true as const }]),
        ],
      },
    };
  },
};
