import type { FontOutlines } from '../render/letters.ts';
import type { OpenFont } from './open-font.ts';

/**
 * Characters that are kerned, by scripts with their tags of OpenType. The time grows with the
 * square of their number.
 */
const GROUPS: readonly (readonly [tag: string, characters: RegExp])[] = [
  ['latn', /^[a-z0-9\u00c0-\u00ff .,:;!?'"\u2013\u2014\u2018-\u201e-]$/i],
  ['cyrl', /^[\u0400-\u045f.,:!?-]$/],
  ['grek', /^[\u0386-\u03ce.,:!?-]$/],
];

/** Features that would replace letters by others. */
const PLAIN = {
  ccmp: false,
  calt: false,
  clig: false,
  liga: false,
  rlig: false,
  locl: false,
  rclt: false,
};

/**
 * Measures the kerning of pairs of letters, from the tables `GPOS` and `kern`.
 *
 * @param characters of the font
 */
export function kerningOf(
  font: OpenFont,
  characters: readonly string[],
  scale: number,
): FontOutlines['kerning'] {
  const kerning: Record<string, number> = {};
  try {
    for (const [tag, pattern] of GROUPS) {
      const group = characters.filter((character) => pattern.test(character));
      for (const left of group) measure(font, { tag, left, group, scale }, kerning);
    }
  } catch {
    // A damaged table: letters keep their plain distances.
    return {};
  }
  return kerning;
}

/** Sets one letter before each of the others in a single line, which is faster than pairs. */
function measure(
  font: OpenFont,
  { tag, left, group, scale }: { tag: string; left: string; group: string[]; scale: number },
  kerning: Record<string, number>,
): void {
  const text = group.map((right) => left + right).join('');
  const { glyphs, positions } = font.layout(text, PLAIN, tag, undefined, 'ltr');
  if (glyphs.length !== 2 * group.length) return;
  for (const [at, right] of group.entries()) {
    const change = positions[2 * at]!.xAdvance - glyphs[2 * at]!.advanceWidth;
    const units = Math.round(change * scale);
    if (units !== 0 && Number.isFinite(units)) kerning[left + right] = units;
  }
}
