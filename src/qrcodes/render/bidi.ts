import bidiFactory, { type Bidi } from 'bidi-js';

/* Order of letters in texts with scripts from right to left (UAX #9). */

const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\u200f\u202b\u202e\u2067]/u;

/** Levels of the characters of a text: odd ones run from right to left. */
export interface Levels {
  /** By code unit. */
  levels: ArrayLike<number>;
  isRightToLeft: boolean;
}

/**
 * Its tables are decoded when they are first needed. Node loads the package as CommonJS, which its
 * types do not describe.
 */
const bidi = (bidiFactory as unknown as () => Bidi)();

/** Returns the levels of a text; `undefined` if all run from left to right. */
export function levelsOf(text: string): Levels | undefined {
  if (!RIGHT_TO_LEFT.test(text)) return undefined;
  const { levels, paragraphs } = bidi.getEmbeddingLevels(text);
  return { levels, isRightToLeft: (paragraphs[0]?.level ?? 0) % 2 === 1 };
}

/** The character that stands for another one from right to left, such as `)` for `(`. */
export function mirrored(character: string): string {
  return bidi.getMirroredCharacter(character) ?? character;
}

/** Puts runs into the order in which they are drawn (UAX #9, L2). */
export function inVisualOrder<Run extends { level: number }>(runs: readonly Run[]): Run[] {
  const order = [...runs];
  const highest = Math.max(0, ...runs.map(({ level }) => level));
  for (let level = highest; level > 0; level -= 1) {
    for (let start = 0; start < order.length; start += 1) {
      if (order[start]!.level < level) continue;
      let end = start;
      while (end < order.length && order[end]!.level >= level) end += 1;
      order.splice(start, end - start, ...order.slice(start, end).toReversed());
      start = end;
    }
  }
  return order;
}
