import { deflateSync } from 'node:zlib';
import { ascii85 } from './ascii85.ts';
import { type Color, onPaper, parseColor } from './color.ts';
import type { Drawing, Shape } from './drawing-types.ts';
import { cmykOf, components, factor, type Inks, inkOf, n } from './ink.ts';
import type { MiddleImage } from './middle-image.ts';
import { DEFAULT_TITLE, type Output } from './output.ts';
import { fit, operators, type Pixels, pdfOf } from './pdf.ts';
import { printPage } from './print-page.ts';

/*
 * Images for print. In PDF and PostScript y grows upwards, and the unit is the point; a px of the
 * design is a point here unless the output has a width.
 */

const PS_NAMES = { M: 'm', L: 'l', C: 'c', Z: 'z' };
/** Maximum side of an image in an EPS in px: 300 dpi for two inches. */
const EPS_SIDE = 600;

async function pixelsOf({ png }: MiddleImage, most?: number): Promise<Pixels> {
  const { default: sharp } = await import('sharp');
  const { data, info } = await sharp(png)
    .resize({ width: most, height: most, fit: 'inside', withoutEnlargement: true })
    .ensureAlpha()
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  const count = info.width * info.height;
  const rgb = Buffer.alloc(count * 3);
  const alpha = Buffer.alloc(count);
  for (let index = 0; index < count; index += 1) {
    data.copy(rgb, index * 3, index * 4, index * 4 + 3);
    alpha[index] = data[index * 4 + 3]!;
  }
  return { width: info.width, height: info.height, rgb, alpha };
}

/** Adds the inks of pixels, for files without RGB. */
function withInks(pixels: Pixels): Pixels {
  const { rgb, alpha } = pixels;
  const cmyk = Buffer.alloc(alpha.length * 4);
  for (let index = 0; index < alpha.length; index += 1) {
    const [r, g, b] = [rgb[index * 3]!, rgb[index * 3 + 1]!, rgb[index * 3 + 2]!];
    cmyk.set(
      cmykOf({ r, g, b, a: 1 }).map((ink) => Math.round(ink * 255)),
      index * 4,
    );
  }
  return { ...pixels, cmyk };
}

/** A drawing as a PDF of one page. */
export async function toPdf(
  drawing: Drawing,
  image?: MiddleImage,
  output: Output = {},
): Promise<Buffer> {
  const { inks, title = DEFAULT_TITLE } = output;
  const rgb = drawing.image === null || image === undefined ? undefined : await pixelsOf(image);
  const pixels = rgb === undefined || inks === undefined ? rgb : withInks(rgb);
  const { x, y, scale, ...page } = printPage(drawing, output);
  return Buffer.from(
    await pdfOf(
      [{ ...page, drawings: [{ drawing, pixels, x, y, scale }] }],
      async (bytes) => deflateSync(bytes),
      { title, inks },
    ),
  );
}

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
  const paper = onPaper(parseColor(ground?.fill ?? 'transparent'));
  const paint = (shape: Shape) => fillShape(shape, parseColor(shape.fill), inks);
  const behind = page.shapes.map((shape) =>
    fillShape(shape, onPaper(parseColor(shape.fill)), inks),
  );
  const painted = [
    ...(ground === null ? [] : [fillShape(ground, paper, inks)]),
    ...shapes.map(paint),
  ].join('');
  let placed = '';
  if (drawing.image !== null && image !== undefined) {
    const pixels = flatten(await pixelsOf(image, EPS_SIDE), paper);
    const box = fit(drawing.image, pixels);
    placed =
      `gsave ${n(box.x)} ${n(box.y)} translate ${n(box.width)} ${n(box.height)} scale\n` +
      `${epsImage(inks === undefined ? pixels : withInks(pixels))}grestore\n`;
  }
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

const OPERATORS = { gray: 'setgray', rgb: 'setrgbcolor', cmyk: 'setcmykcolor' };

function fillShape({ path, evenOdd, fill }: Shape, color: Color, inks: Inks | undefined): string {
  const spot = inkOf(fill, inks)?.spot;
  const { space, values } = components(color, fill, inks);
  const set =
    spot === undefined
      ? `${values} ${OPERATORS[space]}`
      : `[/Separation (${spot.replaceAll(/[()\\]/g, '\\$&')}) /DeviceCMYK {${tint(values)}}] setcolorspace 1 setcolor`;
  return `${set}\n${operators(path, PS_NAMES)}${evenOdd === true ? 'eofill' : 'fill'}\n`;
}

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
      const a = alpha[Math.floor(index / 3)]! / 255;
      return Math.round(value * a + under[index % 3]! * (1 - a));
    }),
  );
  return { ...pixels, rgb: flat };
}
