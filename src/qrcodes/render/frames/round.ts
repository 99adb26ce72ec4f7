import { allCorners, circle, curveTo, moveTo, roundRectangle } from '../geometry.ts';
import { type FrameForm, thickness } from './frame.ts';
import { label, labelHeight } from './label-text.ts';
import { panelIn, squareAt } from './panel.ts';

/* Round frames: the code is the largest square in the circle, or leaves room for a label. */

/** A ring, the background in it, and the largest square for a code. */
function ring(size: number, fill: string) {
  const line = Math.round(thickness(size) * 1.3);
  const center = size / 2;
  const inner = center - line;
  const side = Math.floor(inner * Math.SQRT2) - 2;
  const start = Math.round(center - side / 2);
  return {
    code: squareAt(start, start, side),
    ground: circle(center, center, center - line / 2),
    shape: {
      path: circle(center, center, center) + circle(center, center, inner),
      fill,
      evenOdd: true as const,
    },
  };
}

/** A ring around the code. */
export const circular: FrameForm = {
  hasLabel: false,
  layout({ size, frameColor }) {
    const { code, ground, shape } = ring(size, frameColor);
    return { code, height: size, ground, shapes: [shape] };
  },
};

/** A ring around the code, with a label across its lower end. */
export const badge: FrameForm = {
  hasLabel: true,
  layout(design) {
    const { size, frameColor } = design;
    const { code, ground, shape } = ring(size, frameColor);
    const x = Math.round(size * 0.13);
    const width = size - 2 * x;
    const height = labelHeight(design, width, 0.84);
    const top = code.y + code.height + Math.round(size * 0.012);
    const corner = allCorners(Math.min(height / 2, Math.round(size * 0.08)));
    return {
      code,
      height: Math.max(size, top + height),
      ground,
      shapes: [
        shape,
        { path: roundRectangle(x, top, width, height, corner), fill: frameColor },
        ...label(design, { x, y: top, width, height }),
      ],
    };
  },
};

/** Waves of the edge of a sticker, and their depth as a share of its radius. */
const WAVES = 36;
const DEPTH = 0.028;

/** A round sticker with a wavy edge, and a label under the code. */
export const sticker: FrameForm = {
  hasLabel: true,
  layout(design) {
    const { size, frameColor } = design;
    const side = Math.round(size * 0.61);
    const x = Math.round((size - side) / 2);
    const y = Math.round(size * 0.135);
    const panel = { x, y, side, radius: Math.round(size * 0.03) };
    const { solid, ...around } = panelIn(wavyCircle(size / 2), panel, frameColor);
    const width = Math.round(size * 0.6);
    const top = y + side + Math.round(size * 0.012);
    const height = Math.round(size * 0.165);
    return {
      ...around,
      height: size,
      shapes: [solid, ...label(design, { x: (size - width) / 2, y: top, width, height })],
    };
  },
};

/** A circle with a wavy edge, in a square of twice its radius. */
function wavyCircle(radius: number): string {
  const points = WAVES * 2;
  const at = (index: number, depth: number): [number, number] => {
    const angle = (index / points) * 2 * Math.PI;
    const distance = radius * (1 - depth);
    return [radius + distance * Math.sin(angle), radius - distance * Math.cos(angle)];
  };
  // Waves begin between a crest and a trough, where the edge has its mean radius.
  let path = moveTo(...at(0, DEPTH / 2));
  for (let index = 0; index < points; index += 1) {
    const depth = index % 2 === 0 ? 0 : DEPTH;
    path += curveTo(
      ...at(index + 0.36, depth),
      ...at(index + 0.64, depth),
      ...at(index + 1, DEPTH / 2),
    );
  }
  return `${path}Z`;
}
