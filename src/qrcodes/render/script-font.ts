/** A glyph as fontkit draws it, in units of its font with the y axis up. */
export interface ScriptGlyph {
  advanceWidth: number;
  path: { commands: { command: string; args: number[] }[] };
}

/** The part of a font of fontkit that is used. */
export interface ScriptFont {
  unitsPerEm: number;
  hasGlyphForCodePoint(codePoint: number): boolean;
  glyphForCodePoint(codePoint: number): ScriptGlyph;
  layout(
    text: string,
    features: Record<string, boolean> | undefined,
    script: string | undefined,
    language: undefined,
    direction: 'ltr' | 'rtl',
  ): {
    glyphs: ScriptGlyph[];
    positions: { xAdvance: number; xOffset: number; yOffset: number }[];
  };
}

/** Code points of the files of a package: the ends of ranges in ascending order, and their files. */
export interface FontRanges {
  starts: number[];
  ends: number[];
  files: string[];
}

/** Subsets of other scripts in these packages, which the families have. */
const LATIN = /^(?:latin|cyrillic|greek|vietnamese|math|symbols)/;

/**
 * Reads the file `unicode.json` of a package: CSS ranges by the name of a subset, in brackets if it
 * is a number.
 */
export function readRanges(subsets: Record<string, string>): FontRanges {
  const all = Object.entries(subsets)
    .filter(([name]) => !LATIN.test(name))
    .flatMap(([name, ranges]) =>
      ranges.split(',').map((range) => {
        const [start = 0, end = start] = range
          .replace('U+', '')
          .split('-')
          .map((hex) => Number.parseInt(hex, 16));
        return { start, end, name: name.replaceAll(/[[\]]/g, '') };
      }),
    )
    .toSorted((a, b) => a.start - b.start);
  return {
    starts: all.map(({ start }) => start),
    ends: all.map(({ end }) => end),
    files: all.map(({ name }) => name),
  };
}
