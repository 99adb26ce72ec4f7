import type { Paint } from '../../images/vector/types.ts';
import type { DesignGradient } from './design.ts';
import type { Box } from './drawing-types.ts';

/** Places a gradient on a box, whose corners have its end colors. */
export function gradientOn(
  { type, angle, stops: given }: DesignGradient,
  { x, y, width, height }: Box,
): Paint {
  const [cx, cy] = [x + width / 2, y + height / 2];
  const stops = given.map(({ offset, color }) => ({ at: offset, color }));
  const [first, last] = [stops[0]!, stops.at(-1)!];
  if (first.at > 0) stops.unshift({ ...first, at: 0 });
  if (last.at < 1) stops.push({ ...last, at: 1 });
  if (type === 'radial') {
    return { kind: 'radial', cx, cy, r: Math.hypot(width, height) / 2, stops };
  }
  const turn = (angle * Math.PI) / 180;
  const [cos, sin] = [Math.cos(turn), Math.sin(turn)];
  const half = (Math.abs(width * cos) + Math.abs(height * sin)) / 2;
  return {
    kind: 'linear',
    x1: cx - cos * half,
    y1: cy - sin * half,
    x2: cx + cos * half,
    y2: cy + sin * half,
    stops,
  };
}
