import { STATUS_CODES } from 'node:http';
import type { Response } from './plain-requests.ts';

/** Optional parts of an answer. */
export interface SendOptions {
  /** Allows search engines to index the answer. */
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
    // Headers must be ASCII. Stored URLs are, except in rows of early releases.
    response.writeHead(status, redirectHeaders(asciiUrl(destination), options));
  }
  response.end();
}

// A flat list, since Node converts an object into one first.
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

/** Percent-encodes what a header cannot hold, and nothing else. */
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

/** Sends one of the service's own pages. */
export function sendPage(
  response: Response,
  { status, headers, body }: PageContent,
  { isIndexed = false, cookies = [] }: SendOptions = {},
): void {
  const all = [...headers, ...(isIndexed ? [] : ['X-Robots-Tag', 'noindex'])];
  addCookies(all, cookies);
  response.writeHead(status, all).end(body);
}

/** Sends a text to a program. */
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

/** The bytes of a response without a response object, after which the connection is closed. */
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
