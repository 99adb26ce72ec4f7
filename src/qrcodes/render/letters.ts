import { mirrored } from './bidi.ts';
import { type Glyphs, inARow } from './script-glyphs.ts';

/*
 * Fonts of workspaces. A font is reduced to outlines of single characters when it is uploaded, so
 * that nothing else reads an untrusted file. A design has the letters of its text.
 */

/** Advance width, and the outline as SVG path data in whole units, with the y axis up. */
export type LetterOutline = [advance: number, path: string];

/** The characters of a font that are drawn without shaping. */
export interface FontOutlines {
  unitsPerEm: number;
  /** Height of the capitals, in units. */
  capHeight: number;
  glyphs: Record<string, LetterOutline>;
  /** Change of the distance of two characters, in units. */
  kerning: Record<string, number>;
}

/** The characters of a text in a font of the workspace. */
export type Letters = FontOutlines;

/** Maximum length of the outline of a character. */
export const MAX_OUTLINE = 8 * 1024;
/** Maximum number of units per em. */
export const MAX_UNITS = 16_384;
const MAX_COORDINATE = 1_000_000;
/** Maximum length of the letters of a text as JSON. */
export const MAX_LETTERS = 64 * 1024;
/** Extent beyond the capitals and the advance width that letters may have, in em. */
const OVERHANG = 0.3;

/** Picks the characters of a text from a font; those that it lacks are left out. */
export function lettersOf(
  { unitsPerEm, capHeight, glyphs, kerning }: FontOutlines,
  text: string,
): Letters {
  const characters = Array.from(text.normalize('NFC'));
  // Text from right to left has its characters in reverse, and mirrored brackets.
  const reversed = characters.toReversed().map(mirrored);
  const pairs = [characters, reversed].flatMap((row) =>
    row.slice(1).map((character, at) => row[at]! + character),
  );
  return {
    unitsPerEm,
    capHeight,
    glyphs: picked(glyphs, [...characters, ...reversed]),
    kerning: picked(kerning, pairs),
  };
}

const picked = <Value>(all: Record<string, Value>, names: string[]): Record<string, Value> =>
  Object.fromEntries(
    [...new Set(names)].flatMap((name) => (Object.hasOwn(all, name) ? [[name, all[name]!]] : [])),
  );

/** True if a font has a character. */
export const hasLetter = ({ glyphs }: Letters, character: string): boolean =>
  Object.hasOwn(glyphs, character);

/** Sets characters side by side. */
export function letterGlyphs(characters: readonly string[], letters: Letters): Glyphs {
  const { unitsPerEm, glyphs, kerning } = letters;
  let end = 0;
  const placed = characters.map((character, at) => {
    const [advance, path] = glyphs[character]!;
    const width = advance + (kerning[character + (characters[at + 1] ?? '')] ?? 0);
    const commands = commandsOf(path);
    const start = end;
    end += width;
    return { commands, advance: width, dx: 0, dy: 0, start };
  });
  const extent = extentOf(placed);
  const tolerated = OVERHANG * unitsPerEm;
  // A letter that reaches far beyond its place would be drawn over the code.
  const left = Math.max(0, -extent.left - tolerated) / unitsPerEm;
  const right = Math.max(0, extent.right - end - tolerated) / unitsPerEm;
  const row = inARow(placed, unitsPerEm);
  return {
    width: left + Math.max(0, row.width) + right,
    above: Math.max(0, extent.top - tolerated) / unitsPerEm,
    below: Math.max(0, -extent.bottom - tolerated) / unitsPerEm,
    path: (x, y, sizePx) => row.path(x + left * sizePx, y, sizePx),
  };
}

interface Command {
  command: string;
  args: number[];
}

function extentOf(placed: readonly { commands: readonly Command[]; start: number }[]) {
  const extent = { left: 0, right: 0, top: 0, bottom: 0 };
  for (const { commands, start } of placed) {
    for (const { args } of commands) {
      for (const [at, value] of args.entries()) {
        if (at % 2 === 0) {
          extent.left = Math.min(extent.left, start + value);
          extent.right = Math.max(extent.right, start + value);
        } else {
          extent.top = Math.max(extent.top, value);
          extent.bottom = Math.min(extent.bottom, value);
        }
      }
    }
  }
  return extent;
}

/** Names in fontkit, and numbers of coordinates. */
const COMMANDS: Record<string, readonly [name: string, count: number]> = {
  M: ['moveTo', 2],
  L: ['lineTo', 2],
  Q: ['quadraticCurveTo', 4],
  C: ['bezierCurveTo', 6],
  Z: ['closePath', 0],
};

/** Parses an outline. @throws Error for a text that is not one */
export function commandsOf(path: string): Command[] {
  return Array.from(path.matchAll(/([A-Z])([^A-Z]*)/g), ([, letter = '', numbers = '']) => {
    const [command, count] = COMMANDS[letter] ?? ['', -1];
    const args = numbers === '' ? [] : numbers.split(' ').map(Number);
    if (args.length !== count || !args.every(Number.isFinite)) {
      throw new Error(`${letter}${numbers.slice(0, 40)} is no command of an outline`);
    }
    return { command, args };
  });
}

/** Parses the outlines of a font; `undefined` for a text that another program has written wrong. */
export function parsedOutlines(text: string): FontOutlines | undefined {
  try {
    const { unitsPerEm, capHeight, glyphs, kerning } = JSON.parse(text) as FontOutlines;
    const isRight =
      isWithin(unitsPerEm, 1, MAX_UNITS) &&
      isWithin(capHeight, 1, 2 * unitsPerEm) &&
      Object.values(kerning).every((value) => isWithin(value, -MAX_UNITS, MAX_UNITS)) &&
      Object.entries(glyphs).every(
        ([character, [advance, path]]) =>
          Array.from(character).length === 1 &&
          isWithin(advance, 0, MAX_COORDINATE) &&
          path.length <= MAX_OUTLINE &&
          commandsOf(path).every(({ args }) =>
            args.every((value) => isWithin(value, -MAX_COORDINATE, MAX_COORDINATE)),
          ),
      );
    return isRight ? { unitsPerEm, capHeight, glyphs, kerning } : undefined;
  } catch {
    return undefined;
  }
}

const isWithin = (value: number, least: number, most: number): boolean =>
  typeof value === 'number' && value >= least && value <= most;

/** Writes an outline that {@link commandsOf} reads, with coordinates in whole units. */
export const pathOf = (commands: readonly Command[], scale: number): string =>
  commands
    .map(({ command, args }) => LETTERS[command] + args.map((one) => whole(one * scale)).join(' '))
    .join('');

const LETTERS = Object.fromEntries(
  Object.entries(COMMANDS).map(([letter, [name]]) => [name, letter]),
);

// Without -0, which JSON and texts write as 0.
const whole = (value: number): number => Math.round(value) + 0;
