import {
  type FontOutlines,
  type LetterOutline,
  MAX_OUTLINE,
  MAX_UNITS,
  parsedOutlines,
  pathOf,
} from '../render/letters.ts';
import { kerningOf } from './kerning.ts';
import type { OpenFont } from './open-font.ts';

/** A font as it is stored. */
export interface ReadFont {
  /** Name in the file; `null` if it has none. */
  name: string | null;
  outlines: FontOutlines;
}

/** A reason to refuse a font, which completes "<field> …". */
export class FontRefused extends Error {}

/**
 * Characters that are drawn one by one. Letters of other scripts change with their neighbors, and
 * combining marks are placed by their letters.
 */
const SINGLE =
  /^[\p{Script_Extensions=Latin}\p{Script_Extensions=Greek}\p{Script_Extensions=Cyrillic}\p{Script_Extensions=Armenian}\p{Script_Extensions=Georgian}\p{Script_Extensions=Han}\p{Script_Extensions=Hiragana}\p{Script_Extensions=Katakana}\p{Script_Extensions=Hangul}\p{Script_Extensions=Bopomofo}\p{Script_Extensions=Common}\p{Co}]$/u;
const UNDRAWN = /^[\p{M}\p{Cc}\p{Cf}\p{Cs}]$/u;

/** A character for which somebody uploads a font; letters of logos are private ones. */
const LETTER = /^[\p{L}\p{N}\p{Co}]$/u;

/** Maximum length of the outlines of a font. */
const MAX_OUTLINES = 2 * 1024 * 1024;
/** Minimum precision of an outline, in units per em; coordinates are whole. */
const MIN_UNITS = 1_000;
/** Greatest advance width, in em. */
const MAX_ADVANCE = 4;
/** Height of capitals and advance of a space in fonts that lack them, in em. */
const CAP_HEIGHT = 0.7;
const SPACE = 0.25;

/**
 * Reads the outlines of a font.
 *
 * @throws FontRefused for a font that must not or cannot be used; other errors for a damaged one
 */
export function outlinesOf(font: OpenFont): ReadFont {
  refuseRestricted(font);
  const own = font.unitsPerEm;
  if (!(own >= 16 && own <= MAX_UNITS)) throw new Error(`the font has ${own} units per em`);
  const scale = Math.ceil(MIN_UNITS / own);
  const unitsPerEm = own * scale;
  const glyphs = glyphsOf(font, scale);
  const capHeight = (font.capHeight ?? 0) * scale;
  const isUsual = capHeight > 0.3 * unitsPerEm && capHeight < 1.2 * unitsPerEm;
  const outlines = {
    unitsPerEm,
    capHeight: Math.round(isUsual ? capHeight : CAP_HEIGHT * unitsPerEm),
    glyphs,
    kerning: kerningOf(font, Object.keys(glyphs), scale),
  };
  // Otherwise an export of the workspace would have a font that no import accepts.
  if (parsedOutlines(JSON.stringify(outlines)) === undefined) {
    throw new Error('a number of the font is out of range');
  }
  return { name: font.fullName, outlines };
}

/** Refuses a font whose license forbids to embed its outlines (OpenType, `OS/2.fsType`). */
function refuseRestricted(font: OpenFont): void {
  const rights = font['OS/2']?.fsType;
  // Of several rights, the widest counts.
  const isRestricted = rights?.noEmbedding === true && !rights.viewOnly && !rights.editable;
  if (isRestricted || rights?.bitmapOnly === true) {
    throw new FontRefused(
      'must be a font whose license lets files embed its outlines (OS/2.fsType)',
    );
  }
}

function glyphsOf(font: OpenFont, scale: number): FontOutlines['glyphs'] {
  const glyphs: Record<string, LetterOutline> = {};
  let length = 0;
  let isDrawn = false;
  const most = MAX_ADVANCE * font.unitsPerEm;
  for (const codePoint of font.characterSet) {
    const character = characterOf(codePoint);
    if (character === undefined || character.normalize('NFC') !== character) continue;
    const glyph = font.glyphForCodePoint(codePoint);
    if (glyph.id === 0) continue;
    const advance = Math.round(Math.min(Math.max(glyph.advanceWidth, 0), most) * scale);
    const path = pathOf(glyph.path.commands, scale);
    if (Number.isNaN(advance) || path.includes('NaN')) throw new Error('an outline has no numbers');
    // An ornament with thousands of points: texts cannot have this character.
    if (path.length > MAX_OUTLINE) continue;
    isDrawn ||= path !== '' && LETTER.test(character);
    length += path.length;
    if (length > MAX_OUTLINES) {
      throw new FontRefused('must have at most 2 MiB of outlines: a subset of its characters');
    }
    glyphs[character] = [advance, path];
  }
  if (!isDrawn) {
    throw new FontRefused('must have outlines for letters that are drawn one by one');
  }
  glyphs[' '] ??= [Math.round(SPACE * font.unitsPerEm * scale), ''];
  return glyphs;
}

function characterOf(codePoint: number): string | undefined {
  if (!(codePoint >= 0x20 && codePoint <= 0x10_ff_ff)) return undefined;
  const character = String.fromCodePoint(codePoint);
  return SINGLE.test(character) && !UNDRAWN.test(character) ? character : undefined;
}
