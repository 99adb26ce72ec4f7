import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import type opentype from 'opentype.js';
import { type Fontkit, openScriptFont } from './open-script-font.ts';
import { type FontRanges, readRanges, type ScriptFont } from './script-font.ts';

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
  const bytes = read(file);
  if (bytes === undefined) return undefined;
  // Loaded with the first font, since most processes draw no text.
  const { parse } = require('opentype.js') as typeof opentype;
  return parse(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
}

function read(file: string): Buffer | undefined {
  const [scope, name, ...rest] = file.split('/');
  const full = path.join(path.dirname(require.resolve(`${scope}/${name}/package.json`)), ...rest);
  return existsSync(full) ? readFileSync(full) : undefined;
}

const ranges = new Map<string, FontRanges>();

/** Reads which file of a package has which characters; `undefined` without the file. */
export function fontRanges(file: string): FontRanges | undefined {
  const known = ranges.get(file);
  if (known !== undefined) return known;
  const bytes = read(file);
  if (bytes === undefined) return undefined;
  const all = readRanges(JSON.parse(bytes.toString()) as Record<string, string>);
  ranges.set(file, all);
  return all;
}

/**
 * Fonts of other scripts in memory, of several MB each. Variable ones have few characters each, and
 * must not displace the others.
 */
const plainFonts = new LRUCache<string, ScriptFont>({ max: 8 });
const variableFonts = new LRUCache<string, ScriptFont>({ max: 6 });

/** True if {@link scriptFont} has the font of a file, which servers load when it is asked for. */
export const isScriptLoaded = (_file: string): boolean => true;

/** Loads the font of a file of another script; a variable one takes the weight. */
export function scriptFont(file: string, weight: number): ScriptFont | undefined {
  const name = `${file} ${weight}`;
  const fontsOfKind = file.endsWith('.woff2') ? variableFonts : plainFonts;
  const known = fontsOfKind.get(name);
  if (known !== undefined) return known;
  const bytes = read(file);
  if (bytes === undefined) return undefined;
  const one = openScriptFont(require('fontkit') as Fontkit, bytes, weight, brotliDecompressSync);
  fontsOfKind.set(name, one);
  return one;
}
