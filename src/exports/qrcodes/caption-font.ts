import type { Db } from '../../infra/db.ts';
import { findFont, loadFonts } from '../../qrcodes/fonts/frame-letters.ts';
import { CAPTION_FONT } from '../../qrcodes/render/sheet-page.ts';
import { isFamily, type TextStyles } from '../../qrcodes/render/text.ts';
import type { SheetOptions } from './options.ts';

/**
 * Reads the font of the captions of a sheet.
 *
 * @param isBegun true for an export that has begun, which keeps a deleted font
 * @throws Refusal `unprocessable_entity` if there is none
 */
export async function captionFont(
  trx: Db,
  projectId: string,
  // Exports of releases before 0.6 have no font.
  { captionFont: family = CAPTION_FONT.family }: SheetOptions,
  isBegun: boolean,
): Promise<TextStyles> {
  if (isFamily(family)) return { ...CAPTION_FONT, family };
  const fonts = await loadFonts(trx, projectId, [family]);
  const before = isBegun ? family : undefined;
  const { id, outlines } = findFont(fonts, { field: 'sheet.captionFont', family, before });
  return { ...CAPTION_FONT, family: id, letters: outlines };
}
