import type { Font } from 'opentype.js';
import { fontFile } from '#font-files';
import { inVisualOrder, type Levels, levelsOf, mirrored } from './bidi.ts';
import { hasLetter, type Letters, letterGlyphs } from './letters.ts';
import { outline } from './outline.ts';
import type { ScriptFont } from './script-font.ts';
import { findScript, type Ideograph, type ScriptDrawing, type Unloaded } from './script-fonts.ts';
import { type Glyphs, ideographGlyphs, shapedGlyphs } from './script-glyphs.ts';

/*
 * Text as outlines, which looks the same in every viewer and printer without installed fonts. The
 * fonts are from Fontsource (SIL Open Font License), which splits each into files by script.
 */

/** Font families with the weights of their packages. */
const FAMILIES = {
  Inter: { package: 'inter', weights: [100, 200, 300, 400, 500, 600, 700, 800, 900] },
  Nunito: { package: 'nunito', weights: [200, 300, 400, 500, 600, 700, 800, 900] },
  Lora: { package: 'lora', weights: [400, 500, 600, 700] },
  'Roboto Mono': { package: 'roboto-mono', weights: [100, 200, 300, 400, 500, 600, 700] },
} as const;

type Family = keyof typeof FAMILIES;

export const FONT_FAMILIES = Object.keys(FAMILIES) as Family[];

/** Weight that every family has, in which available characters are looked up. */
const PLAIN_WEIGHT = 400;

/** Scripts in the order in which they are searched for a character. */
const SUBSETS = [
  'latin',
  'latin-ext',
  'cyrillic',
  'cyrillic-ext',
  'greek',
  'greek-ext',
  'vietnamese',
];

const fileOf = (family: Family, subset: string, weight: number): string => {
  const { package: name } = FAMILIES[family];
  return `@fontsource/${name}/files/${name}-${subset}-${weight}-normal.woff`;
};

const font = (family: Family, subset: string, weight: number): Font | undefined =>
  fontFile(fileOf(family, subset, weight));

/**
 * The family of a text. A font of the workspace that is not loaded is drawn with the default one,
 * as in a browser that is loading it.
 */
const familyOf = ({ family }: Pick<TextStyles, 'family'>): Family =>
  isFamily(family) ? family : 'Inter';

/** True for the name of a family that every workspace has. */
export const isFamily = (family: string): family is Family => Object.hasOwn(FAMILIES, family);

/** Files of a family that are read first, for all of its scripts. */
export function familyFilesOf({ family, weight }: TextStyles): string[] {
  const known = familyOf({ family });
  const weights = new Set([nearestWeight(known, weight), nearestWeight(known, PLAIN_WEIGHT)]);
  return [...weights].flatMap((one) => SUBSETS.map((subset) => fileOf(known, subset, one)));
}

/** Font family and weight of a text. */
export interface TextStyles {
  /** Name of a family, or id of a font of the workspace. */
  family: string;
  weight: number;
  /** The letters of a text in a font of the workspace, which has one weight. */
  letters?: Letters | undefined;
}

function nearestWeight(family: Family, weight: number): number {
  return FAMILIES[family].weights.reduce((best, one) =>
    Math.abs(one - weight) < Math.abs(best - weight) ? one : best,
  );
}

function fontFor(character: string, family: Family, weight: number): Font | undefined {
  for (const subset of SUBSETS) {
    const one = font(family, subset, weight);
    if (one !== undefined && one.charToGlyphIndex(character) !== 0) return one;
  }
  return undefined;
}

/** Font or glyph of a character: of the family, or of a script that it lacks. */
type Found = { latin: Font } | { letters: Letters } | ScriptDrawing | Unloaded | undefined;

function find(character: string, text: string, { family, weight, letters }: TextStyles): Found {
  if (letters !== undefined) {
    return hasLetter(letters, character) ? { letters } : findScript(character, text, weight);
  }
  const known = familyOf({ family });
  const latin = fontFor(character, known, nearestWeight(known, weight));
  return latin === undefined ? findScript(character, text, weight) : { latin };
}

/**
 * Returns the next files that a text needs and that are not loaded, which browsers load. Loaded
 * files can be followed by others: fonts by the ranges of their package.
 */
export function missingFilesOf(text: string, styles: TextStyles): string[] {
  const needed = Array.from(text).flatMap((character) => {
    if (INVISIBLE.test(character)) return [];
    const font = find(character, text, styles);
    return font !== undefined && 'needs' in font ? [font.needs] : [];
  });
  return [...new Set(needed)];
}

/** Characters that join or order others, and are not drawn. */
const INVISIBLE = /[\u200c-\u200f\u2066-\u2069]|\ufe0e|\ufe0f/;
/** Joiners, which change the letters around them. */
const JOINER = /[\u200c\u200d]/;

/** The first character of a text that no font has; `undefined` if all have one. */
export function missingCharacter(text: string, styles: TextStyles): string | undefined {
  const composed = text.normalize('NFC');
  return Array.from(composed).find((character) => !isDrawable(character, composed, styles));
}

function isDrawable(character: string, text: string, styles: TextStyles): boolean {
  if (INVISIBLE.test(character)) return true;
  const font = find(character, text, styles);
  return font !== undefined && !('needs' in font);
}

/** A set line of text, for a font size of 1 px. */
export interface Line {
  width: number;
  /** Height of the capitals of the family. */
  capHeight: number;
  /** Extent above and below the baseline by which the text is centered. */
  above: number;
  below: number;
  isRightToLeft: boolean;
  /** Returns path data, with the left end of the baseline at `x`, `y`. */
  path(x: number, y: number, sizePx: number): string;
}

