import type { Plate } from './design.ts';
import type { Box, Shape } from './drawing-types.ts';
import { allCorners, circle, roundRectangle } from './geometry.ts';
import { plateArea } from './place.ts';

/** Radius of the corners of a rounded plate, as a share of its shorter side. */
const ROUNDING = 0.22;
/** Width of a rim, as a share of the image's longer side. */
const RIM = 0.035;

/** Draws the plate behind an image. */
export function drawPlate(image: Box, plate: Plate): Shape[] {
  const { x, y, width, height } = plateArea(image, plate);
  const rim = Math.max(1, RIM * Math.max(image.width, image.height));
  const radius = plate.shape === 'rounded' ? ROUNDING * Math.min(width, height) : 0;
  const form = (inset: number): string =>
    plate.shape === 'circle'
      ? circle(x + width / 2, y + height / 2, width / 2 - inset)
      : roundRectangle(
          x + inset,
          y + inset,
          width - 2 * inset,
          height - 2 * inset,
          allCorners(Math.max(0, radius - inset)),
        );
  const ground: Shape = { path: form(0), fill: plate.color };
  if (plate.rimColor === null) return [ground];
  return [ground, { path: form(0) + form(rim), fill: plate.rimColor, evenOdd: true }];
}
