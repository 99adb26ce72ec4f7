import type { Vector, VectorShape } from '../../images/vector/types.ts';
import type { Box, Drawing, PictureShape, Shape } from './drawing-types.ts';
import { factor, type Ink, type Inks, n, nameToken } from './ink.ts';
import { type Content, clipTo, paint, spaceName } from './pdf-content.ts';
import type { PageBox } from './print-page.ts';

/*
 * PDF files of drawings (ISO 32000-1), for servers and browsers. In PDF, y grows upwards, and the
 * unit is the point.
 */

/** An image as pixels: three bytes of color each, with opacity in a separate array. */
export interface Pixels {
  width: number;
  height: number;
  rgb: Uint8Array;
  /** Four bytes of inks each, in place of `rgb`. */
  cmyk?: Uint8Array | undefined;
  /** Absent for an opaque image. */
  alpha?: Uint8Array | undefined;
}

/**
 * A drawing on a page: its upper left corner in points from that of the page, and its points per
 * px.
 */
export interface Placed {
  drawing: Drawing;
  /** The image in the middle of the code. */
  pixels?: Pixels | undefined;
  /** The same image as shapes, which take the place of pixels. */
  vector?: Vector | undefined;
  /** The pictures that shapes cut out. */
  pictures?: ReadonlyMap<PictureShape, Pixels> | undefined;
  x: number;
  y: number;
  scale: number;
}

/** A page; lengths in points. */
export interface Page {
  width: number;
  height: number;
  drawings: readonly Placed[];
  /** Shapes behind the drawings, in points. */
  shapes?: readonly Shape[] | undefined;
  /** The page as it is cut, and with its bleed. */
  trim?: PageBox | undefined;
  bleed?: PageBox | undefined;
}

/** Properties of a PDF file. */
export interface PdfOptions {
  title?: string | undefined;
  inks?: Inks | undefined;
}

/** Returns the pixels of the pictures that the shapes of a drawing cut out. */
export const picturesIn = ({ shapes }: Drawing): Map<PictureShape, Pixels> =>
  new Map(
    shapes.flatMap((shape): [PictureShape, Pixels][] => {
      if (!('picture' in shape)) return [];
      const { side, rgb } = shape.picture;
      return [[shape, { width: side, height: side, rgb }]];
    }),
  );

/** Fits an image into its box: as large as possible, centered. */
export function fit(box: Box, { width, height }: { width: number; height: number }): Box {
  const scale = Math.min(box.width / width, box.height / height);
  const [w, h] = [width * scale, height * scale];
  return { x: box.x + (box.width - w) / 2, y: box.y + (box.height - h) / 2, width: w, height: h };
}

type Stream = [entries: string, data: Uint8Array];

/** An object: its text, or a stream with the entries of its dictionary. */
export type PdfObject = string | Stream;

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Objects that the pages of a file share. */
export interface PageContext {
  /** Number of the object that is the parent of the pages. */
  parent: number;
  content: Content;
  /** Numbers of the images that are in the file. */
  images: Map<Pixels, number>;
  /** Adds an object, and returns its number. */
  add(object: PdfObject): number;
  /** Compresses into the zlib format. */
  deflate(bytes: Uint8Array): Promise<Uint8Array>;
}

/** Returns the context of the pages of a file. */
export const pageContext = ({
  inks,
  ...context
}: Pick<PageContext, 'parent' | 'add' | 'deflate'> & { inks?: Content['inks'] }): PageContext => ({
  ...context,
  content: { opacities: new Set([1]), shadings: new Map(), inks },
  images: new Map(),
});

/**
 * Builds a PDF file.
 *
 * @param deflate compresses into the zlib format
 */
export async function pdfOf(
  pages: readonly Page[],
  deflate: (bytes: Uint8Array) => Promise<Uint8Array>,
  { title, inks }: PdfOptions = {},
): Promise<Uint8Array> {
  // Objects 1 and 2 are written last, once all pages are known.
  const objects: PdfObject[] = ['', ''];
  const add = (object: PdfObject): number => objects.push(object);
  const context = pageContext({ parent: 2, inks, add, deflate });
  const kids: number[] = [];
  for (const page of pages) kids.push(await addPage(page, context));
  objects[0] = CATALOG;
  objects[1] = pageTree(kids, kids.length);
  const info = title === undefined ? '' : ` /Info ${add(`<< /Title ${textString(title)} >>`)} 0 R`;
  return assemble(objects, info);
}