/** Letters in a row that one font draws in one direction. */
type Run = { text: string; level: number } & (
  | { latin: Font }
  | { letters: Letters }
  | { script: ScriptFont }
  | { glyphs: Ideograph[] }
);

/** Lines that were set last: a frame sets its text several times, and shaping is slow. */
const lines = new Map<string, Line>();
const MAX_LINES = 48;
/** The same with the letters of a design. */
const linesOfLetters = new WeakMap<Letters, Map<string, Line>>();

function linesFor({ letters }: TextStyles): Map<string, Line> {
  if (letters === undefined) return lines;
  const known = linesOfLetters.get(letters) ?? new Map<string, Line>();
  linesOfLetters.set(letters, known);
  return known;
}

/** Sets a line of text. Characters that no font has are left out. */
export function setLine(given: string, styles: TextStyles): Line {
  const text = given.normalize('NFC');
  const name = JSON.stringify([text, styles.family, styles.weight]);
  const recent = linesFor(styles);
  const known = recent.get(name);
  if (known !== undefined) return known;
  const line = newLine(text, styles);
  // A browser can set a text before its fonts are loaded.
  if (!Array.from(text).every((character) => isDrawable(character, text, styles))) return line;
  recent.set(name, line);
  if (recent.size > MAX_LINES) recent.delete(recent.keys().next().value!);
  return line;
}

function newLine(text: string, styles: TextStyles): Line {
  const levels = levelsOf(text);
  const runs = inVisualOrder(runsOf(text, styles, levels));
  const capHeight = capHeightOf(styles);
  const parts: { at: number; glyphs: Glyphs }[] = [];
  let width = 0;
  for (const run of runs) {
    const glyphs = glyphsOf(run);
    parts.push({ at: width, glyphs });
    width += glyphs.width;
  }
  return {
    width,
    capHeight,
    above: Math.max(capHeight, ...parts.map(({ glyphs }) => glyphs.above)),
    below: Math.max(0, ...parts.map(({ glyphs }) => glyphs.below)),
    isRightToLeft: levels?.isRightToLeft ?? false,
    path: (x, y, sizePx) =>
      parts.map(({ at, glyphs }) => glyphs.path(x + at * sizePx, y, sizePx)).join(''),
  };
}

function glyphsOf(run: Run): Glyphs {
  if ('latin' in run) return latinGlyphs(run);
  if ('letters' in run) return letterGlyphs(inOrder(run), run.letters);
  return 'script' in run ? shapedGlyphs(run) : ideographGlyphs(run);
}

function runsOf(text: string, styles: TextStyles, levels: Levels | undefined): Run[] {
  const runs: Run[] = [];
  let at = 0;
  for (const character of text) {
    const level = levels?.levels[at] ?? 0;
    at += character.length;
    const before = runs.at(-1);
    if (before !== undefined && 'script' in before && joins(character, before.script)) {
      before.text += character;
      continue;
    }
    if (INVISIBLE.test(character)) continue;
    const font = find(character, text, styles);
    if (font === undefined || 'needs' in font) continue;
    if (before?.level === level && extend(before, font)) before.text += character;
    else runs.push(newRun(character, level, font));
  }
  return runs;
}

/** True for a joiner, and for a mark that the font puts on the letters before. */
const joins = (character: string, font: ScriptFont): boolean =>
  JOINER.test(character) ||
  (/\p{M}/u.test(character) && font.hasGlyphForCodePoint(character.codePointAt(0)!));

/** Adds a character to a run, if the font is the same. */
function extend(run: Run, font: Exclude<Found, Unloaded | undefined>): boolean {
  if ('latin' in font) return 'latin' in run && run.latin === font.latin;
  if ('letters' in font) return 'letters' in run;
  if ('script' in font) return 'script' in run && run.script === font.script;
  if (!('glyphs' in run)) return false;
  run.glyphs.push(font.glyph);
  return true;
}

const newRun = (text: string, level: number, font: Exclude<Found, Unloaded | undefined>): Run =>
  'glyph' in font ? { text, level, glyphs: [font.glyph] } : { text, level, ...font };

/** The characters of a run from left to right. */
const inOrder = ({ text, level }: Pick<Run, 'text' | 'level'>): string[] =>
  level % 2 === 0 ? Array.from(text) : Array.from(text).toReversed().map(mirrored);

function latinGlyphs({ text, level, latin }: { text: string; level: number; latin: Font }): Glyphs {
  const glyphs: { index: number; at: number }[] = [];
  let width = 0;
  for (const character of inOrder({ text, level })) {
    const glyph = latin.charToGlyph(character);
    const before = glyphs.at(-1);
    if (before !== undefined) {
      width += latin.getKerningValue(latin.glyphs.get(before.index), glyph) / latin.unitsPerEm;
    }
    glyphs.push({ index: glyph.index, at: width });
    width += (glyph.advanceWidth ?? 0) / latin.unitsPerEm;
  }
  return {
    width,
    above: 0,
    below: 0,
    path: (x, y, sizePx) =>
      glyphs
        .map(({ index, at }) =>
          outline(latin.glyphs.get(index).getPath(x + at * sizePx, y, sizePx).commands),
        )
        .join(''),
  };
}

function capHeightOf({ family, weight, letters }: TextStyles): number {
  if (letters !== undefined) return letters.capHeight / letters.unitsPerEm;
  const known = familyOf({ family });
  const one = font(known, 'latin', nearestWeight(known, weight));
  const os2 = one?.tables['os2'] as { sCapHeight?: number } | undefined;
  return (os2?.sCapHeight ?? 0) / (one?.unitsPerEm ?? 1) || 0.7;
}
