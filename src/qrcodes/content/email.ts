import { Joi, list } from '../../http/fields.ts';
import type { ContentType } from './content-type.ts';
import { emailAddress, line, lines } from './fields.ts';

/** An email to compose. */
export interface Email {
  /** One address, or several separated by commas. */
  email: string;
  cc?: string;
  bcc?: string;
  subject?: string;
  body?: string;
}

/** Builds a mailto URI (RFC 6068): spaces as %20, line breaks as CRLF, and delimiters encoded. */
function mailto({ email, cc, bcc, subject, body }: Email): string {
  const encode = (value: string) => encodeURIComponent(value).replaceAll("'", '%27');
  // "@" in addresses and "," between them need no escape (section 2).
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

/** Maximum number of addresses in a field. */
const MAX_ADDRESSES = 20;

const address = emailAddress();

/** Schema of addresses: an array, or a text separated by commas. */
const recipients = () =>
  list()
    .min(1)
    .custom((addresses: string[], { error }) => {
      if (addresses.length > MAX_ADDRESSES) {
        return error('rule', { rule: `must not have more than ${MAX_ADDRESSES} addresses` });
      }
      const wrong = addresses.find((one) => address.validate(one).error !== undefined);
      return wrong === undefined
        ? addresses.join(',')
        : error('rule', { rule: `must be a valid email address, not "${wrong}"` });
    });

/** The schema has turned an empty text into an empty list by then. */
const optionalRecipients = () => recipients().empty(Joi.array().length(0));

/** An email (RFC 6068). */
export const email: ContentType<Email> = {
  name: 'email',
  description:
    'An email: `{email, cc?, bcc?, subject?, body?}`; `email` is one email address, ' +
    '`a@example.com,b@example.com`, or an array.',
  schema: Joi.object({
    email: recipients()
      .required()
      .description('Recipients: one or more email addresses.')
      .example('ada@example.com'),
    cc: optionalRecipients().description('Copies: one or more email addresses.'),
    bcc: optionalRecipients().description('Blind copies: one or more email addresses.'),
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
