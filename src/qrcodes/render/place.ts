import type { Design, Plate } from './design.ts';
import type { Box } from './drawing-types.ts';

/** Position of the modules in the picture, in px. */
export interface ModulePlace {
  x0: number;
  y0: number;
  /** Whole px per module; 0 if the picture is too small. */
  px: number;
}

/**
 * Positions the modules. All have the same whole number of px, since fractions would make some
 * wider than others; the remainder goes to the quiet zone, evenly.
 *
 * @param size modules per side
 */
export function placeModules(code: Box, size: number, margin: number): ModulePlace {
  const px = Math.floor(code.width / (size + 2 * margin));
  const left = Math.floor((code.width - size * px) / 2);
  return { x0: code.x + left, y0: code.y + left, px };
}

/** Positions the image around the middle module; `null` without an image. */
export function placeImage(
  { middle }: Pick<Design, 'middle'>,
  { x0, y0, px }: ModulePlace,
  size: number,
): Box | null {
  if (middle === null) return null;
  const { width, height } = middle;
  return {
    x: Math.round(x0 + (size * px - width) / 2),
    y: Math.round(y0 + (size * px - height) / 2),
    width,
    height,
  };
}

/** An area in the middle of a code: a box, or the circle in it. */
export interface Area extends Box {
  isRound: boolean;
}

/**
 * Diameter of a round plate without padding, as a share of the image's diagonal: corners of a
 * square reach into the padding, and round images have no wide ring around them.
 */
const ROUND = 0.9;

/** The area of a plate and its padding around an image. */
export function plateArea({ x, y, width, height }: Box, { shape, padding }: Plate): Area {
  const pad = (padding / 100) * Math.max(width, height);
  if (shape !== 'circle') {
    return {
      x: x - pad,
      y: y - pad,
      width: width + 2 * pad,
      height: height + 2 * pad,
      isRound: false,
    };
  }
  const around = Math.max(width, height, ROUND * Math.hypot(width, height));
  const side = around + 2 * pad;
  return {
    x: x + (width - side) / 2,
    y: y + (height - side) / 2,
    width: side,
    height: side,
    isRound: true,
  };
}

/** True for a plate that is drawn, and not only kept free. */
export const isVisible = (plate: Plate | null | undefined): plate is Plate =>
  plate !== null && plate !== undefined && plate.shape !== 'none';

/** The area in which an image hides or clears modules; `null` without an image. */
export function coveredArea(
  design: Pick<Design, 'middle'>,
  place: ModulePlace,
  size: number,
): Area | null {
  const image = placeImage(design, place, size);
  if (image === null || design.middle === null) return null;
  const { plate, excavate } = design.middle;
  if (plate && (excavate || isVisible(plate))) return plateArea(image, plate);
  return { ...image, isRound: false };
}

/** True if an area overlaps a module. */
export function touches(
  area: Area,
  { x0, y0, px }: ModulePlace,
  row: number,
  column: number,
): boolean {
  const x = x0 + column * px;
  const y = y0 + row * px;
  const right = area.x + area.width;
  const bottom = area.y + area.height;
  if (x >= right || x + px <= area.x || y >= bottom || y + px <= area.y) return false;
  if (!area.isRound) return true;
  const [cx, cy] = [area.x + area.width / 2, area.y + area.height / 2];
  const near = (center: number, from: number) => Math.max(from, Math.min(center, from + px));
  return Math.hypot(near(cx, x) - cx, near(cy, y) - cy) < area.width / 2;
}
