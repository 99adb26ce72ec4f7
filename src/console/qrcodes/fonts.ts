import { queryOptions } from '@tanstack/react-query';
import { type FontOutlines, type Letters, lettersOf } from '../../qrcodes/render/letters.ts';
import { CAPTION_FONT } from '../../qrcodes/render/sheet-page.ts';
import { isFamily, type TextStyles } from '../../qrcodes/render/text.ts';
import { type Api, answer, apiOf } from '../api/client.ts';
import { keys } from '../api/keys.ts';

/** Query of the fonts of the workspace. */
export const fontsQuery = (api: Api) =>
  queryOptions({
    queryKey: keys.fonts.list(),
    queryFn: ({ signal }) => answer(api.GET('/fonts', { signal })),
  });

/** Outlines by workspace and font, which never change. */
const outlines = new Map<string, Promise<FontOutlines>>();

/**
 * Loads the letters of a text in a font of the workspace.
 *
 * @param workspace its slug
 * @returns `undefined` for a family that every workspace has
 */
export async function loadLetters(
  workspace: string,
  family: string,
  text: string,
): Promise<Letters | undefined> {
  return isFamily(family) ? undefined : lettersOf(await outlinesOf(workspace, family), text);
}

/**
 * Loads the font of captions.
 *
 * @param workspace its slug
 */
export async function captionFont(workspace: string, family: string): Promise<TextStyles> {
  const styles = { ...CAPTION_FONT, family };
  return isFamily(family) ? styles : { ...styles, letters: await outlinesOf(workspace, family) };
}

function outlinesOf(workspace: string, id: string): Promise<FontOutlines> {
  const name = `${workspace} ${id}`;
  const loading =
    outlines.get(name) ??
    answer(apiOf(workspace).GET('/fonts/{id}/outlines', { params: { path: { id } } })).then(
      (body) => body as unknown as FontOutlines,
    );
  outlines.set(name, loading);
  return loading.catch((error: unknown) => {
    outlines.delete(name);
    throw error;
  });
}
