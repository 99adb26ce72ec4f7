import { readFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { Express } from 'express';
import { once } from '../infra/memoize.ts';
import { ROOT } from '../infra/root.ts';
import { allowOrigin } from './cors.ts';
import { type StaticFile, sendFile, tagOf } from './static-file.ts';

const PATH = '/track.js';
/** Output of scripts/build-programs.mjs. */
const BUILT = path.join(ROOT, 'dist', 'programs', 'page-script.js');

/** Browsers load an update within an hour, and show no page later because of it. */
const CACHE_CONTROL = 'public, max-age=3600, stale-while-revalidate=86400';

/** Serves the script of web pages to pages of any origin. */
export function servePageScript(app: Express): void {
  const file = once(readScript);
  app.get(PATH, async (request, response) => {
    response.locals['route'] = PATH;
    allowOrigin(request, response, true);
    response.set({
      'Cache-Control': CACHE_CONTROL,
      'Cross-Origin-Resource-Policy': 'cross-origin',
      'X-Content-Type-Options': 'nosniff',
    });
    await sendFile(file(), request, response);
  });
}

function readScript(): StaticFile {
  const content = readFileSync(BUILT);
  const contents = new Map([
    ['br', brotliCompressSync(content)],
    ['gzip', gzipSync(content, { level: 9 })],
    ['identity', content],
  ]);
  return { type: 'text/javascript; charset=utf-8', etag: tagOf(content), contents };
}