/** The catalog of a file whose page tree is object 2. */
export const CATALOG = '<< /Type /Catalog /Pages 2 0 R >>';

/**
 * Returns a node of the page tree.
 *
 * @param kids numbers of its pages or nodes
 * @param count number of pages below it
 * @param parent number of its parent; absent: it is the root
 */
export const pageTree = (kids: readonly number[], count: number, parent?: number): string =>
  `<< /Type /Pages${parent === undefined ? '' : ` /Parent ${parent} 0 R`} /Kids [${kids.map((kid) => `${kid} 0 R`).join(' ')}] /Count ${count} >>`;

/** Adds the objects of a page. @returns the number of the page */
export async function addPage(page: Page, context: PageContext): Promise<number> {
  const { width, height, drawings, shapes: behind = [], trim, bleed } = page;
  const { parent, content, images, add, deflate } = context;
  const used = new Set<number>();
  let drawn = `1 0 0 -1 0 ${n(height)} cm\n`;
  for (const shape of behind) drawn += paint(shape, content);
  const nameOf = async (pixels: Pixels): Promise<string> => {
    const image = images.get(pixels) ?? (await addImage(pixels, add, deflate));
    images.set(pixels, image);
    used.add(image);
    return `/I${image}`;
  };
  for (const { drawing, pixels, vector, pictures, x, y, scale } of drawings) {
    const { ground, shapes } = drawing;
    drawn += `q ${factor(scale)} 0 0 ${factor(scale)} ${n(x)} ${n(y)} cm\n`;
    for (const shape of ground === null ? shapes : [ground, ...shapes]) {
      if ('picture' in shape) {
        const cut = pictures?.get(shape);
        if (cut !== undefined)
          drawn += `q ${clipTo(shape.path)}${imageAt(shape.picture.box, await nameOf(cut))}Q\n`;
      } else {
        drawn += paint(shape, content);
      }
    }
    if (drawing.image !== null && vector !== undefined) {
      drawn += vectorContent(drawing.image, vector, content);
    } else if (drawing.image !== null && pixels !== undefined) {
      drawn += imageAt(fit(drawing.image, pixels), await nameOf(pixels));
    }
    drawn += 'Q\n';
  }
  const contents = add(['/Filter /FlateDecode', await deflate(bytesOf(drawn))]);
  const xobjects = [...used].map((image) => `/I${image} ${image} 0 R`).join(' ');
  const states = [...content.opacities]
    .map((a) => `/A${Math.round(a * 255)} << /ca ${n(a)} /CA ${n(a)} >>`)
    .join(' ');
  return add(
    `<< /Type /Page /Parent ${parent} 0 R /MediaBox [0 0 ${n(width)} ${n(height)}]${box('TrimBox', trim, height)}${box('BleedBox', bleed, height)} /Contents ${contents} 0 R /Resources << /ExtGState << ${states} >>${xobjects === '' ? '' : ` /XObject << ${xobjects} >>`}${shadingsOf(content)}${spotSpaces(content.inks)} >> >>`,
  );
}

/** Draws an image: PDF does so into a unit square that grows upwards, so it is flipped here. */
const imageAt = ({ x, y, width, height }: Box, name: string): string =>
  `/A255 gs q ${n(width)} 0 0 ${n(-height)} ${n(x)} ${n(y + height)} cm ${name} Do Q\n`;

/** Draws an image of shapes into its box. */
function vectorContent(box: Box, vector: Vector, content: Content): string {
  const { x, y, width } = fit(box, vector);
  const scale = width / vector.width;
  const drawn = vector.shapes.map((shape: VectorShape) => paint(shape, content)).join('');
  return `q ${factor(scale)} 0 0 ${factor(scale)} ${n(x)} ${n(y)} cm 0 0 ${n(vector.width)} ${n(vector.height)} re W n\n${drawn}Q\n`;
}

function shadingsOf({ shadings }: Content): string {
  if (shadings.size === 0) return '';
  const entries = [...shadings].map(([dictionary, name]) => `/${name} ${dictionary}`);
  return ` /Shading << ${entries.join(' ')} >>`;
}

