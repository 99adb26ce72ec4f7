import type { Paint } from '../../images/vector/types.ts';
import { worstContrast } from './contrast.ts';
import type { Design } from './design.ts';
import { matrixOf } from './design-matrix.ts';
import type { Box, Drawing, PictureShape, Shape, SquarePixels } from './drawing-types.ts';
import { drawEyes, EYE_MODULES, type Eye } from './eyes/index.ts';
import { layoutFrame } from './frames/index.ts';
import { rectangle } from './geometry.ts';
import { gradientOn } from './gradient.ts';
import { halftone } from './halftone.ts';
import type { Matrix } from './matrix.ts';
import { PATTERNS } from './patterns/index.ts';
import type { ModuleGrid } from './patterns/pattern.ts';
import { coveredArea, isVisible, placeImage, placeModules, touches } from './place.ts';
import { drawPlate } from './plate.ts';
import { withRing } from './ring.ts';
import { swissCross } from './swiss-cross.ts';
import { tonedPicture } from './toned.ts';

/**
 * Draws a code as shapes.
 *
 * @param matrix the encoded payload, if it is known already
 * @param picture that of the background; without one, the modules are drawn as on a plain background
 * @throws Refusal `unprocessable_entity` if the payload does not fit into a code of the level
 */
export function draw(
  payload: string,
  design: Design,
  matrix: Matrix = matrixOf(payload, design),
  picture?: SquarePixels,
): Drawing {
  const { code, height, ground, shapes, disc } = layoutFrame(design);
  const place = placeModules(code, matrix.size, design.margin);
  const image = placeImage(design, place, matrix.size);
  const plate = design.middle?.plate;
  const cleared = design.middle?.excavate === true ? coveredArea(design, place, matrix.size) : null;
  const { size } = matrix;
  const isCleared = (row: number, column: number): boolean =>
    cleared !== null && touches(cleared, place, row, column);
  const isDark = (row: number, column: number): boolean =>
    row >= 0 &&
    column >= 0 &&
    row < size &&
    column < size &&
    matrix.isDark(row, column) &&
    !isEye(row, column, size) &&
    !isCleared(row, column);
  const { fgGradient, fgColor, quietZoneColor } = design;
  const coded = { size, ...place, isDark };
  const grid = disc === undefined ? coded : withRing(coded, disc, design.margin);
  const modules = areaOf(grid);
  const fill = fgGradient ? gradientOn(fgGradient, modules) : fgColor;
  const isWhole = (row: number, column: number): boolean =>
    matrix.isFunction(row, column) || isCleared(row, column);
  return {
    width: design.size,
    height,
    ground: groundOf(design, ground, height),
    shapes: [
      ...(quietZoneColor === null ? [] : [{ path: square(code), fill: quietZoneColor }]),
      ...shapes,
      ...drawModules(design, { ...grid, isWhole }, { fill, code, picture }),
      ...drawEyes(design.shape, { ...place, size }, (eye, part, box) =>
        eyePaint(design, eye, part, box, fill),
      ),
      ...(image !== null && isVisible(plate) ? drawPlate(image, plate) : []),
      ...(design.hasSwissCross ? swissCross(areaOf(coded)) : []),
    ],
    image,
    plate: isVisible(plate) ? plate.color : undefined,
    code,
    modulePx: place.px,
  };
}

/** Draws the modules, in the form of the picture or with it around them. */
function drawModules(
  design: Design,
  grid: ModuleGrid & { isWhole(row: number, column: number): boolean },
  { fill, code, picture }: { fill: Paint; code: Box; picture: SquarePixels | undefined },
): (Shape | PictureShape)[] {
  const { pattern, background } = design;
  if (background !== undefined && picture !== undefined) {
    if (background.style === 'halftone') {
      const { strength } = background;
      const isInverted = worstContrast(design).signed < 0;
      return [{ path: halftone(grid, picture, { strength, isInverted }), fill }];
    }
    const { light, dark } = tonedPicture(picture, design, code.width / grid.px);
    return [
      { path: square(code), picture: { ...light, box: code } },
      { path: PATTERNS[pattern](grid), picture: { ...dark, box: code } },
    ];
  }
  return [{ path: PATTERNS[pattern](grid), fill }];
}

function groundOf(
  { bgColor, bgGradient, size }: Design,
  path: string,
  height: number,
): Shape | null {
  if (bgGradient) {
    return { path, fill: gradientOn(bgGradient, { x: 0, y: 0, width: size, height }) };
  }
  return bgColor === 'transparent' ? null : { path, fill: bgColor };
}

/** The color or gradient of a part of an eye: its own, that of all eyes, or that of the modules. */
function eyePaint(
  { eyeColor, eyeBallColor, eyeColors, eyeGradient }: Design,
  eye: Eye,
  part: 'frame' | 'ball',
  box: Box,
  modules: Paint,
): Paint {
  const own = eyeColors?.[eye];
  const color =
    part === 'ball'
      ? (own?.ball ?? own?.frame ?? eyeBallColor ?? eyeColor)
      : (own?.frame ?? eyeColor);
  return color ?? (eyeGradient ? gradientOn(eyeGradient, box) : modules);
}

/** The square of a grid of modules. */
const areaOf = ({ x0, y0, px, size }: ModuleGrid): Box => ({
  x: x0,
  y: y0,
  width: size * px,
  height: size * px,
});

const square = ({ x, y, width, height }: Box): string => rectangle(x, y, width, height);

function isEye(row: number, column: number, size: number): boolean {
  const nearTop = row < EYE_MODULES;
  const nearLeft = column < EYE_MODULES;
  return (
    (nearTop && (nearLeft || column >= size - EYE_MODULES)) ||
    (nearLeft && row >= size - EYE_MODULES)
  );
}
