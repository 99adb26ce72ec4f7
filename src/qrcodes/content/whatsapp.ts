import { Joi } from '../../http/fields.ts';
import type { ContentType } from './content-type.ts';
import { lines } from './fields.ts';
import { internationalNumber } from './phone-number.ts';

/** A WhatsApp message to compose. */
export interface WhatsApp {
  /** Begins with `+`; older records have only the digits. */
  number: string;
  message?: string;
}

/**
 * Builds a "click to chat" link: the digits of the whole international number, and the
 * percent-encoded text.
 */
const chatLink = ({ number, message }: WhatsApp): string =>
  `https://wa.me/${number.replace('+', '')}${message === undefined ? '' : `?text=${encodeURIComponent(message)}`}`;

/** A WhatsApp chat. */
export const whatsapp: ContentType<WhatsApp> = {
  name: 'whatsapp',
  description:
    'A WhatsApp chat: `{number, message?}`; the number begins with its country code, with or ' +
    'without +, and is returned with +.',
  schema: Joi.object({
    number: internationalNumber()
      .required()
      .description('Phone number with its country code.')
      .example('+4915112345678'),
    message: lines(1_600).empty('').description('Text, at most 1,600 characters.'),
  }).meta({ name: 'WhatsappContent', extension: true }),
  encode: chatLink,
  onVisit: (content) => ({ open: chatLink(content) }),
};
