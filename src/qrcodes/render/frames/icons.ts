import type { Shape } from '../drawing-types.ts';
import {
  allCorners,
  type Curve,
  circle,
  curveTo,
  moveTo,
  polygon,
  type RoundPoint,
  roundPolygon,
  roundRectangle,
  stroke,
  strokeAlong,
} from '../geometry.ts';
import type { FrameIcon } from './names.ts';

/** Side of the square in which icons are drawn. */
const GRID = 24;

/** Converts a length, an abscissa and an ordinate of the grid to px. */
interface Scale {
  by(length: number): number;
  x(value: number): number;
  y(value: number): number;
}

type Draw = (scale: Scale) => Omit<Shape, 'fill'>[];

const points = ({ x, y, by }: Scale, all: readonly RoundPoint[]): RoundPoint[] =>
  all.map(([px, py, round = 0]) => [x(px), y(py), by(round)]);

const rounded = (scale: Scale, ...all: readonly RoundPoint[]): string =>
  roundPolygon(points(scale, all));

const disk = ({ x, y, by }: Scale, cx: number, cy: number, radius: number): string =>
  circle(x(cx), y(cy), by(radius));

const box = (
  { x, y, by }: Scale,
  [left, top, width, height]: readonly [number, number, number, number],
  radius: number,
): string => roundRectangle(x(left), y(top), by(width), by(height), allCorners(by(radius)));

const pen = (
  { x, y, by }: Scale,
  [x1, y1]: readonly [number, number],
  [x2, y2]: readonly [number, number],
  width: number,
): string => stroke([x(x1), y(y1)], [x(x2), y(y2)], by(width));

/** An arc of a fan around a point near the bottom of the grid. */
function fan({ x, y, by }: Scale, radius: number): string {
  const [cx, cy] = [12, 19.2];
  const reach = radius * Math.SQRT1_2;
  const curve: Curve = [
    [x(cx - reach), y(cy - reach)],
    [x(cx - reach * 0.45), y(cy - radius * 1.098)],
    [x(cx + reach * 0.45), y(cy - radius * 1.098)],
    [x(cx + reach), y(cy - reach)],
  ];
  return strokeAlong(curve, by(2.7));
}

/** An arrow up or down. */
const arrow =
  (isDown: boolean): Draw =>
  (scale) => {
    const y = (value: number) => (isDown ? GRID - value : value);
    return [
      { path: pen(scale, [12, y(3.4)], [12, y(20.6)], 3) },
      { path: pen(scale, [12, y(3.4)], [5, y(10.6)], 3) },
      { path: pen(scale, [12, y(3.4)], [19, y(10.6)], 3) },
    ];
  };

const star = (scale: Scale): string =>
  roundPolygon(
    Array.from({ length: 10 }, (_, at): RoundPoint => {
      const radius = at % 2 === 0 ? 11.5 : 5;
      const angle = (at / 10) * 2 * Math.PI;
      return [
        scale.x(12 + radius * Math.sin(angle)),
        scale.y(12.8 - radius * Math.cos(angle)),
        scale.by(at % 2 === 0 ? 1 : 0),
      ];
    }),
  );

function heart({ x, y }: Scale): string {
  return (
    moveTo(x(12), y(21.6)) +
    curveTo(x(9), y(19.4), x(1.2), y(14.2), x(1.2), y(8.4)) +
    curveTo(x(1.2), y(5), x(3.8), y(2.6), x(6.9), y(2.6)) +
    curveTo(x(9.1), y(2.6), x(11), y(3.8), x(12), y(5.8)) +
    curveTo(x(13), y(3.8), x(14.9), y(2.6), x(17.1), y(2.6)) +
    curveTo(x(20.2), y(2.6), x(22.8), y(5), x(22.8), y(8.4)) +
    curveTo(x(22.8), y(14.2), x(15), y(19.4), x(12), y(21.6)) +
    'Z'
  );
}

