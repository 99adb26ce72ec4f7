import { Joi } from '../../infra/fields.ts';
import type { ContentType } from './content-type.ts';
import { emailAddress, phoneNumber } from './fields.ts';

/** Somebody to call by FaceTime. */
export interface FaceTime {
  /** A phone number or an e-mail address. */
  target: string;
  audio?: boolean;
}

/** Apple URL Scheme Reference, "FaceTime Links"; `*` and `#` are refused by phones. */
const link = ({ target, audio }: FaceTime): string =>
  `${audio === true ? 'facetime-audio' : 'facetime'}:${encodeURI(target)}`;

/** A FaceTime call. */
export const facetime: ContentType<FaceTime> = {
  name: 'facetime',
  description:
    'A FaceTime call: `{target, audio?}`; the target is a phone number or an e-mail address.',
  schema: Joi.object({
    target: Joi.alternatives()
      .conditional(Joi.string().pattern(/@/), {
        then: emailAddress().custom((value: string, { error }) =>
          /[*#]/.test(value)
            ? error('rule', { rule: 'must not contain * or #: phones refuse such links' })
            : value,
        ),
        otherwise: phoneNumber(),
      })
      .required(),
    audio: Joi.boolean().strict(),
  }),
  encode: link,
  // A page, since phones of other makers can't open the address.
  onVisit: (content) => ({
    page: {
      type: 'facetime',
      title: 'FaceTime',
      subtitle: content.target,
      actions: [
        {
          label: content.audio === true ? 'Call with FaceTime Audio' : 'Call with FaceTime',
          href: link(content),
        },
      ],
      rows: [{ label: 'Contact', value: content.target, copy: true }],
    },
  }),
};
