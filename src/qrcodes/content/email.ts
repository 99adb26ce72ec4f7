import { Joi } from '../../infra/fields.ts';
import type { ContentType } from './content-type.ts';
import { emailAddress, line, lines } from './fields.ts';

/** A message to be written. */
export interface Email {
  email: string;
  subject?: string;
  body?: string;
}

/** RFC 6068: spaces as %20, line breaks as CRLF, and everything that separates is encoded. */
function mailto({ email, subject, body }: Email): string {
  const encode = (value: string) => encodeURIComponent(value).replaceAll("'", '%27');
  const query = [
    ...(subject === undefined ? [] : [`subject=${encode(subject)}`]),
    ...(body === undefined ? [] : [`body=${encode(body.replaceAll('\n', '\r\n'))}`]),
  ].join('&');
  // "@" stands between the two parts of an address and needs no escape (section 2).
  const address = encode(email).replaceAll('%40', '@').replaceAll('%2B', '+');
  return `mailto:${address}${query === '' ? '' : `?${query}`}`;
}

/** An e-mail (RFC 6068). */
export const email: ContentType<Email> = {
  name: 'email',
  description: 'An e-mail: `{email, subject?, body?}`.',
  schema: Joi.object({
    email: emailAddress().required(),
    subject: line(500),
    body: lines(2_000),
  }),
  encode: mailto,
  onVisit: (content, { useDisplayPage }) => {
    const { email: address, subject, body } = content;
    if (!useDisplayPage) return { open: mailto(content) };
    return {
      page: {
        type: 'email',
        title: 'Send an email',
        subtitle: address,
        actions: [{ label: 'Write email', href: mailto(content) }],
        rows: [
          { label: 'To', value: address, copy: true },
          ...(subject === undefined ? [] : [{ label: 'Subject', value: subject }]),
          ...(body === undefined ? [] : [{ label: 'Message', value: body, copy: true as const }]),
        ],
      },
    };
  },
};
