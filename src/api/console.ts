import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Request, Response } from 'express';
import { Refusal } from '../errors.ts';
import { ROOT } from '../infra/root.ts';
import { PERMISSIONS_POLICY } from '../web/permissions.ts';
import { type StaticFile, sendFile, tagOf } from './static-file.ts';

/** Output folder of scripts/build-console.mjs. */
const BUILT = path.join(ROOT, 'dist', 'console');

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = {
  'Content-Security-Policy': POLICY,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': PERMISSIONS_POLICY,
};

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
};

const NOT_BUILT = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>The console is not built</title></head>
<body><h1>The console is not built</h1>
<p>Run <code>npm start</code>, which builds it, or <code>node scripts/build-console.mjs</code>; then start the API again.</p>
</body></html>`;

/** Returns true if the console has been built. */
export const isConsoleBuilt = (): boolean => existsSync(path.join(BUILT, 'index.html'));

/** Fonts, which are read when they are requested: most are for scripts that few people need. */
const FONTS: ReadonlySet<string> = new Set(['.woff', '.woff2']);

/**
 * Handles `/console` and everything below it. All files are found once, here, so that a path can
 * only name one of them. Assets have a hash in their names and are cached for a year; any other
 * path is a view of the application.
 *
 * @param folder the built console; if missing, every path answers 503 with a page that explains it
 */
export function consoleHandler(folder = BUILT) {
  const files = readFiles(folder);
  return async (request: Request, response: Response): Promise<void> => {
    response.locals['route'] = '/console';
    response.set(HEADERS);
    const index = files.get('index.html');
    if (index === undefined) {
      response.status(503).type('html').send(NOT_BUILT);
      return;
    }
    const name = request.path.slice('/console/'.length);
    // A workspace may also be called "assets"; its views have no dot in their paths.
    const isAsset = name.startsWith('assets/') && path.extname(name) !== '';
    const file = files.get(name) ?? (isAsset ? undefined : index);
    if (file === undefined) throw new Refusal('not_found', `There is no ${request.path}`);
    response.set('Cache-Control', isAsset ? 'public, max-age=31536000, immutable' : 'no-cache');
    await sendFile(file, request, response);
  };
}

function readFiles(folder: string): Map<string, StaticFile> {
  if (!existsSync(folder)) return new Map();
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return new Map(
    names.flatMap((name) => {
      const type = TYPES[path.extname(name)];
      if (type === undefined) return [];
      const full = path.join(folder, name);
      const contents = new Map<string, Buffer>();
      const key = name.split(path.sep).join('/');
      if (FONTS.has(path.extname(name))) {
        return [[key, { type, etag: tagOf(key), contents, path: full }]];
      }
      const content = readFileSync(full);
      for (const [encoding, suffix] of ENCODINGS) {
        const compressed = full + suffix;
        if (existsSync(compressed)) contents.set(encoding, readFileSync(compressed));
      }
      contents.set('identity', content);
      return [[key, { type, etag: tagOf(content), contents }]];
    }),
  );
}

const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;
