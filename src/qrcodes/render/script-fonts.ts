import { fontRanges, scriptFont } from '#font-files';
import type { FontRanges, ScriptFont, ScriptGlyph } from './script-font.ts';

/*
 * Fonts for scripts that the families lack: Noto Sans of Fontsource (SIL Open Font License). Arabic,
 * Hebrew, Thai and Devanagari have a file for each weight; Chinese, Japanese and Korean have about
 * 120 variable files each, one for some of the characters.
 */

/** A package of fonts, and the characters for which it is searched. */
interface Script {
  folder: string;
  characters: RegExp;
  /** True if letters change with their neighbors. */
  isShaped: boolean;
}

const IDEOGRAPHIC =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\u3000-\u303f\u30fb\u30fc\u3200-\u33ff\ufe30-\ufe4f\uff00-\uffef]/u;

const shaped = (name: string, characters: RegExp): Script => ({
  folder: `@fontsource/noto-sans-${name}`,
  characters,
  isShaped: true,
});
const ideographic = (name: string): Script => ({
  folder: `@fontsource-variable/noto-sans-${name}`,
  characters: IDEOGRAPHIC,
  isShaped: false,
});

const SHAPED = [
  shaped('arabic', /\p{Script_Extensions=Arabic}/u),
  shaped('hebrew', /\p{Script=Hebrew}/u),
  shaped('thai', /[\p{Script=Thai}\u0e3f]/u),
  shaped('devanagari', /\p{Script_Extensions=Devanagari}/u),
];
const JAPANESE = ideographic('jp');
const KOREAN = ideographic('kr');
const CHINESE = ideographic('sc');

/**
 * Packages in the order in which they are searched. Chinese, Japanese and Korean draw the same
 * ideograph differently, so that the other letters of the text decide.
 */
function scriptsFor(text: string): Script[] {
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)) {
    return [...SHAPED, JAPANESE, CHINESE, KOREAN];
  }
  if (/\p{Script=Hangul}/u.test(text)) return [...SHAPED, KOREAN, CHINESE, JAPANESE];
  return [...SHAPED, CHINESE, JAPANESE, KOREAN];
}

/** The font of a letter that changes with its neighbors, or an ideograph. */
export type ScriptDrawing = { script: ScriptFont } | { glyph: IdeographGlyph };

/** An ideograph, in units of its font. */
export interface IdeographGlyph extends ScriptGlyph {
  unitsPerEm: number;
}

/** A file that must be loaded before a search has a result. */
export interface Unloaded {
  needs: string;
}

/** File of the ranges of a package. */
const rangesFile = (folder: string): string => `${folder}/unicode.json`;

/** Finds the font of a character of a text; `undefined` if no font has it. */
export function findScript(
  character: string,
  text: string,
  weight: number,
): ScriptDrawing | Unloaded | undefined {
  const nearest = Math.round(weight / 100) * 100;
  for (const { folder, characters, isShaped } of scriptsFor(text)) {
    if (!characters.test(character)) continue;
    const ranges = fontRanges(rangesFile(folder));
    if (ranges === undefined) return { needs: rangesFile(folder) };
    const subset = subsetOf(ranges, character.codePointAt(0)!);
    if (subset === undefined) continue;
    const start = `${folder}/files/${folder.slice(folder.indexOf('/') + 1)}-${subset}`;
    return isShaped
      ? shapedIn(`${start}-${nearest}-normal.woff`, character, nearest)
      : ideographIn(`${start}-wght-normal.woff2`, character, nearest);
  }
  return undefined;
}

function shapedIn(
  file: string,
  character: string,
  weight: number,
): ScriptDrawing | Unloaded | undefined {
  const script = scriptFont(file, weight);
  if (script === undefined) return { needs: file };
  return script.hasGlyphForCodePoint(character.codePointAt(0)!) ? { script } : undefined;
}

/**
 * Ideographs in memory, those added first being dropped: the fonts of a text may be more than can
 * stay open.
 */
const ideographs = new Map<string, IdeographGlyph>();
const MAX_IDEOGRAPHS = 1_500;

function ideographIn(
  file: string,
  character: string,
  weight: number,
): ScriptDrawing | Unloaded | undefined {
  const name = `${file} ${weight} ${character}`;
  const known = ideographs.get(name);
  if (known !== undefined) return { glyph: known };
  const font = scriptFont(file, weight);
  if (font === undefined) return { needs: file };
  const codePoint = character.codePointAt(0)!;
  if (!font.hasGlyphForCodePoint(codePoint)) return undefined;
  const { advanceWidth, path } = font.glyphForCodePoint(codePoint);
  // Without what the glyph of fontkit refers to, its whole font.
  const commands = path.commands.map(({ command, args }) => ({ command, args: [...args] }));
  const glyph = { advanceWidth, path: { commands }, unitsPerEm: font.unitsPerEm };
  ideographs.set(name, glyph);
  if (ideographs.size > MAX_IDEOGRAPHS) ideographs.delete(ideographs.keys().next().value!);
  return { glyph };
}

function subsetOf({ starts, ends, files }: FontRanges, codePoint: number): string | undefined {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (starts[middle]! <= codePoint) low = middle;
    else high = middle - 1;
  }
  return starts[low]! <= codePoint && codePoint <= ends[low]! ? files[low] : undefined;
}
