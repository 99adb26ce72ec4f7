import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { paperOf } from '../../qrcodes/render/background.ts';
import type { Design } from '../../qrcodes/render/design.ts';
import { draw } from '../../qrcodes/render/drawing.ts';
import type { Drawing } from '../../qrcodes/render/drawing-types.ts';
import type { FrameForm } from '../../qrcodes/render/frames/frame.ts';
import { FRAMES } from '../../qrcodes/render/frames/index.ts';
import { labelOf } from '../../qrcodes/render/frames/label-text.ts';
import type { Letters } from '../../qrcodes/render/letters.ts';
import { type Score, scoreOf } from '../../qrcodes/render/score.ts';
import { resolveDesign } from '../../qrcodes/render/stored-design.ts';
import { toSvg } from '../../qrcodes/render/svg.ts';
import { keys } from '../api/keys.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { loadFonts } from './font-files.ts';
import { loadLetters } from './fonts.ts';
import { type LoadedImage, loadImage } from './image.ts';
import { type Look, lookOf, type QrCode, storedDesignOf } from './look.ts';
import { embeddedPictures, squarePicture } from './square-picture.ts';

/** A code drawn with the service's own renderer. */
interface Picture {
  drawing: Drawing;
  svg: string;
  image: LoadedImage | undefined;
  design: Design;
}

/** A drawn code with its scannability score. */
interface Drawn extends Picture {
  score: Score;
}

/**
 * Draws a code.
 *
 * @param payload text that the code encodes
 * @param workspace slug of the workspace whose fonts are drawn; absent: none
 * @throws Refusal when the payload is too long for the error correction level
 */
export async function drawCode(payload: string, look: Look, workspace?: string): Promise<Picture> {
  const { hasLabel }: FrameForm = FRAMES[look.frame];
  const [image, background, letters] = await Promise.all([
    look.image === null ? undefined : loadImage(look.image),
    look.backgroundSrc === null ? undefined : loadImage(look.backgroundSrc),
    hasLabel ? loadText(look, workspace) : undefined,
  ]);
  const stored = storedDesignOf(look, image, background);
  const design = resolveDesign({ ...stored, frameLetters: letters ?? null }, payload);
  const picture = background && (await squarePicture(background, paperOf(design)));
  const drawing = draw(payload, design, undefined, picture);
  const pictures = embeddedPictures(drawing);
  return { drawing, svg: toSvg(drawing, { image: image?.href, pictures }), image, design };
}

/** Loads the fonts of the text of a frame; resolves with its letters in a font of the workspace. */
async function loadText(look: Look, workspace: string | undefined): Promise<Letters | undefined> {
  const text = labelOf(look);
  const letters = workspace && (await loadLetters(workspace, look.family, text));
  await loadFonts(text, { family: look.family, weight: look.weight, ...(letters && { letters }) });
  return letters || undefined;
}

/**
 * Returns the text that a record's code encodes; empty when it contains a password that the person
 * cannot read.
 */
export function payloadOf(record: QrCode): string {
  if (record.static) return record.contentStatic ?? '';
  return record.shortLink ?? `https://${record.domain}/${record.key}`;
}

/** Returns the URL in the code of an existing link; `undefined` for other codes. */
export const scanLinkIn = ({ static: isStatic, url }: QrCode): string | undefined =>
  isStatic && url?.endsWith('?qr=1') === true ? url : undefined;

/**
 * Draws the code of a record.
 *
 * @param workspace slug of its workspace
 * @throws Error when the person cannot read the encoded text
 */
export async function drawRecord(record: QrCode, workspace: string): Promise<Picture> {
  const payload = payloadOf(record);
  if (payload === '') throw new Error('Only people who may change the code can see its picture.');
  return drawCode(payload, lookOf(record), workspace);
}

/** Draws a code, and keeps the previous drawing until the next one is ready. */
export function useDrawn(payload: string | undefined, look: Look) {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.drawings.list(payload, look),
    async queryFn(): Promise<Drawn> {
      const picture = await drawCode(payload!, look, slug);
      return { ...picture, score: scoreOf(payload!, picture.design) };
    },
    enabled: payload !== undefined,
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    retry: false,
    networkMode: 'always',
  });
}
