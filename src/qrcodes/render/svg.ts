import type { Drawing, Shape } from './drawing-types.ts';

/**
 * Writes a drawing as an SVG document (SVG 1.1).
 *
 * @param image `data:` URI of the image in the middle, so that the document needs no other file
 */
export function toSvg(drawing: Drawing, image?: string): string {
  const { width, height, ground, shapes } = drawing;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    '<title>QR code</title>',
    ...(ground === null ? shapes : [ground, ...shapes]).map(element),
    drawing.image === null || image === undefined ? '' : picture(drawing.image, image),
    '</svg>',
  ].join('');
}

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
  return `<image x="${x}" y="${y}" width="${width}" height="${height}" preserveAspectRatio="xMidYMid meet" href="${source}"/>`;
}
