import type { Font } from 'opentype.js';
import { openScriptFont } from '../../qrcodes/render/open-script-font.ts';
import { type FontRanges, readRanges, type ScriptFont } from '../../qrcodes/render/script-font.ts';
import { familyFilesOf, missingFilesOf, type TextStyles } from '../../qrcodes/render/text.ts';

/*
 * The browser's version of `#font-files`: drawing reads fonts synchronously, so the fonts must be
 * loaded first.
 */

/** URLs of the font files by path. */
const ADDRESSES = import.meta.glob<string>(
  [
    '../../../node_modules/@fontsource/{inter,nunito,lora,roboto-mono}/files/*-{latin,latin-ext,cyrillic,cyrillic-ext,greek,greek-ext,vietnamese}-*-normal.woff',
  ],
  { query: '?url', import: 'default', eager: true },
);

/** Characters of the files of other scripts. */
const RANGES = import.meta.glob<Record<string, string>>(
  [
    '../../../node_modules/@fontsource/noto-sans-*/unicode.json',
    '../../../node_modules/@fontsource-variable/noto-sans-*/unicode.json',
  ],
  { import: 'default' },
);
const FOLDER = '../../../node_modules/';

const fonts = new Map<string, Font>();
const ranges = new Map<string, FontRanges>();
/** Files of other scripts, which can be opened at several weights. */
const scriptFiles = new Map<string, Uint8Array>();
const scriptFonts = new Map<string, ScriptFont>();
const fontkit = new Map<'fontkit', typeof import('fontkit')>();
const loading = new Map<string, Promise<void>>();

/** Returns the font of a file; `undefined` if it does not exist or is not loaded. */
export const fontFile = (file: string): Font | undefined => fonts.get(file);

/** Returns which file of a package has which characters; `undefined` before it is loaded. */
export const fontRanges = (file: string): FontRanges | undefined => ranges.get(file);

/** True if {@link scriptFont} has the font of a file. */
export const isScriptLoaded = (file: string): boolean =>
  scriptFiles.has(file) && fontkit.has('fontkit');

/** Returns the font of a file of another script; `undefined` before it is loaded. */
export function scriptFont(file: string, weight: number): ScriptFont | undefined {
  const name = `${file} ${weight}`;
  const known = scriptFonts.get(name);
  const bytes = scriptFiles.get(file);
  const library = fontkit.get('fontkit');
  if (known !== undefined || bytes === undefined || library === undefined) return known;
  const font = openScriptFont(library as Parameters<typeof openScriptFont>[0], bytes, weight);
  scriptFonts.set(name, font);
  return font;
}

/** Loads the font files of families and of the scripts of a text, each file once. */
export async function loadFonts(text: string, styles: TextStyles): Promise<void> {
  const families = styles.letters === undefined ? familyFilesOf(styles) : [];
  await Promise.all(families.map((file) => once(file, load)));
  // Which fonts have a character is known when the ranges of its script are loaded.
  for (let files = missingFilesOf(text, styles); files.length > 0; ) {
    await Promise.all(files.map((file) => once(file, loadScriptFile)));
    const next = missingFilesOf(text, styles);
    // A file that lacks what its ranges promise leaves the character to the check.
    if (next.every((file) => files.includes(file))) return;
    files = next;
  }
}

function once(file: string, start: (file: string) => Promise<void>): Promise<void> {
  const started = loading.get(file) ?? start(file);
  loading.set(file, started);
  return started.catch((error: unknown) => {
    loading.delete(file);
    throw error;
  });
}

async function load(file: string): Promise<void> {
  const address = ADDRESSES[FOLDER + file];
  if (address === undefined) return;
  const [{ default: opentype }, bytes] = await Promise.all([
    import('opentype.js'),
    bytesAt(address),
  ]);
  fonts.set(file, opentype.parse(bytes.buffer));
}

async function loadScriptFile(file: string): Promise<void> {
  const path = FOLDER + file;
  const readAll = RANGES[path];
  if (readAll !== undefined) {
    ranges.set(file, readRanges(await readAll()));
    return;
  }
  const [{ SCRIPT_ADDRESSES }, library] = await Promise.all([
    import('./script-files.ts'),
    import('fontkit'),
  ]);
  const address = SCRIPT_ADDRESSES[path];
  if (address === undefined) return;
  const bytes = await bytesAt(address);
  fontkit.set('fontkit', library);
  scriptFiles.set(file, bytes);
}

async function bytesAt(address: string): Promise<Uint8Array<ArrayBuffer>> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address} was answered with ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}
