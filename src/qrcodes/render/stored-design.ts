import type { ImageRef } from '../../images/name.ts';
import { type Design, defaultDesign, type Middle } from './design.ts';
import type { EyeShape } from './eyes/index.ts';
import type { Frame } from './frames/names.ts';
import type { Level } from './matrix.ts';
import type { Pattern } from './patterns/index.ts';
import { largestMiddle } from './scannability.ts';

/** The design of a QR code as its owner set it; absent and `null` fields have defaults. */
export interface StoredDesign {
  logo?: string | null;
  src?: string | null;
  showLogo?: boolean;
  height?: number | null;
  width?: number | null;
  excavate?: boolean;
  bgColor?: string;
  fgColor?: string;
  size?: number;
  level?: Level | null;
  pattern?: Pattern;
  shape?: EyeShape;
  frame?: Frame;
  frameColor?: string | null;
  frameText?: string | null;
  frameTextColor?: string | null;
  frameTextStyles?: { weight?: number; size?: number; family?: string } | null;
  /** The stored images of `src` and `logo`. */
  srcImage?: ImageRef | null;
  logoImage?: ImageRef | null;
  /** The place of the image as it was worked out for what the code holds. */
  middle?: Middle | null;
}

/** The image that is drawn in the middle. */
export function middleImage(stored: StoredDesign): ImageRef | null {
  if (stored.srcImage) return stored.srcImage;
  return (stored.showLogo === true && stored.logoImage) || null;
}

/**
 * Everything that the drawing needs, defaults filled in. Where an image has no size it takes the largest place
 * that the code can bear.
 *
 * @param payload what the code will hold: the place of an image depends on it, unless it is worked out already
 * @param margin quiet zone in modules
 * @throws Refusal `unprocessable_entity` when the payload fits into no code of the level
 */
export function resolveDesign(stored: StoredDesign, payload: string, margin?: number): Design {
  const base = defaultDesign();
  const image = middleImage(stored);
  const styles = stored.frameTextStyles ?? {};
  const design: Design = {
    ...base,
    size: stored.size ?? base.size,
    level: stored.level ?? (image === null ? base.level : 'H'),
    margin: margin ?? base.margin,
    fgColor: stored.fgColor ?? base.fgColor,
    bgColor: stored.bgColor ?? base.bgColor,
    pattern: stored.pattern ?? base.pattern,
    shape: stored.shape ?? base.shape,
    frame: stored.frame ?? base.frame,
    frameColor: stored.frameColor ?? base.frameColor,
    frameText: stored.frameText ?? base.frameText,
    frameTextColor: stored.frameTextColor ?? base.frameTextColor,
    frameTextStyles: {
      family: styles.family ?? base.frameTextStyles.family,
      weight: styles.weight ?? base.frameTextStyles.weight,
      size: styles.size ?? base.frameTextStyles.size,
    },
  };
  if (image === null) return design;
  return { ...design, middle: stored.middle ?? middleOf(stored, image, design, payload) };
}

function middleOf(
  { width, height, excavate = false }: StoredDesign,
  image: ImageRef,
  design: Design,
  payload: string,
): Middle {
  const ratio = image.width / image.height;
  if (typeof width === 'number' && typeof height === 'number') return { width, height, excavate };
  if (typeof width === 'number') return { width, height: Math.round(width / ratio) || 1, excavate };
  if (typeof height === 'number')
    return { width: Math.round(height * ratio) || 1, height, excavate };
  // A fifth of the picture where nothing can be borne: the guard then says what would have to change.
  const fifth = Math.ceil(design.size / 5);
  const room = largestMiddle(payload, design) ?? { width: fifth, height: fifth };
  const scale = Math.min(room.width / image.width, room.height / image.height);
  return {
    width: Math.max(1, Math.floor(image.width * scale)),
    height: Math.max(1, Math.floor(image.height * scale)),
    excavate,
  };
}

/** The look at another size: lengths in px of the picture grow with it. */
export function resized(design: StoredDesign, size: number | undefined): StoredDesign {
  if (size === undefined || size === design.size) return design;
  const scale = size / (design.size ?? resolveDesign({}, '').size);
  const { middle, frameTextStyles } = design;
  const grown = (value: number) => Math.max(1, Math.round(value * scale));
  return {
    ...design,
    size,
    ...(middle
      ? { middle: { ...middle, width: grown(middle.width), height: grown(middle.height) } }
      : {}),
    ...(typeof frameTextStyles?.size === 'number'
      ? { frameTextStyles: { ...frameTextStyles, size: frameTextStyles.size * scale } }
      : {}),
  };
}
