import { borderAround } from './border.ts';
import { type FrameForm, label, labelHeight, thickness } from './frame.ts';

/** A card: a border that widens into a label on one side. */
const card = (side: 'top' | 'bottom'): FrameForm => ({
  hasLabel: true,
  layout(design) {
    const { size, frameColor } = design;
    const line = thickness(size);
    const band = labelHeight(size);
    const radius = Math.round(size * 0.07);
    const hole = Math.round(size * 0.045);
    const height = size - line + band;
    const top = side === 'top' ? band : line;
    const sizes = { size, height, line, top, radius, hole };
    const { code, ground, border } = borderAround(sizes, frameColor);
    return {
      code,
      height,
      ground,
      shapes: [
        border,
        label(design, {
          x: 0,
          y: side === 'top' ? 0 : height - band,
          width: size,
          height: band,
        }),
      ],
    };
  },
});

/** A card with a label below the code. */
export const labelBottom = card('bottom');

/** A card with a label above the code. */
export const labelTop = card('top');
