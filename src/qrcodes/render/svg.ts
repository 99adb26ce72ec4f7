import type { Paint, Stroke, Vector, VectorShape } from '../../images/vector/types.ts';
import type { Box, Drawing, PictureShape } from './drawing-types.ts';
import { n } from './ink.ts';
import { DEFAULT_TITLE, type Output } from './output.ts';

/** Properties of an SVG document. */
export interface SvgOptions {
  /** `data:` URI of the image in the middle, so that the document needs no other file. */
  image?: string | undefined;
  /** The image in the middle as shapes, which take the place of `image`. */
  vector?: Vector | undefined;
  /** `data:` URIs of the pictures that shapes cut out. */
  pictures?: ReadonlyMap<PictureShape, string> | undefined;
  title?: string | undefined;
  /** Width of the document; absent: that of the drawing in px. */
  width?: Output['width'];
  /** Leaves out width and height. */
  hasNoSize?: boolean | undefined;
}

/**
 * Writes a drawing as an SVG document (SVG 1.1, whose readers know `xlink:href` only). Inlined in a
 * page, it is an image with its title as its name.
 */
export function toSvg(drawing: Drawing, options: SvgOptions = {}): string {
  const { image, vector, title, pictures } = options;
  const { width, height, ground, shapes } = drawing;
  const hasMiddle = drawing.image !== null && vector === undefined && image !== undefined;
  const hasImage = hasMiddle || pictures !== undefined;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg"${hasImage ? XLINK : ''}${sizeOf(drawing, options)} viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escapeMarkup(title ?? DEFAULT_TITLE)}</title>`,
    elements(ground === null ? shapes : [ground, ...shapes], pictures),
    drawing.image === null ? '' : middle(drawing.image, options),
    '</svg>',
  ].join('');
}

function sizeOf({ width, height }: Drawing, { width: asked, hasNoSize }: SvgOptions): string {
  if (hasNoSize === true) return '';
  const scale = asked === undefined ? 1 : asked.value / width;
  const length = (px: number) =>
    `${Number((px * scale).toFixed(3))}${asked?.unit === 'mm' ? 'mm' : ''}`;
  return ` width="${length(width)}" height="${length(height)}"`;
}

const XLINK = ' xmlns:xlink="http://www.w3.org/1999/xlink"';

/** Escapes a text of a document, and leaves out characters that XML does not have. */
const escapeMarkup = (text: string): string =>
  text
    // oxlint-disable-next-line no-control-regex -- these are the characters to leave out
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
    .toWellFormed()
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');

/** Writes shapes after the gradients that fill them. */
function elements(
  shapes: readonly (VectorShape | PictureShape)[],
  pictures?: SvgOptions['pictures'],
): string {
  const gradients = new Map<string, string>();
  const paintOf = (fill: Paint | undefined): string => {
    if (fill === undefined) return ' fill="none"';
    if (typeof fill === 'string') return color('fill', fill);
    const markup = gradientMarkup(fill);
    // Documents in one page share their ids, so that an id stands for one gradient everywhere.
    const id = `g${hash(markup)}`;
    gradients.set(id, markup);
    return ` fill="url(#${id})"`;
  };
  const paths = shapes.map((shape) => {
    if ('picture' in shape) return cutPicture(shape, pictures?.get(shape) ?? '');
    const { path, fill, evenOdd, stroke } = shape;
    return `<path d="${path}"${paintOf(fill)}${evenOdd === true ? ' fill-rule="evenodd"' : ''}${strokeOf(stroke)}/>`;
  });
  if (gradients.size === 0) return paths.join('');
  const defined = [...gradients].map(([id, markup]) => markup.replace(' ', ` id="${id}" `));
  return `<defs>${defined.join('')}</defs>${paths.join('')}`;
}

/** A picture within a path. */
function cutPicture({ path, picture: { box } }: PictureShape, href: string): string {
  const { x, y, width, height } = box;
  const id = `c${hash(path)}`;
  return `<clipPath id="${id}"><path d="${path}"/></clipPath><image x="${x}" y="${y}" width="${width}" height="${height}" preserveAspectRatio="none" clip-path="url(#${id})" xlink:href="${href}" href="${href}"/>`;
}

/** Separate opacity, since not every reader of SVG supports `#RRGGBBAA`. */
function color(name: 'fill' | 'stroke', value: string): string {
  if (value.length <= 7) return ` ${name}="${value}"`;
  const opacity = Number.parseInt(value.slice(7), 16) / 255;
  return ` ${name}="${value.slice(0, 7)}" ${name}-opacity="${Math.round(opacity * 1000) / 1000}"`;
}

function strokeOf(stroke: Stroke | undefined): string {
  if (stroke === undefined) return '';
  const { width, cap, join, miterLimit, dashes } = stroke;
  const dashed = dashes.length === 0 ? '' : ` stroke-dasharray="${dashes.map(n).join(' ')}"`;
  return `${color('stroke', stroke.color)} stroke-width="${n(width)}" stroke-linecap="${cap}" stroke-linejoin="${join}" stroke-miterlimit="${n(miterLimit)}"${dashed}`;
}

function gradientMarkup(gradient: Exclude<Paint, string>): string {
  const { kind, stops, ...numbers } = gradient;
  const places = Object.entries(numbers).map(([name, value]) => `${name}="${n(value)}"`);
  const inner = stops.map(({ at, color: one }) => `<stop offset="${n(at)}" stop-color="${one}"/>`);
  return `<${kind}Gradient gradientUnits="userSpaceOnUse" ${places.join(' ')}>${inner.join('')}</${kind}Gradient>`;
}

/** FNV-1a of a text in base 36. */
function hash(text: string): string {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    value = Math.imul(value ^ text.charCodeAt(at), 0x01000193) >>> 0;
  }
  return value.toString(36);
}

function middle({ x, y, width, height }: Box, { image, vector }: SvgOptions): string {
  const place = `x="${x}" y="${y}" width="${width}" height="${height}"`;
  if (vector !== undefined) {
    return `<svg ${place} viewBox="0 0 ${n(vector.width)} ${n(vector.height)}">${elements(vector.shapes)}</svg>`;
  }
  if (image === undefined) return '';
  return `<image ${place} preserveAspectRatio="xMidYMid meet" xlink:href="${image}" href="${image}"/>`;
}
