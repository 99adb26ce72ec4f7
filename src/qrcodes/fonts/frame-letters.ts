import { Refusal } from '../../errors.ts';
import { type Db, rows } from '../../infra/db.ts';
import { nameKey } from '../../workspaces/taken-name.ts';
import { labelOf } from '../render/frames/label-text.ts';
import { type FontOutlines, lettersOf, MAX_LETTERS } from '../render/letters.ts';
import type { StoredDesign } from '../render/stored-design.ts';
import { FONT_FAMILIES, isFamily } from '../render/text.ts';

/** A font that designs name. */
interface LoadedFont {
  id: string;
  nameKey: string;
  isDeleted: boolean;
  outlines: FontOutlines;
}

export type Fonts = readonly LoadedFont[];

const familyOf = (design: StoredDesign): string | undefined =>
  design.frameTextStyles?.family ?? undefined;

/** Reads the fonts of the workspace that are named by id or name. */
export async function loadFonts(
  trx: Db,
  projectId: string,
  families: readonly string[],
): Promise<Fonts> {
  const names = [...new Set(families)].filter((family) => !isFamily(family));
  if (names.length === 0) return [];
  const found = await rows<{
    id: string;
    name_key: string;
    deleted_at: Date | null;
    outlines: string;
  }>(
    trx,
    `SELECT id, name_key, deleted_at, outlines FROM fonts
      WHERE project_id = :projectId
        AND (id = ANY(:names) OR (name_key = ANY(:keys) AND deleted_at IS NULL))`,
    { projectId, names, keys: names.map(nameKey) },
  );
  return found.map(({ id, name_key, deleted_at, outlines }) => ({
    id,
    nameKey: name_key,
    isDeleted: deleted_at !== null,
    outlines: JSON.parse(outlines) as FontOutlines,
  }));
}

/** Reads the fonts of the workspace that designs name. */
export const loadFontsOf = (
  trx: Db,
  projectId: string,
  designs: readonly StoredDesign[],
): Promise<Fonts> =>
  loadFonts(
    trx,
    projectId,
    designs.flatMap((design) => familyOf(design) ?? []),
  );

/**
 * Finds the font with an id or a name.
 *
 * @param field for the refusal
 * @param before a font that may have been deleted
 * @throws Refusal `unprocessable_entity` if there is none
 */
export function findFont(
  fonts: Fonts,
  { field, family, before }: { field: string; family: string; before?: string | undefined },
): LoadedFont {
  const font =
    fonts.find(({ id, isDeleted }) => id === family && (!isDeleted || id === before)) ??
    fonts.find(({ nameKey: key, isDeleted }) => key === nameKey(family) && !isDeleted);
  if (font !== undefined) return font;
  throw new Refusal(
    'unprocessable_entity',
    `${field} must be one of ${FONT_FAMILIES.join(', ')}, or the id or name of a font of the workspace`,
  );
}

/**
 * Adds the letters of its text to a design with a font of the workspace, and names the font by its
 * id.
 *
 * @param before the family that the code or its template has, which may have been deleted since
 * @throws Refusal `unprocessable_entity` if there is no such font, or its letters are too complex
 */
export function withLetters(
  design: StoredDesign,
  fonts: Fonts,
  before: string | undefined,
): StoredDesign {
  const family = familyOf(design);
  if (family === undefined || isFamily(family)) {
    return design.frameLetters ? { ...design, frameLetters: null } : design;
  }
  const font = findFont(fonts, { field: 'frameTextStyles.family', family, before });
  const text = labelOf({ frameText: design.frameText ?? '' });
  const frameLetters = lettersOf(font.outlines, text);
  if (JSON.stringify(frameLetters).length > MAX_LETTERS) {
    throw new Refusal(
      'unprocessable_entity',
      `frameText must have simpler letters: their outlines in this font exceed ${MAX_LETTERS / 1024} KiB`,
    );
  }
  const frameTextStyles = { ...design.frameTextStyles, family: font.id };
  return { ...design, frameTextStyles, frameLetters };
}

/** True if a change of a design can need other letters. */
export const changesLetters = ({ frameText, frameTextStyles }: StoredDesign): boolean =>
  frameText !== undefined || frameTextStyles !== undefined;
