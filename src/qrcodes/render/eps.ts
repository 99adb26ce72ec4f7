import { deflateSync } from 'node:zlib';
import type { Paint, Stroke, Vector, VectorShape } from '../../images/vector/types.ts';
import { ascii85 } from './ascii85.ts';
import { type Color, onPaper, parseColor } from './color.ts';
import type { Box, Drawing, PictureShape } from './drawing-types.ts';
import { components, factor, type Inks, inkOf, n } from './ink.ts';
import type { MiddleImage } from './middle-image.ts';
import { DEFAULT_TITLE, type Output } from './output.ts';
import { fit, type Pixels } from './pdf.ts';
import { CAPS, JOINS, operators } from './pdf-content.ts';
import { inkedPictures, pixelsOf, withInks } from './print.ts';
import { printPage } from './print-page.ts';
import { shadingOf } from './shading.ts';

/* In PostScript y grows upwards, and the unit is the point. */

const PS_NAMES = { M: 'm', L: 'l', C: 'c', Z: 'z' };
/** Maximum side of an image in an EPS in px: 300 dpi for two inches. */
const EPS_SIDE = 600;

/**
 * Converts a drawing to Encapsulated PostScript, level 3, which compresses images. PostScript has
 * no opacity, so the background is mixed with white.
 */
export async function toEps(
  drawing: Drawing,
  image?: MiddleImage,
  output: Output = {},
): Promise<Buffer> {
  const { ground, shapes } = drawing;
  const { inks, title = DEFAULT_TITLE } = output;
  const page = printPage(drawing, output);
  const pictures = inkedPictures(drawing, inks);
  const behind = page.shapes.map((shape) => paintShape(shape, inks, paperOf(shape.fill)));
  const painted = [
    ...(ground === null ? [] : [paintShape(ground, inks, paperOf(ground.fill))]),
    ...shapes.map((shape) =>
      'picture' in shape ? cutPicture(shape, pictures.get(shape)!) : paintShape(shape, inks),
    ),
  ].join('');
  const placed =
    drawing.image === null || image === undefined
      ? ''
      : await placeMiddle(
          drawing.image,
          image,
          paperOf(drawing.plate ?? ground?.fill ?? 'transparent'),
          inks,
        );
  const [width, height] = [page.width, page.height];
  return Buffer.from(
    '%!PS-Adobe-3.0 EPSF-3.0\n' +
      `%%BoundingBox: 0 0 ${Math.ceil(Number(n(width)))} ${Math.ceil(Number(n(height)))}\n` +
      `%%HiResBoundingBox: 0 0 ${n(width)} ${n(height)}\n` +
      `%%Title: ${dscText(title)}\n%%LanguageLevel: 3\n%%Pages: 1\n%%EndComments\n` +
      'gsave\n/m {moveto} bind def /l {lineto} bind def /c {curveto} bind def /z {closepath} bind def\n' +
      `0 ${n(height)} translate 1 -1 scale\n${behind.join('')}` +
      `${n(page.x)} ${n(page.y)} translate ${factor(page.scale)} dup scale\n${painted}${placed}` +
      'grestore\n%%EOF\n',
  );
}

/** The color of a background on white paper; for a gradient, that of its middle. */
function paperOf(fill: Paint): Color {
  if (typeof fill === 'string') return onPaper(parseColor(fill));
  const { stops } = fill;
  return parseColor(stops[stops.length >> 1]!.color);
}

/** Draws a picture within a path. */
const cutPicture = ({ path, picture: { box } }: PictureShape, pixels: Pixels): string =>
  `gsave ${operators(path, PS_NAMES)}clip newpath\n${imageIn(box, pixels)}grestore\n`;

/** Draws an image into a box. */
const imageIn = ({ x, y, width, height }: Box, pixels: Pixels): string =>
  `gsave ${n(x)} ${n(y)} translate ${n(width)} ${n(height)} scale\n${epsImage(pixels)}grestore\n`;

