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

type Point = readonly [x: number, y: number];

/** A round corner from a point to another one. */
export const cornerTo = ([x1, y1]: Point, [x, y]: Point, [x2, y2]: Point): string =>
  curveTo(
    x1 + (x - x1) * KAPPA,
    y1 + (y - y1) * KAPPA,
    x2 + (x - x2) * KAPPA,
    y2 + (y - y2) * KAPPA,
    x2,
    y2,
  );

/** A point of a polygon, and the distance from it at which its round corner begins. */
export type RoundPoint = readonly [x: number, y: number, round?: number];

/** A polygon with round corners. */
export function roundPolygon(points: readonly RoundPoint[]): string {
  const parts = points.map(([x, y, round = 0], at) => {
    const [before, after] = [points.at(at - 1)!, points[(at + 1) % points.length]!];
    const first = towards([x, y], before, round);
    const start = at === 0 ? moveTo(...first) : lineTo(...first);
    if (round === 0) return start;
    return start + cornerTo(first, [x, y], towards([x, y], after, round));
  });
  return `${parts.join('')}Z`;
}

function towards([x, y]: RoundPoint, [toX, toY]: RoundPoint, distance: number): [number, number] {
  const share = distance / Math.max(Math.hypot(toX - x, toY - y), 1e-9);
  return [x + (toX - x) * share, y + (toY - y) * share];
}

/** Steps of a curve that is drawn as a polygon. */
const STEPS = 24;

/** Control points of a cubic Bézier curve. */
export type Curve = readonly [Point, Point, Point, Point];

/** The area that a pen of a width draws along a curve, with straight ends. */
export function strokeAlong(curve: Curve, width: number): string {
  const sides: Point[][] = [[], []];
  for (let step = 0; step <= STEPS; step += 1) {
    const { x, y, dx, dy } = pointOn(curve, step / STEPS);
    const length = Math.hypot(dx, dy) || 1;
    const [across, along] = [((dy / length) * width) / 2, ((dx / length) * width) / 2];
    sides[0]!.push([x + across, y - along]);
    sides[1]!.unshift([x - across, y + along]);
  }
  return polygon(sides.flat());
}

/** A point of a curve, and the direction there. */
function pointOn([a, b, c, d]: Curve, t: number) {
  const u = 1 - t;
  const value = (at: 0 | 1) =>
    u * u * u * a[at] + 3 * u * u * t * b[at] + 3 * u * t * t * c[at] + t * t * t * d[at];
  const slope = (at: 0 | 1) =>
    u * u * (b[at] - a[at]) + 2 * u * t * (c[at] - b[at]) + t * t * (d[at] - c[at]);
  return { x: value(0), y: value(1), dx: slope(0), dy: slope(1) };
}

/** A straight stroke with round ends. */
export function stroke([x1, y1]: Point, [x2, y2]: Point, width: number): string {
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const [ax, ay] = [((x2 - x1) / length) * (width / 2), ((y2 - y1) / length) * (width / 2)];
  return roundPolygon([
    [x1 - ax + ay, y1 - ay - ax, width / 2],
    [x2 + ax + ay, y2 + ay - ax, width / 2],
    [x2 + ax - ay, y2 + ay + ax, width / 2],
    [x1 - ax - ay, y1 - ay + ax, width / 2],
  ]);
}
