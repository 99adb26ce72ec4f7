import { deflateSync } from 'node:zlib';
import { type Color, onPaper, parseColor } from './color.ts';
import type { Drawing, Shape } from './drawing-types.ts';
import type { MiddleImage } from './middle-image.ts';
import { fit, n, operators, type Pixels, pdfOf, share } from './pdf.ts';

/*
 * Images for print. In PDF and PostScript y grows upwards, and the unit is the point; a px of the
 * design is a point here.
 */

const PS_NAMES = { M: 'm', L: 'l', C: 'c', Z: 'z' };

async function pixelsOf({ png }: MiddleImage): Promise<Pixels> {
  const { default: sharp } = await import('sharp');
  const { data, info } = await sharp(png)
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

/** A drawing as a PDF of one page. */
export async function toPdf(drawing: Drawing, image?: MiddleImage): Promise<Buffer> {
  const { width, height } = drawing;
  const pixels = drawing.image === null || image === undefined ? undefined : await pixelsOf(image);
  const page = { width, height, drawings: [{ drawing, pixels, x: 0, y: 0, scale: 1 }] };
  return Buffer.from(await pdfOf([page], async (bytes) => deflateSync(bytes)));
}

/**
 * Lines of hexadecimal digits; a line of a PostScript file has at most 255 characters (DSC 3.0).
 */
const HEX_LINE = /.{1,128}/g;

/**
 * Converts a drawing to Encapsulated PostScript, level 2. PostScript has no opacity, so the
 * background is mixed with white.
 */
export async function toEps(drawing: Drawing, image?: MiddleImage): Promise<Buffer> {
  const { width, height, ground, shapes } = drawing;
  const paper = onPaper(parseColor(ground?.fill ?? 'transparent'));
  const paint = ({ path, evenOdd }: Shape, { r, g, b }: Color): string =>
    `${share(r)} ${share(g)} ${share(b)} setrgbcolor\n${operators(path, PS_NAMES)}${evenOdd === true ? 'eofill' : 'fill'}\n`;
  const painted = [
    ...(ground === null ? [] : [paint(ground, paper)]),
    ...shapes.map((shape) => paint(shape, parseColor(shape.fill))),
  ].join('');
  let placed = '';
  if (drawing.image !== null && image !== undefined) {
    const pixels = await pixelsOf(image);
    const box = fit(drawing.image, pixels);
    const hex = flatten(pixels, paper).toString('hex').match(HEX_LINE)?.join('\n') ?? '';
    placed =
      `gsave ${n(box.x)} ${n(box.y)} translate ${n(box.width)} ${n(box.height)} scale\n` +
      `/line ${pixels.width * 3} string def\n` +
      `${pixels.width} ${pixels.height} 8 [${pixels.width} 0 0 ${pixels.height} 0 0] ` +
      `{currentfile line readhexstring pop} false 3 colorimage\n${hex}\ngrestore\n`;
  }
  return Buffer.from(
    '%!PS-Adobe-3.0 EPSF-3.0\n' +
      `%%BoundingBox: 0 0 ${width} ${height}\n%%LanguageLevel: 2\n%%Pages: 1\n%%EndComments\n` +
      'gsave\n/m {moveto} bind def /l {lineto} bind def /c {curveto} bind def /z {closepath} bind def\n' +
      `0 ${height} translate 1 -1 scale\n${painted}${placed}` +
      'grestore\n%%EOF\n',
  );
}

function flatten({ rgb, alpha }: Pixels, { r, g, b }: Color): Buffer {
  const under = [r, g, b];
  return Buffer.from(
    rgb.map((value, index) => {
      const a = alpha[Math.floor(index / 3)]! / 255;
      return Math.round(value * a + under[index % 3]! * (1 - a));
    }),
  );
}
