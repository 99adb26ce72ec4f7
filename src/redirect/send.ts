import type { ServerResponse } from 'node:http';
import type { Page } from '../html/layout.ts';

/** How an answer differs from a plain one. */
export interface Sending {
  /** Search engines may show it. */
  isIndexed?: boolean;
  cookies?: readonly string[];
}

/** Leads on to another address. */
export function sendRedirect(
  response: ServerResponse,
  status: number,
  destination: string,
  sending: Sending = {},
): void {
  try {
    response.writeHead(status, redirectHeaders(destination, sending));
  } catch {
    // No header may hold it. Writers store encoded URLs, so this is a row of another time.
    response.writeHead(status, redirectHeaders(asciiUrl(destination), sending));
  }
  response.end();
}

// Flat, because node copies an object into such a list first.
function redirectHeaders(location: string, { isIndexed, cookies }: Sending): string[] {
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

/** Shows a page of ours. */
export function sendPage(
  response: ServerResponse,
  { status, headers, body }: Page,
  { isIndexed = false, cookies = [] }: Sending = {},
): void {
  const all = [...headers, ...(isIndexed ? [] : ['X-Robots-Tag', 'noindex'])];
  addCookies(all, cookies);
  response.writeHead(status, all).end(body);
}

/** A few words for a machine. */
export function sendText(response: ServerResponse, status: number, text: string): void {
  response
    .writeHead(status, [
      'Content-Type',
      'text/plain; charset=utf-8',
      'Content-Length',
      String(Buffer.byteLength(text)),
      'Cache-Control',
      'no-store',
      'X-Content-Type-Options',
      'nosniff',
    ])
    .end(text);
}
