import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { onPaper, over, parseColor } from './color.ts';
import type { MiddleImage } from './design.ts';
import type { Box, Drawing, Shape } from './drawing-types.ts';

/*
 * Pictures for print. PDF and PostScript draw with the same operators under different names, count y upwards, and
 * have one unit, the point: a px of the design is a point here.
 */

/** An image as pixels: three bytes of colour each, and the opacity apart. */
interface Pixels {
  width: number;
  height: number;
  rgb: Buffer;
  alpha: Buffer;
}

async function pixelsOf({ png }: MiddleImage): Promise<Pixels> {
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

/** The place of an image within its box: as large as fits, in the middle. */
function fit(box: Box, { width, height }: Pixels): Box {
  const scale = Math.min(box.width / width, box.height / height);
  const [w, h] = [width * scale, height * scale];
  return { x: box.x + (box.width - w) / 2, y: box.y + (box.height - h) / 2, width: w, height: h };
}

const n = (value: number): string => String(Math.round(value * 1000) / 1000);

/** Path data as operators: `M1 2` is `1 2 m`. */
function operators(path: string, names: Record<string, string>): string {
  return path.replaceAll(
    /([MLCZ])([^MLCZ]*)/g,
    (_, command: string, numbers: string) =>
      `${numbers === '' ? '' : `${numbers} `}${names[command]}\n`,
  );
}

const PDF_NAMES = { M: 'm', L: 'l', C: 'c', Z: 'h' };
const PS_NAMES = { M: 'm', L: 'l', C: 'c', Z: 'z' };

const share = (value: number): string => n(value / 255);

/** A drawing as a PDF of one page (ISO 32000-1). */
export async function toPdf(drawing: Drawing, image?: MiddleImage): Promise<Buffer> {
  const { width, height } = drawing;
  const opacities = new Set<number>();
  const paint = ({ path, fill, evenOdd }: Shape): string => {
    const { r, g, b, a } = parseColor(fill);
    opacities.add(a);
    const state = `/A${Math.round(a * 255)} gs ${share(r)} ${share(g)} ${share(b)} rg\n`;
    return `${state}${operators(path, PDF_NAMES)}${evenOdd === true ? 'f*' : 'f'}\n`;
  };
  const ground: Shape[] =
    drawing.background === null
      ? []
      : [{ path: `M0 0L${width} 0L${width} ${height}L0 ${height}Z`, fill: drawing.background }];
  const shapes = [...ground, ...drawing.shapes].map(paint).join('');
  const pixels = drawing.image === null || image === undefined ? undefined : await pixelsOf(image);
  let placed = '';
  if (pixels !== undefined && drawing.image !== null) {
    opacities.add(1);
    const box = fit(drawing.image, pixels);
    // An image fills a unit square that stands on its base, while ours hangs from the top.
    placed = `/A255 gs q ${n(box.width)} 0 0 ${n(-box.height)} ${n(box.x)} ${n(box.y + box.height)} cm /I Do Q\n`;
  }
  const content = deflateSync(Buffer.from(`1 0 0 -1 0 ${height} cm\n${shapes}${placed}`));
  const states = [...opacities].map((a) => `/A${Math.round(a * 255)} << /ca ${n(a)} >>`).join(' ');
  const objects: (string | [string, Buffer])[] = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${width} ${height}] /Contents 4 0 R /Resources << /ExtGState << ${states} >>${pixels === undefined ? '' : ' /XObject << /I 5 0 R >>'} >> >>`,
    ['/Filter /FlateDecode', content],
  ];
  if (pixels !== undefined) {
    const size = `/Type /XObject /Subtype /Image /Width ${pixels.width} /Height ${pixels.height} /BitsPerComponent 8 /Filter /FlateDecode`;
    objects.push([`${size} /ColorSpace /DeviceRGB /SMask 6 0 R`, deflateSync(pixels.rgb)]);
    objects.push([`${size} /ColorSpace /DeviceGray`, deflateSync(pixels.alpha)]);
  }
  return assemble(objects);
}

/** Objects with their places, as a PDF file has them (ISO 32000-1, 7.5). */
function assemble(objects: readonly (string | [string, Buffer])[]): Buffer {
  const parts: Buffer[] = [Buffer.from('%PDF-1.4\n%\xe2\xe3\xcf\xd3\n', 'latin1')];
  const places: number[] = [];
  let length = parts[0]!.length;
  const add = (part: Buffer) => {
    parts.push(part);
    length += part.length;
  };
  for (const [index, object] of objects.entries()) {
    places.push(length);
    if (typeof object === 'string') {
      add(Buffer.from(`${index + 1} 0 obj\n${object}\nendobj\n`));
      continue;
    }
    const [entries, data] = object;
    add(Buffer.from(`${index + 1} 0 obj\n<< ${entries} /Length ${data.length} >>\nstream\n`));
    add(data);
    add(Buffer.from('\nendstream\nendobj\n'));
  }
  const start = length;
  const rows = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('');
  add(
    Buffer.from(
      `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}` +
        `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(parts);
}

/** Longest line of hexadecimal digits; a line of a PostScript file has at most 255 characters (DSC 3.0). */
const HEX_LINE = /.{1,128}/g;

/** A drawing as Encapsulated PostScript, level 2. PostScript has no opacity: colours are mixed beforehand. */
export async function toEps(drawing: Drawing, image?: MiddleImage): Promise<Buffer> {
  const { width, height, background } = drawing;
  const ground = onPaper(parseColor(background ?? 'transparent'));
  const paint = ({ path, fill, evenOdd }: Shape): string => {
    const { r, g, b } = over(parseColor(fill), ground);
    return `${share(r)} ${share(g)} ${share(b)} setrgbcolor\n${operators(path, PS_NAMES)}${evenOdd === true ? 'eofill' : 'fill'}\n`;
  };
  const page: Shape[] =
    background === null
      ? []
      : [{ path: `M0 0L${width} 0L${width} ${height}L0 ${height}Z`, fill: background }];
  let placed = '';
  if (drawing.image !== null && image !== undefined) {
    const pixels = await pixelsOf(image);
    const box = fit(drawing.image, pixels);
    const hex = flatten(pixels, ground).toString('hex').match(HEX_LINE)?.join('\n') ?? '';
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
      `0 ${height} translate 1 -1 scale\n${[...page, ...drawing.shapes].map(paint).join('')}${placed}` +
      'grestore\n%%EOF\n',
  );
}

function flatten({ rgb, alpha }: Pixels, ground: { r: number; g: number; b: number }): Buffer {
  const under = [ground.r, ground.g, ground.b];
  return Buffer.from(
    rgb.map((value, index) => {
      const a = alpha[Math.floor(index / 3)]! / 255;
      return Math.round(value * a + under[index % 3]! * (1 - a));
    }),
  );
}
