import { allCorners, roundRectangle } from '../geometry.ts';
import { insetOf } from './border.ts';
import { type FrameForm, label, labelHeight, thickness } from './frame.ts';

/** A card: a border that grows into a band with words on one side. */
const card = (side: 'top' | 'bottom'): FrameForm => ({
  hasLabel: true,
  layout(design) {
    const { size, frameColor } = design;
    const border = thickness(size);
    const band = labelHeight(size);
    const radius = Math.round(size * 0.07);
    const hole = Math.round(size * 0.045);
    const inset = border + insetOf(hole);
    const inner = size - 2 * border;
    const height = size - border + band;
    const top = side === 'top' ? band : border;
    const shift = top - border;
    return {
      code: { x: inset, y: inset + shift, width: size - 2 * inset, height: size - 2 * inset },
      height,
      shapes: [
        {
          path:
            roundRectangle(0, 0, size, height, allCorners(radius)) +
            roundRectangle(border, top, inner, inner, allCorners(hole)),
          fill: frameColor,
          evenOdd: true,
        },
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

/** A card with words below the code. */
export const labelBottom = card('bottom');

/** A card with words above the code. */
export const labelTop = card('top');
