import type { Drawing, Shape } from './drawing-types.ts';
import { DEFAULT_TITLE, type Output } from './output.ts';

/** Properties of an SVG document. */
export interface SvgOptions {
  /** `data:` URI of the image in the middle, so that the document needs no other file. */
  image?: string | undefined;
  title?: string | undefined;
  /** Width of the document; absent: that of the drawing in px. */
  width?: Output['width'];
}

/**
 * Writes a drawing as an SVG document (SVG 1.1, whose readers know `xlink:href` only). Inlined in a
 * page, it is an image with its title as its name.
 */
export function toSvg(drawing: Drawing, { image, title, width: asked }: SvgOptions = {}): string {
  const { width, height, ground, shapes } = drawing;
  const hasImage = drawing.image !== null && image !== undefined;
  const scale = asked === undefined ? 1 : asked.value / width;
  const length = (px: number) =>
    `${Number((px * scale).toFixed(3))}${asked?.unit === 'mm' ? 'mm' : ''}`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg"${hasImage ? XLINK : ''} width="${length(width)}" height="${length(height)}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escapeMarkup(title ?? DEFAULT_TITLE)}</title>`,
    ...(ground === null ? shapes : [ground, ...shapes]).map(element),
    drawing.image === null || image === undefined ? '' : picture(drawing.image, image),
    '</svg>',
  ].join('');
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

function element({ path, fill, evenOdd }: Shape): string {
  return `<path d="${path}"${paint(fill)}${evenOdd === true ? ' fill-rule="evenodd"' : ''}/>`;
}

/** Separate opacity, since not every reader of SVG supports `#RRGGBBAA`. */
function paint(color: string): string {
  if (color.length <= 7) return ` fill="${color}"`;
  const opacity = Number.parseInt(color.slice(7), 16) / 255;
  return ` fill="${color.slice(0, 7)}" fill-opacity="${Math.round(opacity * 1000) / 1000}"`;
}

function picture({ x, y, width, height }: NonNullable<Drawing['image']>, source: string): string {
  return `<image x="${x}" y="${y}" width="${width}" height="${height}" preserveAspectRatio="xMidYMid meet" xlink:href="${source}" href="${source}"/>`;
}
