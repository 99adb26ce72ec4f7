import { defaultDesign } from './design.ts';
import { draw } from './drawing.ts';
import { toSvg } from './svg.ts';

/**
 * Draws a black QR code on white, without the fields of a record, as an SVG document.
 *
 * @throws Refusal `unprocessable_entity` if the text does not fit
 */
export const plainCode = (text: string): string => toSvg(draw(text, defaultDesign()));
