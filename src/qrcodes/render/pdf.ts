import { parseColor } from './color.ts';
import type { Box, Drawing, Shape } from './drawing-types.ts';

/*
 * PDF files of drawings (ISO 32000-1), for servers and browsers. In PDF, y grows upwards, and the
 * unit is the point.
 */

/** An image as pixels: three bytes of color each, with opacity in a separate array. */
export interface Pixels {
  width: number;
  height: number;
  rgb: Uint8Array;
  alpha: Uint8Array;
}

/**
 * A drawing on a page: its upper left corner in points from that of the page, and its points per
 * px.
 */
export interface Placed {
  drawing: Drawing;
  /** The image in the middle of the code. */
  pixels?: Pixels | undefined;
  x: number;
  y: number;
  scale: number;
}

/** A page; lengths in points. */
export interface Page {
  width: number;
  height: number;
  drawings: readonly Placed[];
}

/** Fits an image into its box: as large as possible, centered. */
export function fit(box: Box, { width, height }: Pixels): Box {
  const scale = Math.min(box.width / width, box.height / height);
  const [w, h] = [width * scale, height * scale];
  return { x: box.x + (box.width - w) / 2, y: box.y + (box.height - h) / 2, width: w, height: h };
}

/** Formats a number for PDF and PostScript. */
export const n = (value: number): string => String(Math.round(value * 1000) / 1000);

/** Formats a color component, 0 to 255, as a share. */
export const share = (value: number): string => n(value / 255);

/** Converts path data to operators: `M1 2` becomes `1 2 m`. */
export function operators(path: string, names: Record<string, string>): string {
  return path.replaceAll(
    /([MLCZ])([^MLCZ]*)/g,
    (_, command: string, numbers: string) =>
      `${numbers === '' ? '' : `${numbers} `}${names[command]}\n`,
  );
}

const NAMES = { M: 'm', L: 'l', C: 'c', Z: 'h' };

type Stream = [entries: string, data: Uint8Array];

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/**
 * Builds a PDF file.
 *
 * @param deflate compresses into the zlib format
 */
export async function pdfOf(
  pages: readonly Page[],
  deflate: (bytes: Uint8Array) => Promise<Uint8Array>,
): Promise<Uint8Array> {
  // Objects 1 and 2 are written last, once all pages are known.
  const objects: (string | Stream)[] = ['', ''];
  const add = (object: string | Stream): number => objects.push(object);
  const opacities = new Set<number>([1]);
  const images = new Map<Pixels, number>();
  const kids: number[] = [];
  const stateOf = () =>
    [...opacities].map((a) => `/A${Math.round(a * 255)} << /ca ${n(a)} >>`).join(' ');

  for (const { width, height, drawings } of pages) {
    const used = new Set<number>();
    let content = `1 0 0 -1 0 ${n(height)} cm\n`;
    for (const { drawing, pixels, x, y, scale } of drawings) {
      const { ground, shapes } = drawing;
      content += `q ${n(scale)} 0 0 ${n(scale)} ${n(x)} ${n(y)} cm\n`;
      for (const shape of ground === null ? shapes : [ground, ...shapes]) {
        content += paint(shape, opacities);
      }
      if (drawing.image !== null && pixels !== undefined) {
        let image = images.get(pixels);
        if (image === undefined) {
          image = await addImage(pixels, add, deflate);
          images.set(pixels, image);
        }
        used.add(image);
        const box = fit(drawing.image, pixels);
        // PDF draws an image into a unit square that grows upwards, so it is flipped here.
        content += `/A255 gs q ${n(box.width)} 0 0 ${n(-box.height)} ${n(box.x)} ${n(box.y + box.height)} cm /I${image} Do Q\n`;
      }
      content += 'Q\n';
    }
    const contents = add(['/Filter /FlateDecode', await deflate(bytesOf(content))]);
    const xobjects = [...used].map((image) => `/I${image} ${image} 0 R`).join(' ');
    kids.push(
      add(
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${n(width)} ${n(height)}] /Contents ${contents} 0 R /Resources << /ExtGState << ${stateOf()} >>${xobjects === '' ? '' : ` /XObject << ${xobjects} >>`} >> >>`,
      ),
    );
  }
  objects[0] = '<< /Type /Catalog /Pages 2 0 R >>';
  objects[1] = `<< /Type /Pages /Kids [${kids.map((kid) => `${kid} 0 R`).join(' ')}] /Count ${kids.length} >>`;
  return assemble(objects);
}

function paint({ path, fill, evenOdd }: Shape, opacities: Set<number>): string {
  const { r, g, b, a } = parseColor(fill);
  opacities.add(a);
  const state = `/A${Math.round(a * 255)} gs ${share(r)} ${share(g)} ${share(b)} rg\n`;
  return `${state}${operators(path, NAMES)}${evenOdd === true ? 'f*' : 'f'}\n`;
}

async function addImage(
  { width, height, rgb, alpha }: Pixels,
  add: (object: Stream) => number,
  deflate: (bytes: Uint8Array) => Promise<Uint8Array>,
): Promise<number> {
  const size = `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /BitsPerComponent 8 /Filter /FlateDecode`;
  const mask = add([`${size} /ColorSpace /DeviceGray`, await deflate(alpha)]);
  return add([`${size} /ColorSpace /DeviceRGB /SMask ${mask} 0 R`, await deflate(rgb)]);
}

/** Assembles objects into a PDF file with a cross-reference table (ISO 32000-1, 7.5). */
function assemble(objects: readonly (string | Stream)[]): Uint8Array {
  const parts: Uint8Array[] = [];
  const places: number[] = [];
  let length = 0;
  const add = (part: Uint8Array) => {
    parts.push(part);
    length += part.length;
  };
  // Four bytes beyond ASCII mark the file as binary (7.5.2).
  const mark = Array.from('%PDF-1.4\n%\xe2\xe3\xcf\xd3\n', (character) => character.charCodeAt(0));
  add(Uint8Array.from(mark));
  for (const [index, object] of objects.entries()) {
    places.push(length);
    if (typeof object === 'string') {
      add(bytesOf(`${index + 1} 0 obj\n${object}\nendobj\n`));
      continue;
    }
    const [entries, data] = object;
    add(bytesOf(`${index + 1} 0 obj\n<< ${entries} /Length ${data.length} >>\nstream\n`));
    add(data);
    add(bytesOf('\nendstream\nendobj\n'));
  }
  const start = length;
  const rows = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('');
  add(
    bytesOf(
      `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}` +
        `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`,
    ),
  );
  const file = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    file.set(part, at);
    at += part.length;
  }
  return file;
}
