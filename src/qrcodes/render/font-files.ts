import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type opentype from 'opentype.js';

/* Fonts on servers. Browsers resolve `#font-files` to another file (`imports` of package.json). */

const require = createRequire(import.meta.url);

const fonts = new Map<string, opentype.Font | undefined>();

/**
 * Loads the font of a file such as `@fontsource/inter/files/inter-latin-400-normal.woff`;
 * `undefined` if there is none.
 */
export function fontFile(file: string): opentype.Font | undefined {
  if (!fonts.has(file)) fonts.set(file, load(file));
  return fonts.get(file);
}

function load(file: string): opentype.Font | undefined {
  const [scope, name, ...rest] = file.split('/');
  const full = path.join(path.dirname(require.resolve(`${scope}/${name}/package.json`)), ...rest);
  if (!existsSync(full)) return undefined;
  const bytes = readFileSync(full);
  // Loaded with the first font, since most processes draw no text.
  const { parse } = require('opentype.js') as typeof opentype;
  return parse(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
}
