import { type BackgroundColors, groundOf, limitsOf, luma, lumaOf } from './background.ts';
import { type Color, parseColor } from './color.ts';
import { computedOf } from './computed.ts';
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

/** Returns {@link tone} of a picture, or the result of an earlier call. */
export function tonedPicture(
  picture: SquarePixels,
  colors: BackgroundColors,
  modules: number,
): Toned {
  const { fgColor, bgColor, quietZoneColor, background } = colors;
  const tones = [fgColor, bgColor, quietZoneColor, background?.strength, modules];
  const [light, dark] = computedOf(picture, `toned ${JSON.stringify(tones)}`, () => {
    const toned = tone(picture, colors, modules);
    return [toned.light.rgb, toned.dark.rgb] as const;
  });
  const { side } = picture;
  return { light: { side, rgb: light }, dark: { side, rgb: dark } };
}

/**
 * Makes a picture light enough for the background of a code, and dark enough for its modules. Pixels
 * keep their hue. Their luma is that of their surroundings, two modules wide: decoders take parts of a
 * module whose luma differs for modules.
 *
 * @param modules number of modules that lie across the picture
 */
function tone(picture: SquarePixels, colors: BackgroundColors, modules: number): Toned {
  const { light, dark } = limitsOf(colors)!;
  const { side, rgb } = picture;
  const around = blurred(lumasOf(picture), side, Math.ceil((2 * side) / modules));
  const mixLight = mixer(groundOf(colors), BLACK);
  const mixDark = mixer(WHITE, parseColor(colors.fgColor));
  const lighter = new Uint8Array(rgb.length);
  const darker = new Uint8Array(rgb.length);
  for (let index = 0, at = 0; index < around.length; index += 1, at += 3) {
    const [r, g, b] = [rgb[at]!, rgb[at + 1]!, rgb[at + 2]!];
    const share = around[index]! / 255;
    // The same hue, as bright as it can be.
    const gain = Math.min(MOST_GAIN, 255 / Math.max(r, g, b, 1));
    mixLight(
      lighter,
      at,
      r * gain,
      g * gain,
      b * gain,
      light.from + (light.to - light.from) * share,
    );
    mixDark(darker, at, r, g, b, dark.from + (dark.to - dark.from) * share);
  }
  return { light: { side, rgb: lighter }, dark: { side, rgb: darker } };
}

function lumasOf({ side, rgb }: SquarePixels): Float32Array {
  const lumas = new Float32Array(side * side);
  for (let index = 0, at = 0; index < lumas.length; index += 1, at += 3) {
    lumas[index] = lumaOf(rgb[at]!, rgb[at + 1]!, rgb[at + 2]!);
  }
  return lumas;
}

/** Means of squares, twice, which is nearly a Gaussian blur. @param width of a square in px */
function blurred(values: Float32Array, side: number, width: number): Float32Array {
  const radius = Math.max(1, width >> 1);
  const rows = rowMeans(rowMeans(values, side, radius), side, radius);
  return columnMeans(columnMeans(rows, side, radius), side, radius);
}

/** Means along each row, whose ends go on outside. */
function rowMeans(values: Float32Array, side: number, radius: number): Float32Array {
  const out = new Float32Array(values.length);
  const places = placesWithin(side, radius);
  const count = 2 * radius + 1;
  for (let row = 0; row < values.length; row += side) {
    let sum = 0;
    for (let at = 0; at < count; at += 1) sum += values[row + places[at]!]!;
    for (let x = 0; x < side; x += 1) {
      out[row + x] = sum / count;
      sum += values[row + places[x + count]!]! - values[row + places[x]!]!;
    }
  }
  return out;
}

/** The same along each column, row by row, as they lie in memory. */
function columnMeans(values: Float32Array, side: number, radius: number): Float32Array {
  const out = new Float32Array(values.length);
  const places = placesWithin(side, radius);
  const count = 2 * radius + 1;
  const sums = new Float64Array(side);
  for (let at = 0; at < count; at += 1) {
    const row = places[at]! * side;
    for (let x = 0; x < side; x += 1) sums[x]! += values[row + x]!;
  }
  for (let y = 0; y < side; y += 1) {
    const [next, last] = [places[y + count]! * side, places[y]! * side];
    for (let x = 0; x < side; x += 1) {
      out[y * side + x] = sums[x]! / count;
      sums[x]! += values[next + x]! - values[last + x]!;
    }
  }
  return out;
}

/** The nearest place from 0 to `side - 1` of each one from `-radius` to `side + radius`. */
function placesWithin(side: number, radius: number): Int32Array {
  return Int32Array.from({ length: side + 2 * radius + 1 }, (_, at) =>
    Math.min(side - 1, Math.max(0, at - radius)),
  );
}

/** Writes three bytes, a color mixed so that it has a luma as far as possible. */
type Mixer = (into: Uint8Array, at: number, r: number, g: number, b: number, limit: number) => void;

/** Mixes colors with a lighter or a darker one. Numbers, as an object per px takes long. */
function mixer(lighter: Color, darker: Color): Mixer {
  const [most, least] = [luma(lighter), luma(darker)];
  return (into, at, r, g, b, limit) => {
    const own = lumaOf(r, g, b);
    const other = own < limit ? lighter : darker;
    const distance = (own < limit ? most : least) - own;
    const share = distance === 0 ? 0 : Math.min(1, Math.max(0, (limit - own) / distance));
    into[at] = r + (other.r - r) * share + 0.5;
    into[at + 1] = g + (other.g - g) * share + 0.5;
    into[at + 2] = b + (other.b - b) * share + 0.5;
  };
}
