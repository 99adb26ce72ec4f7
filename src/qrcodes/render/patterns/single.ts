import {
  allCorners,
  circle,
  curveTo,
  lineTo,
  moveTo,
  polygon,
  rectangle,
  roundRectangle,
} from '../geometry.ts';
import { type DrawModules, eachModule } from './pattern.ts';

/* Patterns whose modules are drawn one by one, whatever is beside them. */

/** A square with a gap around it, which is still wide enough for decoders that sample centers. */
const TILE = 0.84;

/** Px per module below which gaps are narrower than a px, and only blur the modules. */
const FEW_PX = 6;
/** Factor of the size of separate modules of few px, for decoders that lose the grid at gaps. */
const swell = (px: number): number => (px < FEW_PX ? 1.12 : 1);

/** A dot per module, which touches its neighbors and does not fuse with them. */
export const dots = eachModule((x, y, px) => circle(x + px / 2, y + px / 2, px * 0.5 * swell(px)));

export const tiles = eachModule((x, y, px) => {
  const gap = (px * (1 - TILE)) / 2;
  return rectangle(x + gap, y + gap, px * TILE, px * TILE);
});

export const roundedTiles = eachModule((x, y, px) => {
  const gap = px * 0.04;
  const side = px - 2 * gap;
  return roundRectangle(x + gap, y + gap, side, side, allCorners(px * 0.28));
});

/** A leaf per module, with two opposite corners rounded. */
export const leaves = eachModule((x, y, px) => {
  const gap = px < FEW_PX ? 0 : px * 0.03;
  const side = px - 2 * gap;
  const radius = side * (px < FEW_PX ? 0.4 : 0.55);
  return roundRectangle(x + gap, y + gap, side, side, [radius, 0, radius, 0]);
});

/** Points around the center of a module: `radius(0)` is above it, and they go clockwise. */
const around = (count: number, radius: (index: number, px: number) => number): DrawModules =>
  eachModule((x, y, px) =>
    polygon(
      Array.from({ length: count }, (_, index) => {
        const turn = (index / count) * 2 * Math.PI;
        const length = radius(index, px) * px * swell(px);
        return [
          x + px / 2 + Math.sin(turn) * length,
          y + px / 2 - Math.cos(turn) * length,
        ] as const;
      }),
    ),
  );

/** Diamonds whose tips reach into the neighbors, so that they have enough ink. */
export const diamonds = around(4, () => 0.7);

export const hexagons = around(6, () => 0.56);

/** A heart per module, slightly larger than it. */
export const hearts = eachModule((x, y, px) => {
  const at = (u: number, v: number) => [x + u * px, y + v * px] as const;
  const curve = (...points: (readonly [number, number])[]) =>
    curveTo(...(points.flat() as [number, number, number, number, number, number]));
  return [
    moveTo(...at(0.5, 1.08)),
    curve(at(0.2, 0.86), at(-0.06, 0.66), at(-0.06, 0.32)),
    curve(at(-0.06, -0.04), at(0.36, -0.14), at(0.5, 0.14)),
    curve(at(0.64, -0.14), at(1.06, -0.04), at(1.06, 0.32)),
    curve(at(1.06, 0.66), at(0.8, 0.86), at(0.5, 1.08)),
    lineTo(...at(0.5, 1.08)),
    'Z',
  ].join('');
});