async function placeMiddle(
  middle: Box,
  image: MiddleImage,
  paper: Color,
  inks: Inks | undefined,
): Promise<string> {
  const { vector } = image;
  if (vector !== undefined && isOpaque(vector)) {
    const { x, y, width } = fit(middle, vector);
    return (
      `gsave ${n(x)} ${n(y)} translate ${factor(width / vector.width)} dup scale\n` +
      `0 0 ${n(vector.width)} ${n(vector.height)} rectclip\n` +
      `${vector.shapes.map((shape) => paintShape(shape, inks)).join('')}grestore\n`
    );
  }
  const pixels = flatten(await pixelsOf(image, EPS_SIDE), paper);
  return imageIn(fit(middle, pixels), inks === undefined ? pixels : withInks(pixels));
}

/** True for shapes that PostScript can draw, which has no opacity. */
const isOpaque = ({ shapes }: Vector): boolean =>
  shapes.every(
    ({ fill, stroke }) =>
      (typeof fill !== 'string' || parseColor(fill).a === 1) &&
      (stroke === undefined || parseColor(stroke.color).a === 1),
  );

const OPERATORS = { gray: 'setgray', rgb: 'setrgbcolor', cmyk: 'setcmykcolor' };

function paintShape(
  { path, fill, evenOdd, stroke }: VectorShape,
  inks: Inks | undefined,
  color?: Color,
): string {
  const along = operators(path, PS_NAMES);
  const rule = evenOdd === true ? 'eo' : '';
  return [
    fill === undefined
      ? ''
      : typeof fill === 'string'
        ? `${setColor(fill, inks, color)}\n${along}${rule}fill\n`
        : `gsave ${along}${rule}clip newpath\n${shadingOf(fill, inks)} shfill grestore\n`,
    stroke === undefined
      ? ''
      : `${lineState(stroke)}${setColor(stroke.color, inks)}\n${along}stroke\n`,
  ].join('');
}

/** @param color the color as it is printed, if that is not the one of the design */
function setColor(fill: string, inks: Inks | undefined, color = parseColor(fill)): string {
  const spot = inkOf(fill, inks)?.spot;
  const { space, values } = components(color, fill, inks);
  return spot === undefined
    ? `${values} ${OPERATORS[space]}`
    : `[/Separation (${spot.replaceAll(/[()\\]/g, '\\$&')}) /DeviceCMYK {${tint(values)}}] setcolorspace 1 setcolor`;
}

const lineState = ({ width, cap, join, miterLimit, dashes }: Stroke): string =>
  `${n(width)} setlinewidth ${CAPS[cap]} setlinecap ${JOINS[join]} setlinejoin ${n(Math.max(1, miterLimit))} setmiterlimit [${dashes.map(n).join(' ')}] 0 setdash\n`;

/** Procedure from the tint of a spot color to its inks. */
function tint(values: string): string {
  const [c, m, y, k] = values.split(' ');
  return `dup ${c} mul exch dup ${m} mul exch dup ${y} mul exch ${k} mul`;
}

/** An image in the unit square, compressed and written as ASCII. */
function epsImage({ width, height, rgb, cmyk }: Pixels): string {
  const space = cmyk === undefined ? '/DeviceRGB' : '/DeviceCMYK';
  const decode = cmyk === undefined ? '0 1 0 1 0 1' : '0 1 0 1 0 1 0 1';
  // The procedure is read before it runs, so that the data begins behind it; the end of the data is
  // skipped there, which the image leaves unread.
  return (
    `${space} setcolorspace /data currentfile /ASCII85Decode filter def\n` +
    `{<< /ImageType 1 /Width ${width} /Height ${height} /BitsPerComponent 8 /Decode [${decode}] ` +
    `/ImageMatrix [${width} 0 0 ${height} 0 0] /DataSource data /FlateDecode filter >> image ` +
    `data flushfile} exec\n${ascii85(deflateSync(cmyk ?? rgb, { level: 9 }))}\n`
  );
}

/** Reduces a title to one line of ASCII (DSC 3.0). */
const dscText = (text: string): string => {
  const ascii = text.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 200);
  return `(${ascii.replaceAll(/[()\\]/g, '\\$&')})`;
};

function flatten(pixels: Pixels, { r, g, b }: Color): Pixels {
  const { rgb, alpha } = pixels;
  const under = [r, g, b];
  const flat = Buffer.from(
    rgb.map((value, index) => {
      const a = (alpha?.[Math.floor(index / 3)] ?? 255) / 255;
      return Math.round(value * a + under[index % 3]! * (1 - a));
    }),
  );
  return { ...pixels, rgb: flat };
}
