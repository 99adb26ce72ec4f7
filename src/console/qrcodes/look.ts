import type { Background, DesignGradient, EyeColors, Plate } from '../../qrcodes/render/design.ts';
import type { EyeShape } from '../../qrcodes/render/eyes/index.ts';
import type { Frame, FrameIcon } from '../../qrcodes/render/frames/names.ts';
import type { Level } from '../../qrcodes/render/levels.ts';
import type { Pattern } from '../../qrcodes/render/patterns/index.ts';
import type { StoredDesign } from '../../qrcodes/render/stored-design.ts';
import type { Schemas } from '../api/client.ts';
import { changedOf } from '../app/changed-of.ts';
import type { FieldErrors } from '../short-links/errors.ts';

export type QrCode = Schemas['QrCode'];

/** The style of a code in the designer, with a value for every field. */
export interface Look {
  fgColor: string;
  bgColor: string;
  /** Color of the quiet zone; `null` for the background. */
  quietZoneColor: string | null;
  /** URL of the picture behind the code, or its `data:` URI. */
  backgroundSrc: string | null;
  backgroundStyle: Background['style'];
  backgroundStrength: Background['strength'];
  fgGradient: DesignGradient | null;
  bgGradient: DesignGradient | null;
  /** Colors of eyes and their balls; `null` for those of the modules. */
  eyeColor: string | null;
  eyeBallColor: string | null;
  eyeColors: EyeColors | null;
  eyeGradient: DesignGradient | null;
  pattern: Pattern;
  shape: EyeShape;
  frame: Frame;
  frameColor: string;
  frameText: string;
  frameIcon: FrameIcon;
  frameTextColor: string;
  family: string;
  weight: number;
  /** Text size in px of the image; `null` for the largest that fits. */
  textSize: number | null;
  size: number;
  level: Level | null;
  /** URL of the image in the middle, or its `data:` URI. */
  image: string | null;
  /** Width of the image in px of the code; `null` for the largest readable size. */
  width: number | null;
  height: number | null;
  excavate: boolean;
  /** Plate behind the image; `null` for none. */
  logoPlate: Plate | null;
}

/** The style of a new code. */
export const PLAIN_LOOK: Look = {
  fgColor: '#000000',
  bgColor: '#FFFFFF',
  quietZoneColor: null,
  backgroundSrc: null,
  backgroundStyle: 'picture',
  backgroundStrength: 'medium',
  fgGradient: null,
  bgGradient: null,
  eyeColor: null,
  eyeBallColor: null,
  eyeColors: null,
  eyeGradient: null,
  pattern: 'squares',
  shape: 'square',
  frame: 'none',
  frameColor: '#000000',
  frameText: '',
  frameIcon: 'none',
  frameTextColor: '#FFFFFF',
  family: 'Inter',
  weight: 600,
  textSize: null,
  size: 512,
  level: null,
  image: null,
  width: null,
  height: null,
  excavate: true,
  logoPlate: null,
};

/** Reads the style of a record or template, and fills unset fields with defaults. */
export function lookOf(record: object): Look {
  const stored = record as StoredDesign;
  const styles = stored.frameTextStyles ?? {};
  const image = stored.src ?? (stored.showLogo === true ? stored.logo : null) ?? null;
  return {
    ...(Object.fromEntries(
      Object.entries(PLAIN_LOOK).map(([name, value]) => [
        name,
        stored[name as keyof StoredDesign] ?? value,
      ]),
    ) as unknown as Look),
    family: styles.family ?? PLAIN_LOOK.family,
    weight: styles.weight ?? PLAIN_LOOK.weight,
    textSize: styles.size ?? null,
    image,
    // Records without an image have a width of 0.
    width: stored.width || null,
    height: stored.height || null,
    excavate: image === null ? PLAIN_LOOK.excavate : (stored.excavate ?? false),
  };
}

/** Converts a style to the fields of a request body. */
export function fieldsOf(look: Look): Partial<Schemas['NewQrCode']> {
  const { image, family, weight, textSize, width, height, excavate, logoPlate, ...plain } = look;
  const hasImage = image !== null;
  return {
    ...plain,
    frameTextStyles: { family, weight, ...(textSize && { size: textSize }) },
    logo: image,
    showLogo: hasImage,
    src: null,
    width: hasImage ? width : null,
    height: hasImage ? height : null,
    excavate: hasImage && excavate,
    logoPlate: hasImage ? logoPlate : null,
  };
}

/**
 * Returns the style fields that changed; an update sends only these, so that the service does not
 * fetch the image again.
 */
export function changedFields(before: Look, after: Look): Partial<Schemas['NewQrCode']> {
  return changedOf(fieldsOf(after), fieldsOf(before));
}

interface ImageSize {
  width: number;
  height: number;
}

/** Converts a style and the sizes of its images to the renderer's input. */
export function storedDesignOf(
  look: Look,
  image: ImageSize | undefined,
  background?: ImageSize,
): StoredDesign {
  const { image: _source, family, weight, textSize, level, ...plain } = look;
  return {
    ...plain,
    level,
    frameTextStyles: { family, weight, ...(textSize && { size: textSize }) },
    ...(image && { srcImage: { id: '', ...image } }),
    ...(background && { backgroundImage: { id: '', ...background } }),
  };
}

/** Properties of the panels that change a style. */
export interface LookProps {
  look: Look;
  onChange(change: Partial<Look>): void;
  /** Errors of the style by field. */
  errors: FieldErrors;
}
