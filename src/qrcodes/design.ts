import type { CustomValidator } from 'joi';
import { bodyFlag, Joi, oneOf, text } from '../http/fields.ts';
import { imageSource } from '../images/source.ts';
import { colorFault, normalizeColor } from './render/color.ts';
import { BACKGROUND_STRENGTHS, BACKGROUND_STYLES, PLATE_SHAPES } from './render/design.ts';
import { EYE_SHAPE_NAMES, EYES } from './render/eyes/index.ts';
import { FRAME_ICONS, FRAME_NAMES } from './render/frames/names.ts';
import { LEVELS } from './render/levels.ts';
import { PATTERN_NAMES } from './render/patterns/index.ts';
import { FONT_FAMILIES } from './render/text.ts';

/** Maximum size of a design in px. */
export const MAX_SIZE = 4_096;

/**
 * Schema of a color: hexadecimal, a CSS name or `rgb()`, or the word `transparent` if that is
 * allowed.
 */
export const colorField = (options: { alpha?: boolean; transparent?: boolean } = {}) =>
  Joi.string().custom((value: string, { error }) => {
    const rule = colorFault(value, options);
    return rule === undefined ? normalizeColor(value) : error('rule', { rule });
  });

const sizeInPx = () => Joi.number().strict().integer().min(1).max(MAX_SIZE);

const WEIGHT_NAMES: Record<string, number> = { normal: 400, bold: 700 };

const fontWeight = Joi.alternatives(
  Joi.number().strict().integer().min(100).max(900),
  oneOf(Object.keys(WEIGHT_NAMES)).custom((name: string) => WEIGHT_NAMES[name]),
);

/** Leaves out empty lines. @throws ValidationError for a third line */
const twoLines: CustomValidator<string> = (value, { error }) => {
  if (!/[\r\n]/.test(value)) return value;
  const lines = value.split(/[\r\n]+/).map((line) => line.trim());
  const full = lines.filter((line) => line !== '');
  return full.length > 2 ? error('rule', { rule: 'must have at most two lines' }) : full.join('\n');
};

/** A stop as Joi passes it on, whose own errors are reported as well. */
type Stop = { color: string; offset?: number } | null;

/** Completes the offsets of stops. @throws ValidationError for a rule that they break */
const evenStops: CustomValidator<Stop[]> = (stops, { error }) => {
  if (!stops.every((stop) => stop !== null && typeof stop === 'object')) return stops;
  const given = stops.filter(({ offset }) => offset !== undefined).length;
  if (given === 0) {
    return stops.map(({ color }, at) => ({ color, offset: at / (stops.length - 1) }));
  }
  if (given < stops.length) {
    return error('rule', { rule: 'must have an offset in each stop, or in none' });
  }
  const isAscending = stops.every(({ offset = 0 }, at) => offset >= (stops[at - 1]?.offset ?? 0));
  return isAscending ? stops : error('rule', { rule: 'must have stops with ascending offsets' });
};

/** Schema of a gradient. */
const gradientField = () =>
  Joi.object({
    type: oneOf(['linear', 'radial'])
      .default('linear')
      .description('`radial` goes from the center to the corners.'),
    angle: Joi.number()
      .strict()
      .min(0)
      .max(360)
      .default(0)
      .description('Direction in degrees, clockwise: 0 from left to right.'),
    stops: Joi.array()
      .items(
        Joi.object({
          color: colorField().required().description('Color, without opacity.'),
          offset: Joi.number()
            .strict()
            .min(0)
            .max(1)
            .description('Position, 0 to 1, ascending. Default: even steps.'),
        }),
      )
      .min(2)
      .max(5)
      .required()
      .custom(evenStops)
      .description('Two to five colors.')
      .example([{ color: '#4338CA' }, { color: '#BE185D' }]),
  })
    .allow(null)
    .meta({ name: 'QrGradient', extension: true });

const eyeParts = () =>
  Joi.object({
    frame: colorField().description('Color of the frame. Default: `eyeColor`.'),
    ball: colorField().description('Color of the ball. Default: the color of its frame.'),
  }).meta({ name: 'QrEyeParts' });

