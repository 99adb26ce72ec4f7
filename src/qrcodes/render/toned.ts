import { type BackgroundColors, groundOf, limitsOf, luma } from './background.ts';
import { type Color, parseColor } from './color.ts';
import type { SquarePixels } from './drawing-types.ts';

/** Factor by which dark colors become brighter before they are mixed, which keeps their hue. */
const MOST_GAIN = 2.5;
const WHITE = parseColor('#FFFFFF');
const BLACK = parseColor('#000000');

/** The two versions of a picture. */
interface Toned {
  /** For the light modules and the quiet zone. */
  light: SquarePixels;
  /** For the dark modules. */
  dark: SquarePixels;
}

/**
 * Makes a picture light enough for the background of a code, and dark enough for its modules. Pixels
 * keep their hue. Their luma is that of their surroundings, two modules wide: decoders take parts of a
 * module whose luma differs for modules.
 *
 * @param modules number of modules that lie across the picture
 */
export function tonedPicture(
  picture: SquarePixels,
  colors: BackgroundColors,
  modules: number,
): Toned {
  const { light, dark } = limitsOf(colors)!;
  const [ground, ink] = [groundOf(colors), parseColor(colors.fgColor)];
  const around = blurred(lumasOf(picture), picture.side, Math.ceil((2 * picture.side) / modules));
  return {
    light: mapped(picture, (color, index) => {
      const limit = light.from + ((light.to - light.from) * around[index]!) / 255;
      return withLuma(brightened(color), limit, ground, BLACK);
    }),
    dark: mapped(picture, (color, index) => {
      const limit = dark.from + ((dark.to - dark.from) * around[index]!) / 255;
      return withLuma(color, limit, WHITE, ink);
    }),
  };
}

function lumasOf({ side, rgb }: SquarePixels): Float32Array {
  const lumas = new Float32Array(side * side);
  for (let index = 0; index < lumas.length; index += 1) {
    const at = index * 3;
    lumas[index] = luma({ r: rgb[at]!, g: rgb[at + 1]!, b: rgb[at + 2]!, a: 1 });
  }
  return lumas;
}

/** Means of squares, twice, which is nearly a Gaussian blur. @param width of a square in px */
function blurred(values: Float32Array, side: number, width: number): Float32Array {
  const radius = Math.max(1, width >> 1);
  const rows = (from: Float32Array) => means(from, side, radius, { along: 1, across: side });
  const columns = (from: Float32Array) => means(from, side, radius, { along: side, across: 1 });
  return columns(columns(rows(rows(values))));
}

/** Means along each row or column, whose ends go on outside. */
function means(
  values: Float32Array,
  side: number,
  radius: number,
  { along, across }: { along: number; across: number },
): Float32Array {
  const out = new Float32Array(values.length);
  for (let line = 0; line < side; line += 1) {
    const at = (place: number) =>
      values[line * across + Math.min(side - 1, Math.max(0, place)) * along]!;
    let sum = 0;
    for (let place = -radius; place <= radius; place += 1) sum += at(place);
    for (let place = 0; place < side; place += 1) {
      out[line * across + place * along] = sum / (2 * radius + 1);
      sum += at(place + radius + 1) - at(place - radius);
    }
  }
  return out;
}

/** A color with the same hue, as bright as it can be. */
function brightened({ r, g, b }: Color): Color {
  const gain = Math.min(MOST_GAIN, 255 / Math.max(r, g, b, 1));
  return { r: r * gain, g: g * gain, b: b * gain, a: 1 };
}

/** Mixes a color with a lighter or a darker one, so that it has a luma as far as these allow. */
function withLuma(color: Color, limit: number, lighter: Color, darker: Color): Color {
  const own = luma(color);
  const other = own < limit ? lighter : darker;
  const distance = luma(other) - own;
  const share = distance === 0 ? 0 : Math.min(1, Math.max(0, (limit - own) / distance));
  return {
    r: color.r + (other.r - color.r) * share,
    g: color.g + (other.g - color.g) * share,
    b: color.b + (other.b - color.b) * share,
    a: 1,
  };
}

function mapped(
  { side, rgb }: SquarePixels,
  convert: (color: Color, index: number) => Color,
): SquarePixels {
  const out = new Uint8Array(rgb.length);
  for (let at = 0; at < rgb.length; at += 3) {
    const { r, g, b } = convert({ r: rgb[at]!, g: rgb[at + 1]!, b: rgb[at + 2]!, a: 1 }, at / 3);
    out[at] = Math.round(r);
    out[at + 1] = Math.round(g);
    out[at + 2] = Math.round(b);
  }
  return { side, rgb: out };
}
