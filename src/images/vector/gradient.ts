import { colorOf } from './color.ts';
import {
  apply,
  type Bounds,
  lengthOf,
  type Matrix,
  multiply,
  scaleOf,
  transformOf,
} from './geometry.ts';
import type { Properties, Sheet } from './style.ts';
import { propertiesOf } from './style.ts';
import type { Gradient, Stop } from './types.ts';
import { Unsupported } from './unsupported.ts';

/** An element of a document, as far as gradients need it. */
export interface GradientElement {
  name: string;
  attribs: Properties;
  stops: readonly Properties[];
}

/** Maximum number of stops; each shape reads those of its gradient. */
const MAX_STOPS = 32;
/** Maximum number of gradients that take stops from each other. */
const MAX_LINKS = 8;

/**
 * Reads a gradient of a document in the coordinates of the picture.
 *
 * @param transform transformation of the element that it fills
 * @param bounds bounding box of that element before its transformation
 * @throws Unsupported for one that a plain gradient cannot reproduce
 */
export function gradientOf(
  id: string,
  gradients: ReadonlyMap<string, GradientElement>,
  sheet: Sheet,
  transform: Matrix,
  bounds: () => Bounds,
): Gradient {
  const { name, attribs, stops: elements } = linked(id, gradients);
  if ((attribs['spreadMethod'] ?? 'pad') !== 'pad') throw new Unsupported('spreadMethod');
  const stops = stopsOf(elements, sheet);
  const isOnPage = attribs['gradientUnits'] === 'userSpaceOnUse';
  const box = isOnPage ? transform : multiply(transform, boxTransform(bounds()));
  const matrix = multiply(box, transformOf(attribs['gradientTransform']));
  const at = (field: string, share: number) => {
    const text = attribs[field];
    const percent = /^\s*(-?[\d.]+)%\s*$/.exec(text ?? '')?.[1];
    if (text !== undefined && percent === undefined) return lengthOf(text);
    // Percentages of a gradient in the coordinates of the page refer to the size of the image.
    if (isOnPage) throw new Unsupported(`${field} of a gradient`);
    return percent === undefined ? share : Number(percent) / 100;
  };
  if (name === 'linearGradient') {
    return linear(matrix, [at('x1', 0), at('y1', 0), at('x2', 1), at('y2', 0)], stops);
  }
  const [cx, cy, r] = [at('cx', 0.5), at('cy', 0.5), at('r', 0.5)];
  const isCentered =
    (attribs['fx'] === undefined || at('fx', 0.5) === cx) &&
    (attribs['fy'] === undefined || at('fy', 0.5) === cy) &&
    (attribs['fr'] === undefined || at('fr', 0) === 0);
  if (!isCentered) throw new Unsupported('focus of a gradient');
  const [x, y] = apply(matrix, [cx, cy]);
  return { kind: 'radial', cx: x, cy: y, r: r * scaleOf(matrix), stops };
}

function boxTransform({ x, y, width, height }: Bounds): Matrix {
  if (!(width > 0 && height > 0)) throw new Unsupported('gradient of a shape without an area');
  return [width, 0, 0, height, x, y];
}

/** Adds to a gradient what it takes from those that it refers to (SVG 2, 14.2.2). */
function linked(id: string, gradients: ReadonlyMap<string, GradientElement>): GradientElement {
  const first = gradients.get(id);
  if (first === undefined) throw new Unsupported(`gradient ${id}`);
  let merged = first;
  let next = hrefOf(first);
  for (let links = 0; next !== undefined; links += 1) {
    const other = gradients.get(next);
    if (other === undefined || links === MAX_LINKS) throw new Unsupported(`gradient ${next}`);
    // Attributes of position belong to one kind of gradient.
    const attribs = other.name === first.name ? other.attribs : {};
    merged = {
      name: first.name,
      attribs: { ...attribs, ...merged.attribs },
      stops: merged.stops.length === 0 ? other.stops : merged.stops,
    };
    next = hrefOf(other);
  }
  return merged;
}

function hrefOf({ attribs }: GradientElement): string | undefined {
  const href = attribs['href'] ?? attribs['xlink:href'];
  if (href === undefined) return undefined;
  if (!href.startsWith('#')) throw new Unsupported('external gradient');
  return href.slice(1);
}

function stopsOf(elements: readonly Properties[], sheet: Sheet): Stop[] {
  if (elements.length > MAX_STOPS) throw new Unsupported('number of stops');
  let before = 0;
  const stops = elements.map((attributes): Stop => {
    const { color, ...properties } = propertiesOf(attributes, sheet, {});
    if (Number(properties['stop-opacity'] ?? 1) !== 1) throw new Unsupported('stop-opacity');
    const text = attributes['offset'] ?? '0';
    const share = text.trim().endsWith('%')
      ? lengthOf(text.trim().slice(0, -1)) / 100
      : lengthOf(text);
    before = Math.max(before, Math.min(1, Math.max(0, share)));
    const fill = colorOf(properties['stop-color'] ?? '#000000', color ?? '#000000');
    if (fill === undefined || fill.length > 7) throw new Unsupported('stop-color');
    return { at: before, color: fill };
  });
  const [first, last] = [stops[0], stops.at(-1)];
  if (first === undefined || last === undefined) throw new Unsupported('gradient without stops');
  return [
    ...(first.at > 0 ? [{ ...first, at: 0 }] : []),
    ...stops,
    ...(last.at < 1 || stops.length === 1 ? [{ ...last, at: 1 }] : []),
  ];
}

/** A transformed gradient stays constant along its transformed normal, which need not be square. */
function linear(
  matrix: Matrix,
  [x1, y1, x2, y2]: readonly [number, number, number, number],
  stops: Stop[],
): Gradient {
  const [fromX, fromY] = apply(matrix, [x1, y1]);
  const [toX, toY] = apply(matrix, [x2, y2]);
  const [alongX, alongY] = apply(matrix, [x1 - (y2 - y1), y1 + (x2 - x1)]);
  const [wx, wy] = [alongY - fromY, fromX - alongX];
  const length = wx * wx + wy * wy;
  if (length === 0) throw new Unsupported('gradient without a direction');
  const share = ((toX - fromX) * wx + (toY - fromY) * wy) / length;
  return {
    kind: 'linear',
    x1: fromX,
    y1: fromY,
    x2: fromX + share * wx,
    y2: fromY + share * wy,
    stops,
  };
}
