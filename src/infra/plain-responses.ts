import { STATUS_CODES } from 'node:http';
import type { Response } from './plain-requests.ts';

/** Optional parts of an answer. */
export interface SendOptions {
  /** Search engines may show it. */
  isIndexed?: boolean;
  cookies?: readonly string[];
}

/** Answers with a redirect. */
export function sendRedirect(
  response: Response,
  status: number,
  destination: string,
  options: SendOptions = {},
): void {
  try {
    response.writeHead(status, redirectHeaders(destination, options));
  } catch {
    // No header may contain it. Stored URLs are encoded, except in rows of early releases.
    response.writeHead(status, redirectHeaders(asciiUrl(destination), options));
  }
  response.end();
}

// Flat, because node copies an object into such a list first.
function redirectHeaders(location: string, { isIndexed, cookies }: SendOptions): string[] {
  const headers = ['Location', location, 'Cache-Control', 'private, no-store'];
  headers.push('Content-Length', '0');
  if (isIndexed !== true) headers.push('X-Robots-Tag', 'noindex');
  if (cookies !== undefined) addCookies(headers, cookies);
  return headers;
}

function addCookies(headers: string[], cookies: readonly string[]): void {
  for (const cookie of cookies) headers.push('Set-Cookie', cookie);
}

/** Percent-encodes what a header cannot hold and leaves everything else alone. */
export function asciiUrl(url: string): string {
  let text = '';
  for (const byte of Buffer.from(url)) {
    const isPlain = byte > 0x20 && byte < 0x7f;
    text += isPlain
      ? String.fromCharCode(byte)
      : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return text;
}

/** A page with its headers, in pairs of name and value. */
interface PageContent {
  status: number;
  headers: readonly string[];
  body: string | Uint8Array;
}

/** Answers with a page of ours. */
export function sendPage(
  response: Response,
  { status, headers, body }: PageContent,
  { isIndexed = false, cookies = [] }: SendOptions = {},
): void {
  const all = [...headers, ...(isIndexed ? [] : ['X-Robots-Tag', 'noindex'])];
  addCookies(all, cookies);
  response.writeHead(status, all).end(body);
}

/** Answers with a text for programs. */
export function sendText(
  response: Response,
  status: number,
  text: string,
  type = 'text/plain; charset=utf-8',
): void {
  response
    .writeHead(status, [
      'Content-Type',
      type,
      'Content-Length',
      String(Buffer.byteLength(text)),
      'Cache-Control',
      'no-store',
      'X-Content-Type-Options',
      'nosniff',
    ])
    .end(text);
}

/** The bytes of an answer where there is no response object, and after which the connection is closed. */
export function lastAnswer(
  status: number,
  headers: readonly string[],
  body: Uint8Array = new Uint8Array(),
): Buffer {
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`];
  for (let at = 0; at < headers.length; at += 2) lines.push(`${headers[at]}: ${headers[at + 1]}`);
  lines.push('Connection: close', '', '');
  return Buffer.concat([Buffer.from(lines.join('\r\n'), 'latin1'), body]);
}
