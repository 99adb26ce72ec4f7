import type { Font, PathCommand } from 'opentype.js';
import { fontFile } from '#font-files';
import { curveTo, lineTo, moveTo } from './geometry.ts';

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

/** Files that {@link setLine} and {@link missingCharacter} may need; browsers load them first. */
export function fontFilesOf({ family, weight }: { family: string; weight: number }): string[] {
  const knownFamily = family as Family;
  const weights = new Set([
    nearestWeight(knownFamily, weight),
    nearestWeight(knownFamily, PLAIN_WEIGHT),
  ]);
  return [...weights].flatMap((one) => SUBSETS.map((subset) => fileOf(knownFamily, subset, one)));
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

/** The first character of a text that the family lacks; `undefined` if it has all. */
export function missingCharacter(text: string, family: string): string | undefined {
  const weight = nearestWeight(family as Family, PLAIN_WEIGHT);
  return Array.from(text).find(
    (character) => fontFor(character, family as Family, weight) === undefined,
  );
}

/** A set line of text: its width and the height of its capitals, for a font size of 1 px. */
export interface Line {
  width: number;
  capHeight: number;
  /** Returns path data, with the left end of the baseline at `x`, `y`. */
  path(x: number, y: number, sizePx: number): string;
}

/** Sets a line of text. Characters that the family lacks are left out. */
export function setLine(
  text: string,
  { family, weight }: { family: string; weight: number },
): Line {
  const nearest = nearestWeight(family as Family, weight);
  const glyphs: { font: Font; index: number; at: number }[] = [];
  let width = 0;
  for (const character of text) {
    const characterFont = fontFor(character, family as Family, nearest);
    if (characterFont === undefined) continue;
    const glyph = characterFont.charToGlyph(character);
    const before = glyphs.at(-1);
    if (before?.font === characterFont) {
      width +=
        characterFont.getKerningValue(characterFont.glyphs.get(before.index), glyph) /
        characterFont.unitsPerEm;
    }
    glyphs.push({ font: characterFont, index: glyph.index, at: width });
    width += (glyph.advanceWidth ?? 0) / characterFont.unitsPerEm;
  }
  return {
    width,
    capHeight: capHeightOf(font(family as Family, 'latin', nearest)),
    path: (x, y, sizePx) =>
      glyphs
        .map(({ font: own, index, at }) =>
          outline(own.glyphs.get(index).getPath(x + at * sizePx, y, sizePx).commands),
        )
        .join(''),
  };
}

function capHeightOf(one: Font | undefined): number {
  const os2 = one?.tables['os2'] as { sCapHeight?: number } | undefined;
  return (os2?.sCapHeight ?? 0) / (one?.unitsPerEm ?? 1) || 0.7;
}

/**
 * Converts outlines to M, L, C and Z: a quadratic curve becomes a cubic one whose control points
 * are two thirds of the way out.
 */
function outline(commands: PathCommand[]): string {
  let path = '';
  let [x, y] = [0, 0];
  for (const command of commands) {
    switch (command.type) {
      case 'M':
        path += moveTo(command.x, command.y);
        break;
      case 'L':
        path += lineTo(command.x, command.y);
        break;
      case 'C':
        path += curveTo(command.x1, command.y1, command.x2, command.y2, command.x, command.y);
        break;
      case 'Q':
        path += curveTo(
          x + (2 / 3) * (command.x1 - x),
          y + (2 / 3) * (command.y1 - y),
          command.x + (2 / 3) * (command.x1 - command.x),
          command.y + (2 / 3) * (command.y1 - command.y),
          command.x,
          command.y,
        );
        break;
      case 'Z':
        path += 'Z';
        continue;
    }
    [x, y] = [command.x, command.y];
  }
  return path;
}
