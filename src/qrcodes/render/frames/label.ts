import { borderAround } from './border.ts';
import { type FrameForm, thickness } from './frame.ts';
import { label, labelHeight } from './label-text.ts';

/** A card: a border that widens into a label on one side. */
const widened = (side: 'top' | 'bottom'): FrameForm => ({
  hasLabel: true,
  layout(design) {
    const { size, frameColor } = design;
    const line = thickness(size);
    const band = labelHeight(design, size);
    const radius = Math.round(size * 0.07);
    const hole = Math.round(size * 0.045);
    const height = size - line + band;
    const top = side === 'top' ? band : line;
    const sizes = { size, height, line, top, radius, hole };
    const { code, ground, border } = borderAround(sizes, frameColor);
    const box = { x: 0, y: side === 'top' ? 0 : height - band, width: size, height: band };
    return {
      code,
      height,
      ground,
      shapes: [border, ...label(design, box, { isCodeBelow: side === 'top' })],
    };
  },
});

/** A card with a label below the code. */
export const labelBottom = widened('bottom');

/** A card with a label above the code. */
export const labelTop = widened('top');
