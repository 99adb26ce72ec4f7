/* Fonts of scripts that the families lack, in a part of its own that most people never load. */

/** URLs of the font files by path. */
export const SCRIPT_ADDRESSES = import.meta.glob<string>(
  [
    '../../../node_modules/@fontsource/noto-sans-{arabic,hebrew,thai,devanagari}/files/*-{arabic,hebrew,thai,devanagari}-*-normal.woff',
    '../../../node_modules/@fontsource-variable/noto-sans-{sc,jp,kr}/files/*-[0-9]*-wght-normal.woff2',
  ],
  { query: '?url', import: 'default', eager: true },
);
