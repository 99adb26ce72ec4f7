import { createHash } from 'node:crypto';
import { ERRORS } from '../errors.ts';

const MEANINGS: Record<keyof typeof ERRORS, string> = {
  bad_request: 'The request is malformed: its JSON, content type, percent-encoding or size.',
  unauthorized: 'There is no API key, or it is unknown, revoked or expired.',
  forbidden: 'The key lacks a scope, the plan is too low, or the domain belongs to somebody else.',
  not_found: 'There is no such route, or no such record in this workspace.',
  conflict: 'The request conflicts with what is there: a key, name or id that is taken.',
  invite_expired: 'The thing was there and is gone for good, such as the result of an old job.',
  unprocessable_entity:
    'The request is well-formed, but a field fails its rule; the message names it.',
  rate_limit_exceeded:
    'Too many requests in a minute; the header Retry-After says how long to wait.',
  internal_server_error: 'A fault on our side; the message has the id of the request.',
};

const STYLE =
  'body{font:1rem/1.6 system-ui,sans-serif;max-width:42rem;margin:3rem auto;padding:0 1rem;color-scheme:light dark}';

const sections = Object.entries(ERRORS)
  .map(
    ([code, { status, anchor }]) =>
      `<h2 id="${anchor}">${status} ${code}</h2><p>${MEANINGS[code as keyof typeof ERRORS]}</p>`,
  )
  .join('\n');

/** The page that `doc_url` of every error leads to, where the documentation is not hosted elsewhere. */
export const errorReference = {
  headers: {
    'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; frame-ancestors 'none'; base-uri 'none'`,
    'X-Content-Type-Options': 'nosniff',
  },
  body: `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Errors of the API</title><style>${STYLE}</style></head>
<body><h1>Errors of the API</h1>
<p>Every error has the body <code>{"error": {"code", "message", "doc_url"}}</code>.</p>
${sections}
</body></html>`,
};
