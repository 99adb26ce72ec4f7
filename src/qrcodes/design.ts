import { imageSource } from '../images/source.ts';
import { bodyFlag, Joi, text } from '../infra/fields.ts';
import { colorFault, normaliseColor } from './render/color.ts';
import { type Design, defaultDesign, type Middle } from './render/design.ts';
import { EYE_SHAPE_NAMES, type EyeShape } from './render/eyes/index.ts';
import { FRAME_NAMES, type Frame } from './render/frames/index.ts';
import { LEVELS, type Level } from './render/matrix.ts';
import { PATTERN_NAMES, type Pattern } from './render/patterns/index.ts';
import { largestMiddle } from './render/scannability.ts';
import { FONT_FAMILIES } from './render/text.ts';

/** An image that was fetched and kept: its id and its size in px. */
export interface ImageRef {
  id: string;
  width: number;
  height: number;
}

/** How a code looks, as its owner asked for it: what is absent or `null` was left to us. */
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
  /** What was kept of `src` and `logo`. */
  srcImage?: ImageRef | null;
  logoImage?: ImageRef | null;
  /** The place of the image as it was worked out for what the code holds. */
  middle?: Middle | null;
}

const MAX_SIZE = 4_096;

/** A colour: `#RRGGBB` and its kin; where `transparent` is allowed, also that word. */
export const colorField = (options: { alpha?: boolean; transparent?: boolean } = {}) =>
  Joi.string().custom((value: string, { error }) => {
    const rule = colorFault(value, options);
    return rule === undefined ? normaliseColor(value) : error('rule', { rule });
  });

const sizeInPx = () => Joi.number().integer().min(1).max(MAX_SIZE);

const WEIGHT_NAMES: Record<string, number> = { normal: 400, bold: 700 };

const fontWeight = Joi.alternatives(
  Joi.number().integer().min(100).max(900),
  Joi.string()
    .valid(...Object.keys(WEIGHT_NAMES))
    .custom((name: string) => WEIGHT_NAMES[name]),
);

/** Schemas of the fields that decide how a code looks. */
export const designFields = {
  logo: imageSource().allow(null).description('Address of a logo; drawn where showLogo is true.'),
  showLogo: bodyFlag().description('Whether the logo is drawn.'),
  src: imageSource()
    .allow(null)
    .description('Address of an image drawn in the middle; wins over the logo.'),
  width: sizeInPx().allow(null).description('Width of the image, in px of the picture.'),
  height: sizeInPx().allow(null).description('Height of the image, in px of the picture.'),
  excavate: bodyFlag().description('Whether the modules behind the image are cleared.'),
  bgColor: colorField({ alpha: true, transparent: true }).description('Default #FFFFFF.'),
  fgColor: colorField().description('Default #000000.'),
  size: sizeInPx().description('Width of the picture in px; default 512.'),
  level: Joi.string()
    .valid(...LEVELS)
    .allow(null)
    .description('Error correction. Absent: M, with an image in the middle H.'),
  pattern: Joi.string().valid(...PATTERN_NAMES),
  shape: Joi.string()
    .valid(...EYE_SHAPE_NAMES)
    .description('Shape of the eyes: one for both parts, or `outer/inner`.'),
  frame: Joi.string().valid(...FRAME_NAMES),
  frameColor: colorField().allow(null),
  frameText: text(60).allow(null),
  frameTextColor: colorField().allow(null),
  frameTextStyles: Joi.object({
    weight: fontWeight,
    size: Joi.number()
      .min(4)
      .max(400)
      .description('In px of the picture; absent: as large as fits.'),
    family: Joi.string().valid(...FONT_FAMILIES),
  }).allow(null),
};

/** Names of the fields above. */
export const DESIGN_FIELDS = Object.keys(designFields) as (keyof typeof designFields)[];

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
