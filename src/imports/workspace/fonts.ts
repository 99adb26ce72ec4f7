import Joi from 'joi';
import { Refusal } from '../../errors.ts';
import { dateTime, nameText, Joi as Schemas } from '../../http/fields.ts';
import { fontNameFault, MAX_FONT_NAME } from '../../qrcodes/fonts/schema.ts';
import { parsedOutlines } from '../../qrcodes/render/letters.ts';
import type { StoredDesign } from '../../qrcodes/render/stored-design.ts';
import { nameKey } from '../../workspaces/taken-name.ts';
import { type ArchiveContext, importedId } from './context.ts';

/* Fonts in the archive of a workspace. */

/** Maximum length of the outlines of a font as JSON. */
const MAX_OUTLINES_TEXT = 5 * 1024 * 1024;

type Data = Record<string, unknown>;

/** The record kind `font`. */
export const FONTS = {
  table: 'fonts',
  schema: Schemas.object<Data>({
    id: Schemas.string().required(),
    name: nameText(MAX_FONT_NAME).required(),
    // Longer than the limit of all texts.
    outlines: Joi.string().max(MAX_OUTLINES_TEXT).required(),
    createdAt: dateTime().required(),
    deletedAt: dateTime(),
  }),
  row: (_: ArchiveContext, { name, outlines, createdAt, deletedAt }: Data): Data => ({
    name,
    name_key: nameKey(String(name)),
    characters: Object.keys(parsedOutlines(String(outlines))!.glyphs).length,
    outlines,
    created_at: createdAt,
    deleted_at: deletedAt,
  }),
  refuse,
};

/** @throws Refusal for a name that no font can have, and for outlines that cannot be drawn */
async function refuse({ name, outlines }: Data): Promise<void> {
  const rule = fontNameFault(String(name));
  if (rule !== undefined) throw new Refusal('unprocessable_entity', `name ${rule}`);
  if (parsedOutlines(String(outlines)) !== undefined) return;
  throw new Refusal('unprocessable_entity', 'outlines must be as an export has them');
}

/** Names the font of a design by its id in the workspace. */
export function withImportedFont(context: ArchiveContext, design: StoredDesign): StoredDesign {
  const { family } = design.frameTextStyles ?? {};
  if (family === undefined || !family.startsWith('font_')) return design;
  const frameTextStyles = { ...design.frameTextStyles, family: importedId(context, family) };
  return { ...design, frameTextStyles };
}
