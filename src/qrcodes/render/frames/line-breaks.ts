/** Breaks near the middle of a text that are tried. */
const TRIES = 3;

/** Letters of scripts that are written without spaces between words. */
const SPACELESS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]/u;
/** Characters that stay at the end of the line before. */
const CLOSING =
  /[\p{Pe}\p{Pf}\p{Mn}\p{Mc}、。，．！？：；・ーぁぃぅぇぉっゃゅょァィゥェォッャュョ々!?,.]/u;

/**
 * Returns the texts of two lines that a text may be broken into, those of equal length first:
 * between words, and in Chinese and Japanese also between letters.
 */
export function breaksOf(text: string): [string, string][] {
  const characters = Array.from(text);
  const middle = characters.length / 2;
  return characters
    .flatMap((character, at) => {
      const before = characters[at - 1];
      if (before === undefined) return [];
      if (character === ' ') return [{ at, next: at + 1 }];
      const isBetween = SPACELESS.test(before) && SPACELESS.test(character);
      return isBetween && !CLOSING.test(character) ? [{ at, next: at }] : [];
    })
    .toSorted((a, b) => Math.abs(a.at - middle) - Math.abs(b.at - middle))
    .slice(0, TRIES)
    .map(({ at, next }): [string, string] => [
      characters.slice(0, at).join('').trim(),
      characters.slice(next).join('').trim(),
    ])
    .filter(([first, second]) => first !== '' && second !== '');
}
