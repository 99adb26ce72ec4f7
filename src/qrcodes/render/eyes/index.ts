import type { Paint } from '../../../images/vector/types.ts';
import type { Box, Shape } from '../drawing-types.ts';
import { type EyeForm, INNERS, OUTERS } from './forms.ts';

type Outer = keyof typeof OUTERS;
type Inner = keyof typeof INNERS;

/** Names for a ring and a core that match. */
const PAIRS = {
  square: ['square', 'square'],
  rounded: ['rounded', 'rounded'],
  'extra-rounded': ['extra-rounded', 'dot'],
  leaf: ['leaf', 'leaf'],
  octagon: ['octagon', 'octagon'],
  notched: ['notched', 'cross'],
} as const satisfies Record<string, readonly [Outer, Inner]>;

/** Shape of the eyes: a name, or any `outer/inner`. */
export type EyeShape = keyof typeof PAIRS | `${Outer}/${Inner}`;

const PARTS = new Map<EyeShape, readonly [Outer, Inner]>([
  ...(Object.keys(PAIRS) as (keyof typeof PAIRS)[]).map((name) => [name, PAIRS[name]] as const),
  ...(Object.keys(OUTERS) as Outer[]).flatMap((outer) =>
    (Object.keys(INNERS) as Inner[]).map((inner) => [`${outer}/${inner}`, [outer, inner]] as const),
  ),
]);

/** The eyes by their corners. */
export const EYES = ['topLeft', 'topRight', 'bottomLeft'] as const;
export type Eye = (typeof EYES)[number];

/** The part of an eye around its ball, or the ball. */
type EyePart = 'frame' | 'ball';

export const EYE_FRAMES = Object.keys(OUTERS) as Outer[];
export const EYE_BALLS = Object.keys(INNERS) as Inner[];

/** The frame and the ball of a shape. */
export const eyePartsOf = (shape: EyeShape): readonly [frame: Outer, ball: Inner] =>
  PARTS.get(shape)!;

export const EYE_SHAPE_NAMES: readonly EyeShape[] = [...PARTS.keys()];

/**
 * Side of an eye in modules (ISO/IEC 18004, 6.3.3): dark and light alternate 1 : 1 : 3 : 1 : 1
 * along its middle.
 */
export const EYE_MODULES = 7;

/**
 * Draws the three eyes of a code.
 *
 * @param x0 left edge of the code, in px
 * @param size modules per side
 * @param paintOf returns the color or gradient of a part of an eye
 */
export function drawEyes(
  shape: EyeShape,
  { x0, y0, px, size }: { x0: number; y0: number; px: number; size: number },
  paintOf: (eye: Eye, part: EyePart, box: Box) => Paint,
): Shape[] {
  const [outerName, innerName] = eyePartsOf(shape);
  const { ring, hole }: { ring: EyeForm; hole: EyeForm } = OUTERS[outerName];
  const core: EyeForm = INNERS[innerName];
  const far = (size - EYE_MODULES) * px;
  const places: [eye: Eye, x: number, y: number, turn: number][] = [
    ['topLeft', x0, y0, 0],
    ['topRight', x0 + far, y0, 1],
    ['bottomLeft', x0, y0 + far, 3],
  ];
  const side = EYE_MODULES * px;
  const all = places.map(([eye, x, y, turn]) => {
    const paint = (part: EyePart) => paintOf(eye, part, { x, y, width: side, height: side });
    return {
      ring: ring(x, y, side, px, turn) + hole(x + px, y + px, 5 * px, px, turn),
      ringPaint: paint('frame'),
      core: core(x + 2 * px, y + 2 * px, 3 * px, px, turn),
      corePaint: paint('ball'),
    };
  });
  const rings = byPaint(all.map((one) => [one.ring, one.ringPaint]));
  const cores = byPaint(all.map((one) => [one.core, one.corePaint]));
  return [...rings.map((shapes) => ({ ...shapes, evenOdd: true as const })), ...cores];
}

/** Joins paths of the same color into one shape. */
function byPaint(parts: [path: string, fill: Paint][]): Shape[] {
  const shapes = new Map<string, Shape>();
  for (const [path, fill] of parts) {
    const key = JSON.stringify(fill);
    shapes.set(key, { path: (shapes.get(key)?.path ?? '') + path, fill });
  }
  return [...shapes.values()];
}
