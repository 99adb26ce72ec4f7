import type { Gradient, Stop } from '../../images/vector/types.ts';
import { parseColor } from './color.ts';
import { components, type Inks, n, share } from './ink.ts';

/*
 * Gradients of PDF (ISO 32000-1, 8.7.4.5) and PostScript level 3, whose dictionaries have the same
 * text.
 */

/** Minimum distance of two stops, whose functions must have an extent. */
const MIN_STEP = 1e-4;

/** The shading dictionary of a gradient, with black ink alone if all of its colors are grey. */
export function shadingOf(gradient: Gradient, inks: Inks | undefined): string {
  const { stops } = gradient;
  const coordinates =
    gradient.kind === 'linear'
      ? [gradient.x1, gradient.y1, gradient.x2, gradient.y2]
      : [gradient.cx, gradient.cy, 0, gradient.cx, gradient.cy, gradient.r];
  const parts = stops.map(({ color }) => components(parseColor(color), color, inks));
  const isGray = parts.every(({ space }) => space === 'gray');
  const space = inks !== undefined ? 'CMYK' : isGray ? 'Gray' : 'RGB';
  const values = stops.map(({ color }, at) => (space === 'RGB' ? rgb(color) : parts[at]!.values));
  return `<< /ShadingType ${gradient.kind === 'linear' ? 2 : 3} /ColorSpace /Device${space} /Coords [${coordinates.map(n).join(' ')}] /Function ${functionOf(stops, values)} /Extend [true true] >>`;
}

function rgb(color: string): string {
  const { r, g, b } = parseColor(color);
  return `${share(r)} ${share(g)} ${share(b)}`;
}

/** A function from the position, 0 to 1, to the values of a color. */
function functionOf(stops: readonly Stop[], values: readonly string[]): string {
  const steps = values
    .slice(1)
    .map(
      (value, at) => `<< /FunctionType 2 /Domain [0 1] /C0 [${values[at]}] /C1 [${value}] /N 1 >>`,
    );
  if (steps.length === 1) return steps[0]!;
  let before = 0;
  const bounds = stops.slice(1, -1).map(({ at }) => {
    before = Math.max(at, before + MIN_STEP);
    return String(Math.round(before * 1e6) / 1e6);
  });
  return `<< /FunctionType 3 /Domain [0 1] /Functions [${steps.join(' ')}] /Bounds [${bounds.join(' ')}] /Encode [${steps.map(() => '0 1').join(' ')}] >>`;
}
