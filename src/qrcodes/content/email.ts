import { Joi, list } from '../../http/fields.ts';
import type { ContentType } from './content-type.ts';
import { emailAddress, line, lines } from './fields.ts';

/** A message to be written. */
export interface Email {
  /** One address, or several with commas between them. */
  email: string;
  cc?: string;
  bcc?: string;
  subject?: string;
  body?: string;
}

/** RFC 6068: spaces as %20, line breaks as CRLF, and everything that separates is encoded. */
function mailto({ email, cc, bcc, subject, body }: Email): string {
  const encode = (value: string) => encodeURIComponent(value).replaceAll("'", '%27');
  // "@" stands between the two parts of an address, "," between addresses; neither needs an escape (section 2).
  const addresses = (value: string) =>
    encode(value).replaceAll('%40', '@').replaceAll('%2B', '+').replaceAll('%2C', ',');
  const query = [
    ...(cc === undefined ? [] : [`cc=${addresses(cc)}`]),
    ...(bcc === undefined ? [] : [`bcc=${addresses(bcc)}`]),
    ...(subject === undefined ? [] : [`subject=${encode(subject)}`]),
    ...(body === undefined ? [] : [`body=${encode(body.replaceAll('\n', '\r\n'))}`]),
  ].join('&');
  return `mailto:${addresses(email)}${query === '' ? '' : `?${query}`}`;
}

/** Most addresses of one field. */
const MOST_ADDRESSES = 20;

const address = emailAddress();

/** Addresses: an array, or a text with commas between them. */
const recipients = () =>
  list()
    .min(1)
    .custom((addresses: string[], { error }) => {
      if (addresses.length > MOST_ADDRESSES) {
        return error('rule', { rule: `must not have more than ${MOST_ADDRESSES} addresses` });
      }
      const wrong = addresses.find((one) => address.validate(one).error !== undefined);
      return wrong === undefined
        ? addresses.join(',')
        : error('rule', { rule: `must be a valid email address, not "${wrong}"` });
    });

/** An empty text is an empty list by the time that it is compared. */
const optionalRecipients = () => recipients().empty(Joi.array().length(0));

/** An email (RFC 6068). */
export const email: ContentType<Email> = {
  name: 'email',
  description:
    'An email: `{email, cc?, bcc?, subject?, body?}`; the recipients are one address, `a@example.com,b@example.com`, ' +
    'or an array.',
  schema: Joi.object({
    email: recipients()
      .required()
      .description('Recipients: an address, or several.')
      .example('ada@example.com'),
    cc: optionalRecipients().description('Copies: an address, or several.'),
    bcc: optionalRecipients().description('Blind copies: an address, or several.'),
    subject: line(500).empty('').description('Subject, at most 500 characters.'),
    body: lines(2_000).empty('').description('Text, at most 2,000 characters.'),
  }).meta({ name: 'EmailContent' }),
  encode: mailto,
  onVisit: (content, { useDisplayPage }) => {
    const { email: to, cc, bcc, subject, body } = content;
    const shown = (addresses: string) => addresses.replaceAll(',', ', ');
    if (!useDisplayPage) return { open: mailto(content) };
    return {
      page: {
        type: 'email',
        title: 'Send an email',
        subtitle: shown(to),
        actions: [{ label: 'Write email', href: mailto(content) }],
        rows: [
          { label: 'To', value: shown(to), copy: true },
          ...(cc === undefined ? [] : [{ label: 'Cc', value: shown(cc) }]),
          ...(bcc === undefined ? [] : [{ label: 'Bcc', value: shown(bcc) }]),
          ...(subject === undefined ? [] : [{ label: 'Subject', value: subject }]),
          ...(body === undefined ? [] : [{ label: 'Message', value: body, copy: true as const }]),
        ],
      },
    };
  },
};
