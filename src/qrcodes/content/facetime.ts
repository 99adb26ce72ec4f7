import { Joi } from '../../http/fields.ts';
import type { ContentType } from './content-type.ts';
import { emailAddress } from './fields.ts';
import { phoneNumber } from './phone-number.ts';

/** A FaceTime call. */
export interface FaceTime {
  /** A phone number or an email address. */
  target: string;
  audio?: boolean;
}

/** Builds a link by the Apple URL Scheme Reference, "FaceTime Links". Phones refuse `*` and `#`. */
function link({ target, audio }: FaceTime): string {
  // A "?" or "&" in an address would start a query; "@" and "+" need no escape.
  const address = encodeURIComponent(target).replaceAll('%40', '@').replaceAll('%2B', '+');
  return `${audio === true ? 'facetime-audio' : 'facetime'}:${address}`;
}

/** A FaceTime call. */
export const facetime: ContentType<FaceTime> = {
  name: 'facetime',
  description:
    'A FaceTime call: `{target, audio?}`; the target is a phone number or an email address.',
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
      .required()
      .description('Phone number or email address.')
      .example('+4915112345678'),
    audio: Joi.boolean().strict().description('true: an audio call. Default false.'),
  }).meta({ name: 'FacetimeContent' }),
  encode: link,
  // A page, since phones of other makers cannot open the URL.
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
