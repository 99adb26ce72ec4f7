import type { Box, Shape } from './drawing-types.ts';
import { rectangle } from './geometry.ts';

/*
 * The Swiss cross in the middle of the code of a QR-bill (Swiss Implementation Guidelines QR-bill
 * 2.3, 6.4.2): 7 × 7 mm, on a code of 46 × 46 mm. It hides less than level M corrects, in codes of
 * every version, and the alignment pattern in the middle of versions 7 to 13 and 21 to 25. The
 * standard wants it there all the same; ZBar does not read versions 8 to 13 with it, ZXing and jsQR
 * do.
 */

/** Lengths in mm. */
const CODE = 46;
const LOGO = 7;
const RIM = 0.5;
/** Arms are a sixth longer than wide, as in the flag. */
const CROSS = 3.9;
const ARM = 1.17;

const BLACK = '#000000';
const WHITE = '#FFFFFF';

/** True for the text of a QR-bill, version 2. */
export const isQrBill = (payload: string): boolean => /^SPC\r?\n0200\r?\n1\r?\n/.test(payload);

/**
 * Draws a white cross on a black square with a white rim, with edges on whole px.
 *
 * @param code square of the modules, without the quiet zone
 */
export function swissCross({ x, y, width }: Box): Shape[] {
  const px = (mm: number) => (mm / CODE) * width;
  // Lengths that are all even or all odd have the same middle.
  const lengthOf = (mm: number) => width - 2 * Math.round((width - px(mm)) / 2);
  const middle = (across: number, down: number): string =>
    rectangle(x + (width - across) / 2, y + (width - down) / 2, across, down);
  const logo = lengthOf(LOGO);
  const square = logo - 2 * Math.max(1, Math.round(px(RIM)));
  const [cross, arm] = [lengthOf(CROSS), lengthOf(ARM)];
  return [
    { path: middle(logo, logo), fill: WHITE },
    { path: middle(square, square), fill: BLACK },
    { path: middle(cross, arm) + middle(arm, cross), fill: WHITE },
  ];
}
