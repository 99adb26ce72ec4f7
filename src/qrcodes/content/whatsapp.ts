import { Joi } from '../../infra/fields.ts';
import type { ContentType } from './content-type.ts';
import { lines, phoneNumber } from './fields.ts';

/** A WhatsApp message to be sent. */
export interface WhatsApp {
  /** Digits only, as the links want them. */
  number: string;
  message?: string;
}

/** WhatsApp's "click to chat": the whole international number in digits, the text percent-encoded. */
const chatLink = ({ number, message }: WhatsApp): string =>
  `https://wa.me/${number}${message === undefined ? '' : `?text=${encodeURIComponent(message)}`}`;

/** A WhatsApp chat. */
export const whatsapp: ContentType<WhatsApp> = {
  name: 'whatsapp',
  description:
    'Addition: a WhatsApp chat: `{number, message?}`; the number is an international one.',
  schema: Joi.object({
    number: phoneNumber()
      .required()
      .custom((value: string, { error }) => {
        const digits = value.replace(/^(\+|00)/, '');
        return /^[1-9]\d{6,14}$/.test(digits)
          ? digits
          : error('rule', { rule: 'must be an international number, such as +12015550123' });
      }),
    message: lines(1_600),
  }),
  encode: chatLink,
  onVisit: (content) => ({ open: chatLink(content) }),
};