/** Schemas of the fields that decide how a code looks. */
export const designFields = {
  logo: imageSource().allow(null).description('URL of a logo, drawn if `showLogo` is true.'),
  showLogo: bodyFlag().description('true: the logo is drawn. Default false.'),
  src: imageSource()
    .allow(null)
    .description('URL of an image that is drawn in the middle, instead of the logo.'),
  width: sizeInPx()
    .allow(null)
    .description('Width of the image in px of the picture. Default: the largest that scans.'),
  height: sizeInPx()
    .allow(null)
    .description('Height of the image in px of the picture. Default: the largest that scans.'),
  excavate: bodyFlag().description(
    'true: the modules behind the image are cleared. Default false.',
  ),
  logoPlate: Joi.object({
    shape: oneOf(PLATE_SHAPES).default('rounded').description('`none` keeps the padding free.'),
    color: colorField().default('#FFFFFF').description('Color.'),
    rimColor: colorField().allow(null).default(null).description('Color of a rim.'),
    padding: Joi.number()
      .strict()
      .min(0)
      .max(50)
      .default(10)
      .description('Distance from the image, in percent of its longer side.'),
  })
    .allow(null)
    .description('Plate behind the image. Default: none.')
    .meta({ name: 'QrPlate', extension: true }),
  bgColor: colorField({ alpha: true, transparent: true }).description(
    'Color of the background: hexadecimal, a CSS name or rgb(); may have an opacity, or be `transparent`. Default #FFFFFF.',
  ),
  fgColor: colorField().description(
    'Color of the modules: hexadecimal, a CSS name or rgb(). Default #000000.',
  ),
  quietZoneColor: colorField()
    .allow(null)
    .description('Color of the quiet zone and the light modules. Default: the background.')
    .meta({ extension: true }),
  backgroundSrc: imageSource()
    .allow(null)
    .description('URL of a picture behind the code, or in the form of its modules.')
    .meta({ extension: true }),
  backgroundStyle: oneOf(BACKGROUND_STYLES)
    .meta({ name: 'QrBackgroundStyle', extension: true })
    .description('`halftone`: the modules form the picture. Default picture.'),
  backgroundStrength: oneOf(BACKGROUND_STRENGTHS)
    .meta({ name: 'QrBackgroundStrength', extension: true })
    .description('Visibility of the picture. Default medium.'),
  fgGradient: gradientField().description('In place of `fgColor`.'),
  bgGradient: gradientField().description('In place of `bgColor`.'),
  eyeColor: colorField()
    .allow(null)
    .description('Color of the eyes. Default: the color of the modules.')
    .meta({ extension: true }),
  eyeBallColor: colorField()
    .allow(null)
    .description('Color of the balls in the eyes. Default: the color of the eyes.')
    .meta({ extension: true }),
  eyeColors: Joi.object(
    Object.fromEntries(EYES.map((eye) => [eye, eyeParts().description('Colors of this eye.')])),
  )
    .allow(null)
    .description('Colors of single eyes.')
    .meta({ name: 'QrEyeColors', extension: true }),
  eyeGradient: gradientField().description('Gradient of each eye.'),
  size: sizeInPx().description('Width and height of the picture in px. Default 512.'),
  level: Joi.string()
    .uppercase()
    .valid(...LEVELS)
    .allow(null)
    .description(
      'Level of error correction. Default M, or higher where the code stays as small; with an image in the middle, H.',
    ),
  pattern: oneOf(PATTERN_NAMES)
    .meta({ name: 'QrPattern' })
    .description('Pattern of the modules. Default squares.'),
  shape: oneOf(EYE_SHAPE_NAMES)
    .meta({ name: 'QrEyeShape' })
    .description('Shape of the eyes: one for both parts, or `outer/inner`. Default square.'),
  frame: oneOf(FRAME_NAMES)
    .meta({ name: 'QrFrame' })
    .description('Frame around the code. Default none.'),
  frameColor: colorField().allow(null).description('Color of the frame. Default #000000.'),
  frameText: text(60)
    .custom(twoLines)
    .allow(null, '')
    .description(
      'Text in the frame, at most 60 characters, with at most one line break. Default: SCAN ME.',
    ),
  frameIcon: oneOf(FRAME_ICONS)
    .meta({ name: 'QrFrameIcon', extension: true })
    .description('Icon beside the text of the frame. Default none.'),
  frameTextColor: colorField().allow(null).description('Color of the text. Default #FFFFFF.'),
  frameTextStyles: Joi.object({
    weight: fontWeight.description('Weight: 100 to 900, `normal` or `bold`. Default 600.'),
    size: Joi.number()
      .strict()
      .min(4)
      .max(400)
      .description('Size in px of the picture. Default: as large as fits.'),
    family: text(64).description(
      `${FONT_FAMILIES.join(', ')}, or the id or name of a font of the workspace, which has one weight. Default Inter.`,
    ),
  })
    .allow(null)
    .description('Weight, size and family of the text in the frame.')
    .meta({ name: 'FrameTextStyles' }),
};

/** Names of these fields. */
export const DESIGN_FIELDS = Object.keys(designFields) as (keyof typeof designFields)[];
