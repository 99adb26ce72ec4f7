import { fontRanges, isScriptLoaded, scriptFont } from '#font-files';
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
  lacking?: RegExp | undefined;
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
/** @param lacking characters that its ranges have and its fonts lack */
const ideographic = (name: string, lacking?: RegExp): Script => ({
  folder: `@fontsource-variable/noto-sans-${name}`,
  characters: IDEOGRAPHIC,
  lacking,
  isShaped: false,
});

const SHAPED = [
  shaped('arabic', /\p{Script_Extensions=Arabic}/u),
  shaped('hebrew', /\p{Script=Hebrew}/u),
  shaped('thai', /[\p{Script=Thai}\u0e3f]/u),
  shaped('devanagari', /\p{Script_Extensions=Devanagari}/u),
];
const JAPANESE = ideographic('jp');
const KOREAN = ideographic('kr', /[\u9699\uf95f\uf9aa]/u);
const CHINESE = ideographic('sc', /[\p{Script=Hangul}\u4db6-\u4dbf\u9ff0-\u9fff\uf900-\ufaff]/u);

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
export type ScriptDrawing = { script: ScriptFont } | { glyph: Ideograph };

/**
 * An ideograph. Its width needs no font, so that a design is checked without opening one for each
 * of its characters.
 */
export interface Ideograph {
  /** Advance width for a font size of 1 px. */
  width: number;
  /** File of its font. */
  file: string;
  /** Returns the outline in units of {@link IDEOGRAPH_UNITS} per em. */
  commands(): ScriptGlyph['path']['commands'];
}

/** Units per em of the fonts of ideographs. */
export const IDEOGRAPH_UNITS = 1_000;

/** Widths of the characters that are not as wide as high, in em. */
const WIDTHS: readonly (readonly [characters: RegExp, width: number])[] = [
  [/[\u3131-\u318e\uac00-\ud7a3\uffa1-\uffdc]/u, 0.92],
  [/[\uff61-\uff9f\uffe8-\uffee]/u, 0.5],
  [/[\u02ea\u02eb\u31b4-\u31b7\u31bb]/u, 0.6],
  [/[\u302a-\u302d]/u, 0],
  [/[\u302e\u302f]/u, 0.25],
];

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
  for (const { folder, characters, lacking, isShaped } of scriptsFor(text)) {
    if (!characters.test(character) || lacking?.test(character) === true) continue;
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

/** Ideographs in memory; those that were added first are dropped. */
const ideographs = new Map<string, Ideograph>();
const MAX_IDEOGRAPHS = 1_500;

function ideographIn(file: string, character: string, weight: number): ScriptDrawing | Unloaded {
  if (!isScriptLoaded(file)) return { needs: file };
  const name = `${file} ${weight} ${character}`;
  const known = ideographs.get(name);
  if (known !== undefined) return { glyph: known };
  const glyph = {
    file,
    width: WIDTHS.find(([characters]) => characters.test(character))?.[1] ?? 1,
    commands: memoized(() => outlineOf(file, character, weight)),
  };
  ideographs.set(name, glyph);
  if (ideographs.size > MAX_IDEOGRAPHS) ideographs.delete(ideographs.keys().next().value!);
  return { glyph };
}

function memoized<Result>(make: () => Result): () => Result {
  let result: Result | undefined;
  return () => (result ??= make());
}

function outlineOf(file: string, character: string, weight: number) {
  const { path } = scriptFont(file, weight)!.glyphForCodePoint(character.codePointAt(0)!);
  // Without what the glyph of fontkit refers to, its whole font.
  return path.commands.map(({ command, args }) => ({ command, args: [...args] }));
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
