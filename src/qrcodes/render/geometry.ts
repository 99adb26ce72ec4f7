/* Path data of basic shapes: absolute M, L, C and Z, coordinates with two decimals. */

/** Distance of the control points of a cubic Bézier curve for a quarter of a unit circle. */
const KAPPA = 0.5523;

const n = (value: number): string => String(Math.round(value * 100) / 100);

export const moveTo = (x: number, y: number): string => `M${n(x)} ${n(y)}`;
export const lineTo = (x: number, y: number): string => `L${n(x)} ${n(y)}`;
export const curveTo = (
  x1: number,
  y1: number,
  x2: number,
  y2: number,
  x: number,
  y: number,
): string => `C${n(x1)} ${n(y1)} ${n(x2)} ${n(y2)} ${n(x)} ${n(y)}`;

/** Radii of the corners: top left, top right, bottom right, bottom left. */
export type Corners = readonly [number, number, number, number];

export const allCorners = (radius: number): Corners => [radius, radius, radius, radius];

export const rectangle = (x: number, y: number, width: number, height: number): string =>
  `${moveTo(x, y)}${lineTo(x + width, y)}${lineTo(x + width, y + height)}${lineTo(x, y + height)}Z`;

/** A rectangle with round corners. */
export function roundRectangle(
  x: number,
  y: number,
  width: number,
  height: number,
  [tl, tr, br, bl]: Corners,
): string {
  const k = 1 - KAPPA;
  const right = x + width;
  const bottom = y + height;
  let path = moveTo(x + tl, y) + lineTo(right - tr, y);
  if (tr > 0) path += curveTo(right - tr * k, y, right, y + tr * k, right, y + tr);
  path += lineTo(right, bottom - br);
  if (br > 0) path += curveTo(right, bottom - br * k, right - br * k, bottom, right - br, bottom);
  path += lineTo(x + bl, bottom);
  if (bl > 0) path += curveTo(x + bl * k, bottom, x, bottom - bl * k, x, bottom - bl);
  path += lineTo(x, y + tl);
  if (tl > 0) path += curveTo(x, y + tl * k, x + tl * k, y, x + tl, y);
  return `${path}Z`;
}

/** A rectangle with its corners cut off. */
export function cutRectangle(
  x: number,
  y: number,
  width: number,
  height: number,
  [tl, tr, br, bl]: Corners,
): string {
  const right = x + width;
  const bottom = y + height;
  return polygon([
    [x + tl, y],
    [right - tr, y],
    [right, y + tr],
    [right, bottom - br],
    [right - br, bottom],
    [x + bl, bottom],
    [x, bottom - bl],
    [x, y + tl],
  ]);
}

export function polygon(points: readonly (readonly [number, number])[]): string {
  const [[x, y] = [0, 0], ...others] = points;
  return `${moveTo(x, y)}${others.map(([px, py]) => lineTo(px, py)).join('')}Z`;
}

/** A circle, by its center. */
export const circle = (cx: number, cy: number, radius: number): string =>
  roundRectangle(cx - radius, cy - radius, 2 * radius, 2 * radius, allCorners(radius));
