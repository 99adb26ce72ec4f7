import type { PathCommand } from 'opentype.js';
import { outline } from './outline.ts';
import type { ScriptFont } from './script-font.ts';
import { IDEOGRAPH_UNITS, type Ideograph } from './script-fonts.ts';

/** Glyphs of a run, for a font size of 1 px. */
export interface Glyphs {
  width: number;
  above: number;
  below: number;
  path(x: number, y: number, sizePx: number): string;
}

/** Draws letters that change with their neighbors. */
export function shapedGlyphs({
  text,
  level,
  script,
}: {
  text: string;
  level: number;
  script: ScriptFont;
}): Glyphs {
  const { glyphs, positions } = shape(reordered(text), level % 2 === 0 ? 'ltr' : 'rtl', script);
  const placed = glyphs.map(({ path }, at) => {
    const { xAdvance = 0, xOffset = 0, yOffset = 0 } = positions[at] ?? {};
    return { commands: path.commands, advance: xAdvance, dx: xOffset, dy: yOffset };
  });
  const set = inARow(placed, script.unitsPerEm);
  const heights = placed.flatMap(({ commands, dy }) =>
    commands.flatMap(({ args }) => args.filter((_, at) => at % 2 === 1).map((one) => one + dy)),
  );
  const highest = heights.reduce((most, one) => Math.max(most, one), 0);
  const lowest = heights.reduce((least, one) => Math.min(least, one), 0);
  return { ...set, above: highest / script.unitsPerEm, below: -lowest / script.unitsPerEm };
}

function shape(text: string, direction: 'ltr' | 'rtl', font: ScriptFont) {
  const layout = (features?: Record<string, boolean>) =>
    font.layout(text, features, undefined, undefined, direction);
  try {
    return layout();
  } catch {
    // fontkit cannot place some marks that no word has together. Then none is placed.
    return layout({ mark: false, mkmk: false });
  }
}

/** Extent by which ideographs are centered, since their outlines differ too much in height. */
const IDEOGRAPHS = { above: 0.81, below: 0.07 };

/** Draws ideographs side by side; fonts are opened for the path only. */
export function ideographGlyphs({ glyphs }: { glyphs: readonly Ideograph[] }): Glyphs {
  return {
    width: glyphs.reduce((sum, { width }) => sum + width, 0),
    ...IDEOGRAPHS,
    path(x, y, sizePx) {
      const placed = glyphs.map(({ width, commands }) => ({
        commands: commands(),
        advance: width * IDEOGRAPH_UNITS,
        dx: 0,
        dy: 0,
      }));
      return inARow(placed, IDEOGRAPH_UNITS).path(x, y, sizePx);
    },
  };
}

/** Places glyphs side by side. */
export function inARow(
  glyphs: readonly Placed[],
  unitsPerEm: number,
): Pick<Glyphs, 'width' | 'path'> {
  let width = 0;
  const placed = glyphs.map(({ commands, advance, dx, dy }) => {
    const x = width + dx;
    width += advance;
    return { commands, x, y: dy };
  });
  return {
    width: width / unitsPerEm,
    path: (x, y, sizePx) => {
      const scale = sizePx / unitsPerEm;
      return placed
        .map((glyph) =>
          outline(
            glyph.commands.map((command) =>
              moved(command, scale, x + glyph.x * scale, y - glyph.y * scale),
            ),
          ),
        )
        .join('');
    },
  };
}

interface Command {
  command: string;
  args: number[];
}

/** A glyph, and its distances in units of the font. */
interface Placed {
  commands: Command[];
  advance: number;
  dx: number;
  dy: number;
}

/**
 * Puts marks into the order that fonts expect, which fontkit leaves to its callers: shadda before
 * vowels, and the two parts of Thai sara am around a tone.
 */
const reordered = (text: string): string =>
  text
    .replaceAll(/([\u064b-\u0650\u0652])\u0651/g, '\u0651$1')
    .replaceAll(/([\u0e48-\u0e4b]?)\u0e33/g, '\u0e4d$1\u0e32');

const TYPES: Record<string, 'M' | 'L' | 'Q' | 'C' | 'Z'> = {
  moveTo: 'M',
  lineTo: 'L',
  quadraticCurveTo: 'Q',
  bezierCurveTo: 'C',
  closePath: 'Z',
};

/** Converts a command to px, with the y axis down. */
function moved({ command, args }: Command, scale: number, dx: number, dy: number): PathCommand {
  const type = TYPES[command]!;
  const value = (at: number) =>
    args[at]! * (at % 2 === 0 ? scale : -scale) + (at % 2 === 0 ? dx : dy);
  const [a, b] = [value(0), value(1)];
  if (type === 'Z') return { type };
  if (type === 'M' || type === 'L') return { type, x: a, y: b };
  if (type === 'Q') return { type, x1: a, y1: b, x: value(2), y: value(3) };
  return { type, x1: a, y1: b, x2: value(2), y2: value(3), x: value(4), y: value(5) };
}
