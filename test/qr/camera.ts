import sharp from 'sharp';
import { luminance, parseColor } from '../../src/qrcodes/render/color.ts';
import { encodeMatrix } from '../../src/qrcodes/render/matrix.ts';
import type { Pixels } from '../support/decoders.ts';
import { seeded } from './pairwise.ts';

/** Lighting of a photographed code. */
export interface Light {
  /** Standard deviation of a pixel's value, out of 255. */
  noise: number;
  /** Share of the light at the darkest corner; brightness falls linearly across the picture. */
  darkest: number;
}

/** Pixels per module, and white paper around the quiet zone, in modules. */
const PX = 6;
const PAPER = 8;
const QUIET_ZONE = 4;
/** Share of the light that white paper reflects. */
const WHITE = 0.9;

/** Encodes a linear share of light as a camera does (sRGB, IEC 61966-2-1). */
const encoded = (light: number): number =>
  light <= 0.0031308 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055;

/**
 * Draws a plain code on white paper as a camera sees it: shaded, slightly out of focus, and with
 * noise.
 * @param isNegative inverts the picture, for decoders that read only dark on light
 */
export async function photographed(
  payload: string,
  { ink, ground }: { ink: string; ground: string },
  { noise, darkest }: Light,
  seed: number,
  isNegative = false,
): Promise<Pixels> {
  const { size, isDark } = encodeMatrix(payload, 'M');
  const random = seeded(seed);
  const normal = () => {
    let sum = 0;
    for (let n = 0; n < 6; n += 1) sum += random();
    return (sum - 3) * Math.SQRT2;
  };
  const reflected = { ink: luminance(parseColor(ink)), ground: luminance(parseColor(ground)) };
  const side = (size + 2 * (QUIET_ZONE + PAPER)) * PX;
  const angle = random() * 2 * Math.PI;
  const light = (x: number, y: number) => {
    const along = (x - side / 2) * Math.cos(angle) + (y - side / 2) * Math.sin(angle);
    return 1 - (1 - darkest) * (0.5 + along / (side * Math.SQRT2));
  };
  const share = (x: number, y: number) => {
    const [column, row] = [x, y].map((at) => Math.floor(at / PX) - PAPER - QUIET_ZONE) as [
      number,
      number,
    ];
    const onCode = (at: number) => at >= -QUIET_ZONE && at < size + QUIET_ZONE;
    if (!onCode(row) || !onCode(column)) return WHITE;
    const isModule = row >= 0 && column >= 0 && row < size && column < size;
    return isModule && isDark(row, column) ? reflected.ink : reflected.ground;
  };
  const sharpEdged = Buffer.alloc(side * side);
  for (let at = 0; at < sharpEdged.length; at += 1) {
    const [x, y] = [at % side, Math.floor(at / side)];
    sharpEdged[at] = Math.round(255 * encoded(share(x, y) * light(x, y)));
  }
  const blurred = await sharp(sharpEdged, { raw: { width: side, height: side, channels: 1 } })
    .blur(PX / 4)
    .toColourspace('b-w')
    .raw()
    .toBuffer();
  const data = Buffer.alloc(side * side * 4, 255);
  for (let at = 0; at < blurred.length; at += 1) {
    const value = Math.min(255, Math.max(0, Math.round(blurred[at]! + noise * normal())));
    data.fill(isNegative ? 255 - value : value, at * 4, at * 4 + 3);
  }
  return { data, width: side, height: side };
}
