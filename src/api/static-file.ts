import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Request, Response } from 'express';
import Negotiator from 'negotiator';
import { isAmong } from '../http/etag.ts';

/** A file for browsers, uncompressed and compressed. */
export interface StaticFile {
  type: string;
  etag: string;
  /** Contents by encoding, smallest first; includes `identity`, unless the file has a path. */
  contents: Map<string, Buffer>;
  /** Path of a file that is read when it is requested. */
  path?: string;
}

/** Sends a file in the smallest encoding that the client accepts, or 304. */
export async function sendFile(
  { type, etag, contents, path: unread }: StaticFile,
  request: Request,
  response: Response,
): Promise<void> {
  const offered = [...contents.keys(), ...(unread === undefined ? [] : ['identity'])];
  const accepted = new Negotiator(request).encodings(offered);
  const encoding = offered.find((name) => accepted.includes(name)) ?? 'identity';
  response.set({ 'Content-Type': type, ETag: etag, Vary: 'Accept-Encoding' });
  // Weak comparison (RFC 9110, 13.1.2), because the same tag is used for every encoding.
  if (isAmong(request.get('if-none-match'), etag.slice('W/'.length))) {
    response.status(304).end();
    return;
  }
  if (encoding !== 'identity') response.set('Content-Encoding', encoding);
  const body = contents.get(encoding) ?? contents.get('identity') ?? (await readFile(unread!));
  response.set('Content-Length', String(body.length));
  response.end(request.method === 'HEAD' ? undefined : body);
}

/** Returns the entity tag of a file, from its content or from a name that has a hash of it. */
export const tagOf = (content: string | Buffer): string =>
  `W/"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;