/** Formats a box of a page, whose y grows upwards. */
function box(name: string, at: PageBox | undefined, height: number): string {
  if (at === undefined) return '';
  const [x, y, w, h] = at;
  return ` /${name} [${n(x)} ${n(height - y - h)} ${n(x + w)} ${n(height - y)}]`;
}

/** Color spaces of spot colors, with their inks for screens and other printers (8.6.6.4). */
function spotSpaces(inks: Inks = {}): string {
  const spots = new Map(
    Object.values(inks).flatMap(({ spot, cmyk }): [string, Ink['cmyk']][] =>
      spot === undefined ? [] : [[spot, cmyk]],
    ),
  );
  if (spots.size === 0) return '';
  const spaces = [...spots].map(
    ([spot, cmyk]) =>
      `/${spaceName(spot)} [/Separation /${nameToken(spot)} /DeviceCMYK << /FunctionType 2 /Domain [0 1] /C0 [0 0 0 0] /C1 [${cmyk.map(n).join(' ')}] /N 1 >>]`,
  );
  return ` /ColorSpace << ${spaces.join(' ')} >>`;
}

/** Formats a text string as UTF-16 with a byte order mark (7.9.2.2). */
function textString(text: string): string {
  const units = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
  return `<${[0xfeff, ...units].map((unit) => unit.toString(16).padStart(4, '0')).join('')}>`;
}

async function addImage(
  { width, height, rgb, cmyk, alpha }: Pixels,
  add: (object: Stream) => number,
  deflate: (bytes: Uint8Array) => Promise<Uint8Array>,
): Promise<number> {
  const size = `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /BitsPerComponent 8 /Filter /FlateDecode`;
  const mask =
    alpha === undefined
      ? ''
      : ` /SMask ${add([`${size} /ColorSpace /DeviceGray`, await deflate(alpha)])} 0 R`;
  const space = cmyk === undefined ? '/DeviceRGB' : '/DeviceCMYK';
  return add([`${size} /ColorSpace ${space}${mask}`, await deflate(cmyk ?? rgb)]);
}

/** Returns the start of a file. */
export const pdfHeader = (): Uint8Array =>
  // Four bytes beyond ASCII mark the file as binary (7.5.2).
  Uint8Array.from(
    Array.from('%PDF-1.4\n%\xe2\xe3\xcf\xd3\n', (character) => character.charCodeAt(0)),
  );

/** Formats an object, in parts. */
export function objectParts(number: number, object: PdfObject): Uint8Array[] {
  if (typeof object === 'string') return [bytesOf(`${number} 0 obj\n${object}\nendobj\n`)];
  const [entries, data] = object;
  return [
    bytesOf(`${number} 0 obj\n<< ${entries} /Length ${data.length} >>\nstream\n`),
    data,
    bytesOf('\nendstream\nendobj\n'),
  ];
}

/** Formats the row of an object in the cross-reference table, 20 bytes. @param at its position */
export const crossReference = (at: number): string => `${String(at).padStart(10, '0')} 00000 n \n`;

/**
 * Formats the end of a file: the cross-reference table (ISO 32000-1, 7.5) and the trailer.
 *
 * @param rows the rows of all objects, in order
 * @param start position of the table
 * @param info further entries of the trailer
 */
export function pdfEnd(rows: string, start: number, info = ''): Uint8Array {
  const size = rows.length / crossReference(0).length + 1;
  return bytesOf(
    `xref\n0 ${size}\n0000000000 65535 f \n${rows}` +
      `trailer\n<< /Size ${size} /Root 1 0 R${info} >>\nstartxref\n${start}\n%%EOF\n`,
  );
}

/** Assembles objects into a PDF file. */
function assemble(objects: readonly PdfObject[], info: string): Uint8Array {
  const parts = [pdfHeader()];
  let length = parts[0]!.length;
  let rows = '';
  for (const [index, object] of objects.entries()) {
    rows += crossReference(length);
    for (const part of objectParts(index + 1, object)) {
      parts.push(part);
      length += part.length;
    }
  }
  parts.push(pdfEnd(rows, length, info));
  return joined(parts);
}

/** Joins parts. Browsers have no `Buffer.concat`. */
export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
