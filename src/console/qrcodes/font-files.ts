import opentype, { type Font } from 'opentype.js';
import { fontFilesOf } from '../../qrcodes/render/text.ts';

/*
 * The browser's version of `#font-files`: drawing reads fonts synchronously, so the fonts must be
 * loaded first.
 */

/** URLs of the font files by path. */
const ADDRESSES = import.meta.glob<string>(
  '../../../node_modules/@fontsource/{inter,nunito,lora,roboto-mono}/files/*-{latin,latin-ext,cyrillic,cyrillic-ext,greek,greek-ext,vietnamese}-*-normal.woff',
  { query: '?url', import: 'default', eager: true },
);
const FOLDER = '../../../node_modules/';

const fonts = new Map<string, Font>();
const loading = new Map<string, Promise<void>>();

/** Returns the font of a file; `undefined` if it does not exist or is not loaded. */
export const fontFile = (file: string): Font | undefined => fonts.get(file);

/** Loads the font files for families and weights, each file once. */
export async function loadFonts(styles: { family: string; weight: number }): Promise<void> {
  await Promise.all(
    fontFilesOf(styles).map((file) => {
      const started = loading.get(file) ?? load(file);
      loading.set(file, started);
      return started;
    }),
  );
}

async function load(file: string): Promise<void> {
  const address = ADDRESSES[FOLDER + file];
  if (address === undefined) return;
  try {
    const response = await fetch(address);
    if (!response.ok) throw new Error(`${address} was answered with ${response.status}`);
    fonts.set(file, opentype.parse(await response.arrayBuffer()));
  } catch (error) {
    loading.delete(file);
    throw error;
  }
}
