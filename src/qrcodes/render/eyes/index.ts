import type { Shape } from '../drawing-types.ts';
import { type EyeForm, INNERS, OUTERS } from './forms.ts';

type Outer = keyof typeof OUTERS;
type Inner = keyof typeof INNERS;

/** Names for a ring and a core that match. */
const PAIRS = {
  square: ['square', 'square'],
  rounded: ['rounded', 'rounded'],
  'extra-rounded': ['extra-rounded', 'dot'],
  leaf: ['leaf', 'leaf'],
  octagon: ['octagon', 'diamond'],
} as const satisfies Record<string, readonly [Outer, Inner]>;

/** Shape of the eyes: a name, or any `outer/inner`. */
export type EyeShape = keyof typeof PAIRS | `${Outer}/${Inner}`;

const PARTS = new Map<EyeShape, readonly [Outer, Inner]>([
  ...(Object.keys(PAIRS) as (keyof typeof PAIRS)[]).map((name) => [name, PAIRS[name]] as const),
  ...(Object.keys(OUTERS) as Outer[]).flatMap((outer) =>
    (Object.keys(INNERS) as Inner[]).map((inner) => [`${outer}/${inner}`, [outer, inner]] as const),
  ),
]);

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
 */
export function drawEyes(
  shape: EyeShape,
  { x0, y0, px, size }: { x0: number; y0: number; px: number; size: number },
  fill: string,
): Shape[] {
  const [outerName, innerName] = PARTS.get(shape)!;
  const { ring, hole }: { ring: EyeForm; hole: EyeForm } = OUTERS[outerName];
  const core: EyeForm = INNERS[innerName];
  const far = (size - EYE_MODULES) * px;
  const places: [x: number, y: number, turn: number][] = [
    [x0, y0, 0],
    [x0 + far, y0, 1],
    [x0, y0 + far, 3],
  ];
  const rings = places.map(
    ([x, y, turn]) => ring(x, y, 7 * px, px, turn) + hole(x + px, y + px, 5 * px, px, turn),
  );
  const cores = places.map(([x, y, turn]) => core(x + 2 * px, y + 2 * px, 3 * px, px, turn));
  return [
    { path: rings.join(''), fill, evenOdd: true },
    { path: cores.join(''), fill },
  ];
}
