import type { FileRef, ImageRef } from '../../images/name.ts';
import {
  type Background,
  type Design,
  type DesignGradient,
  defaultDesign,
  type EyeColors,
  type Middle,
  type Plate,
} from './design.ts';
import { matrixOf } from './design-matrix.ts';
import type { EyeShape } from './eyes/index.ts';
import type { Frame, FrameIcon } from './frames/names.ts';
import type { Letters } from './letters.ts';
import type { Level } from './levels.ts';
import { largestMiddle, versionFor } from './middle.ts';
import type { Pattern } from './patterns/index.ts';
import { isQrBill } from './swiss-cross.ts';

/** The design of a QR code as its owner set it; absent and `null` fields take defaults. */
export interface StoredDesign {
  logo?: string | null;
  src?: string | null;
  showLogo?: boolean;
  height?: number | null;
  width?: number | null;
  excavate?: boolean;
  bgColor?: string;
  fgColor?: string;
  quietZoneColor?: string | null;
  backgroundSrc?: string | null;
  backgroundStyle?: Background['style'];
  backgroundStrength?: Background['strength'];
  fgGradient?: DesignGradient | null;
  bgGradient?: DesignGradient | null;
  eyeColor?: string | null;
  eyeBallColor?: string | null;
  eyeColors?: EyeColors | null;
  eyeGradient?: DesignGradient | null;
  size?: number;
  level?: Level | null;
  pattern?: Pattern;
  shape?: EyeShape;
  frame?: Frame;
  frameColor?: string | null;
  frameText?: string | null;
  frameIcon?: FrameIcon | null;
  frameTextColor?: string | null;
  frameTextStyles?: { weight?: number; size?: number; family?: string } | null;
  logoPlate?: Plate | null;
  /**
   * The letters of the text, if its family is a font of the workspace: a code is drawn without the
   * font, and keeps its look when the font is deleted.
   */
  frameLetters?: Letters | null;
  /** The stored images of `src` and `logo`. */
  srcImage?: ImageRef | null;
  logoImage?: ImageRef | null;
  /** The stored picture of `backgroundSrc`. */
  backgroundImage?: ImageRef | null;
  /** The stored image of the photo of a contact, which is not drawn. */
  photoImage?: ImageRef | null;
  /** The stored file that a code opens, which is not drawn. */
  storedFile?: FileRef | null;
  /** Computed position of the image, which depends on the text of the code. */
  middle?: Middle | null;
}

/** Returns the image for the middle of the code. */
export function middleImage(stored: StoredDesign): ImageRef | null {
  if (stored.srcImage) return stored.srcImage;
  return (stored.showLogo === true && stored.logoImage) || null;
}

const backgroundOf = ({ backgroundStyle, backgroundStrength }: StoredDesign): Background => ({
  style: backgroundStyle ?? 'picture',
  strength: backgroundStrength ?? 'medium',
});

/**
 * Completes a design with defaults. An image without a size takes the largest with which the
 * code is easy to scan. A QR-bill without an image has the Swiss cross in its middle.
 *
 * @param payload text of the code, which decides the position of the image unless it is computed
 *   already
 * @param margin quiet zone in modules
 * @throws Refusal `unprocessable_entity` if the payload fits into no code of the level
 */
export function resolveDesign(stored: StoredDesign, payload: string, margin?: number): Design {
  const base = defaultDesign();
  const image = middleImage(stored);
  const styles = stored.frameTextStyles ?? {};
  const design: Design = {
    ...base,
    size: stored.size ?? base.size,
    level: stored.level ?? (image === null && !stored.backgroundImage ? base.level : 'H'),
    raisesLevel: !stored.level,
    margin: margin ?? base.margin,
    fgColor: stored.fgColor ?? base.fgColor,
    bgColor: stored.bgColor ?? base.bgColor,
    quietZoneColor: stored.quietZoneColor ?? base.quietZoneColor,
    fgGradient: stored.fgGradient ?? base.fgGradient,
    bgGradient: stored.bgGradient ?? base.bgGradient,
    eyeColor: stored.eyeColor ?? base.eyeColor,
    eyeBallColor: stored.eyeBallColor ?? base.eyeBallColor,
    eyeColors: stored.eyeColors ?? base.eyeColors,
    eyeGradient: stored.eyeGradient ?? base.eyeGradient,
    pattern: stored.pattern ?? base.pattern,
    shape: stored.shape ?? base.shape,
    frame: stored.frame ?? base.frame,
    frameColor: stored.frameColor ?? base.frameColor,
    frameText: stored.frameText ?? base.frameText,
    frameIcon: stored.frameIcon ?? base.frameIcon,
    frameTextColor: stored.frameTextColor ?? base.frameTextColor,
    frameTextStyles: {
      family: styles.family ?? base.frameTextStyles.family,
      weight: styles.weight ?? base.frameTextStyles.weight,
      size: styles.size ?? base.frameTextStyles.size,
      ...(stored.frameLetters && { letters: stored.frameLetters }),
    },
    hasSwissCross: image === null && isQrBill(payload),
    ...(stored.backgroundImage && { background: backgroundOf(stored) }),
  };
  if (image === null) return design;
  return { ...design, middle: stored.middle ?? middleOf(stored, image, design, payload) };
}

/**
 * Lays out the image in the middle. A given size that equals the automatic one gives the same code
 * as no size, because records have the size of their images either way.
 */
function middleOf(
  { width, height, excavate = false, logoPlate }: StoredDesign,
  image: ImageRef,
  design: Design,
  payload: string,
): Middle {
  const ratio = image.width / image.height;
  const plate = logoPlate ?? null;
  const rest = { excavate, ...(plate && { plate }) };
  const given =
    typeof width === 'number'
      ? { width, height: height ?? (Math.round(width / ratio) || 1) }
      : typeof height === 'number' && { width: Math.round(height * ratio) || 1, height };
  const automatic = largestMiddle(payload, design, { ratio, plate, excavate });
  if (given && !isSameSize(given, automatic)) {
    const middle = { ...given, ...rest };
    const minVersion = versionFor(payload, design, middle);
    const first = matrixOf(payload, design, true).version;
    return minVersion === undefined || minVersion === first ? middle : { ...middle, minVersion };
  }
  // A fifth of the picture if there is no room: the refusal then says what would have to change.
  const fifth = Math.ceil(design.size / 5);
  const scale = Math.min(fifth / image.width, fifth / image.height);
  const size = automatic ?? {
    width: Math.max(1, Math.floor(image.width * scale)),
    height: Math.max(1, Math.floor(image.height * scale)),
  };
  return { ...size, ...rest };
}

/** Scales a design to another size, including all lengths in px. */
export function resized(design: StoredDesign, size: number | undefined): StoredDesign {
  if (size === undefined || size === design.size) return design;
  const scale = size / (design.size ?? resolveDesign({}, '').size);
  const { middle, frameTextStyles, width, height } = design;
  const grown = (value: number) => Math.max(1, Math.round(value * scale));
  return {
    ...design,
    size,
    ...(typeof width === 'number' && { width: grown(width) }),
    ...(typeof height === 'number' && { height: grown(height) }),
    ...(middle
      ? { middle: { ...middle, width: grown(middle.width), height: grown(middle.height) } }
      : {}),
    ...(typeof frameTextStyles?.size === 'number'
      ? { frameTextStyles: { ...frameTextStyles, size: frameTextStyles.size * scale } }
      : {}),
  };
}

const isSameSize = (
  one: { width: number; height: number },
  other: { width: number; height: number } | null,
): boolean => one.width === other?.width && one.height === other.height;