function drop({ x, y }: Scale): string {
  return (
    moveTo(x(12), y(23.2)) +
    curveTo(x(10), y(20.2), x(3.6), y(14.6), x(3.6), y(9.2)) +
    curveTo(x(3.6), y(4.5), x(7.4), y(0.8), x(12), y(0.8)) +
    curveTo(x(16.6), y(0.8), x(20.4), y(4.5), x(20.4), y(9.2)) +
    curveTo(x(20.4), y(14.6), x(14), y(20.2), x(12), y(23.2)) +
    'Z'
  );
}

const ICONS: Record<Exclude<FrameIcon, 'none' | 'arrow'>, Draw> = {
  phone: (scale) => [
    {
      path:
        box(scale, [5.5, 1, 13, 22], 2.6) +
        box(scale, [7.7, 4.2, 8.6, 13.2], 0.6) +
        disk(scale, 12, 20.2, 1.15),
      evenOdd: true,
    },
  ],
  camera: (scale) => [
    {
      path:
        rounded(
          scale,
          [1.2, 6, 2.4],
          [7, 6, 0.6],
          [8.8, 3, 0.8],
          [15.2, 3, 0.8],
          [17, 6, 0.6],
          [22.8, 6, 2.4],
          [22.8, 21, 2.6],
          [1.2, 21, 2.6],
        ) +
        disk(scale, 12, 13.4, 5) +
        disk(scale, 12, 13.4, 2.8),
      evenOdd: true,
    },
  ],
  cart: (scale) => [
    { path: pen(scale, [1.6, 3], [4.6, 3], 2.2) },
    { path: pen(scale, [4.6, 3], [7.4, 15], 2.2) },
    {
      path: rounded(scale, [5.2, 5.4, 0.3], [23, 5.4, 1.4], [20.8, 15.6, 1.4], [7.4, 15.6, 0.6]),
    },
    { path: disk(scale, 9.6, 20.3, 2.1) },
    { path: disk(scale, 18.2, 20.3, 2.1) },
  ],
  wifi: (scale) => [
    { path: fan(scale, 16) },
    { path: fan(scale, 10.6) },
    { path: fan(scale, 5.2) },
    { path: disk(scale, 12, 19.4, 2) },
  ],
  mail: (scale) => [
    {
      path:
        box(scale, [1.2, 4, 21.6, 16], 2.4) +
        polygon(
          points(scale, [
            [3.2, 7.9],
            [4.4, 6.3],
            [12, 12.1],
            [19.6, 6.3],
            [20.8, 7.9],
            [12, 14.6],
          ]).map(([x, y]) => [x, y]),
        ),
      evenOdd: true,
    },
  ],
  pin: (scale) => [{ path: drop(scale) + disk(scale, 12, 9.2, 3.3), evenOdd: true }],
  play: (scale) => [
    {
      path: disk(scale, 12, 12, 11.2) + rounded(scale, [9, 6.6, 1], [18, 12, 1], [9, 17.4, 1]),
      evenOdd: true,
    },
  ],
  heart: (scale) => [{ path: heart(scale) }],
  star: (scale) => [{ path: star(scale) }],
  menu: (scale) => [
    ...[3.2, 6.6, 10].map((x) => ({ path: pen(scale, [x, 2], [x, 8], 1.8) })),
    { path: rounded(scale, [2.3, 7.4], [10.9, 7.4], [10.9, 9.6, 2.6], [2.3, 9.6, 2.6]) },
    { path: pen(scale, [6.6, 9], [6.6, 22], 2.4) },
    { path: rounded(scale, [15.4, 5.6, 3.4], [20, 0.8, 0.4], [20, 14, 0.6], [15.4, 14, 0.6]) },
    { path: pen(scale, [18.8, 12], [18.8, 22], 2.4) },
  ],
};

/** Draws an icon in a square. @param isCodeBelow true if an arrow to the code points down */
export function drawIcon(
  icon: Exclude<FrameIcon, 'none'>,
  { x, y, side }: { x: number; y: number; side: number },
  fill: string,
  isCodeBelow: boolean,
): Shape[] {
  const unit = side / GRID;
  const scale: Scale = {
    by: (length) => length * unit,
    x: (value) => x + value * unit,
    y: (value) => y + value * unit,
  };
  const shape = icon === 'arrow' ? arrow(isCodeBelow) : ICONS[icon];
  return shape(scale).map((part) => ({ ...part, fill }));
}
