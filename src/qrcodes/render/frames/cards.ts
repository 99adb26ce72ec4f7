import type { Shape } from '../drawing-types.ts';
import {
  allCorners,
  circle,
  cornerTo,
  lineTo,
  moveTo,
  roundPolygon,
  roundRectangle,
} from '../geometry.ts';
import { borderAround } from './border.ts';
import { type FrameForm, thickness } from './frame.ts';
import { label, labelHeight } from './label-text.ts';
import { panelIn } from './panel.ts';

/* Frames that are sheets of paper: a card, a photograph, a ticket, a tag and a clipboard. */

/** A card with a button under the code. */
export const card: FrameForm = {
  hasLabel: true,
  layout(design) {
    const { size, frameColor } = design;
    const line = thickness(size);
    const side = Math.round(size * 0.075);
    const width = size - 2 * side;
    const button = labelHeight(design, width, 0.8);
    const radius = Math.round(size * 0.09);
    const height = size + button + side - Math.round(size * 0.02);
    const hole = radius - line;
    const sizes = { size, height: size, line, top: line, radius, hole };
    const { code } = borderAround(sizes, frameColor);
    const inner = { width: size - 2 * line, height: height - 2 * line };
    const top = height - side - button;
    const corner = allCorners(Math.min(button / 2, Math.round(size * 0.09)));
    return {
      code,
      height,
      ground: roundRectangle(
        line / 2,
        line / 2,
        size - line,
        height - line,
        allCorners(radius - line / 2),
      ),
      shapes: [
        {
          path:
            roundRectangle(0, 0, size, height, allCorners(radius)) +
            roundRectangle(line, line, inner.width, inner.height, allCorners(hole)),
          fill: frameColor,
          evenOdd: true,
        },
        { path: roundRectangle(side, top, width, button, corner), fill: frameColor },
        ...label(design, { x: side, y: top, width, height: button }),
      ],
    };
  },
};

/** An instant photograph, with a label on its wide lower edge. */
export const polaroid: FrameForm = {
  hasLabel: true,
  layout(design) {
    const { size, frameColor } = design;
    const edge = Math.round(size * 0.055);
    const side = size - 2 * edge;
    const band = labelHeight(design, side, 1.12);
    const height = edge + side + band;
    const outline = roundRectangle(0, 0, size, height, allCorners(Math.round(size * 0.012)));
    const panel = { x: edge, y: edge, side, radius: 0 };
    const { solid, ...around } = panelIn(outline, panel, frameColor);
    return {
      ...around,
      height,
      shapes: [solid, ...label(design, { x: edge, y: edge + side, width: side, height: band })],
    };
  },
};

/** A ticket, with notches and a perforation between code and label. */
export const ticket: FrameForm = {
  hasLabel: true,
  layout(design) {
    const { size, frameColor, frameTextColor } = design;
    const edge = Math.round(size * 0.05);
    const side = size - 2 * edge;
    const notch = Math.round(size * 0.045);
    const tear = edge + side + notch + Math.round(size * 0.01);
    const band = labelHeight(design, side);
    const height = tear + Math.round(notch * 0.6) + band;
    const radius = Math.round(size * 0.045);
    const panel = { x: edge, y: edge, side, radius: Math.round(size * 0.03) };
    const outline = notched(size, height, { radius, notch, tear });
    const { solid, ...around } = panelIn(outline, panel, frameColor);
    const box = { x: edge, y: height - band, width: side, height: band - Math.round(size * 0.01) };
    return {
      ...around,
      height,
      shapes: [
        solid,
        perforation(notch * 1.6, size - notch * 1.6, tear, size * 0.012, frameTextColor),
        ...label(design, box),
      ],
    };
  },
};

/** A rectangle with round corners and a half circle cut out of each side. */
function notched(
  width: number,
  height: number,
  { radius, notch, tear }: Record<'radius' | 'notch' | 'tear', number>,
): string {
  const [above, below] = [tear - notch, tear + notch];
  const inner = width - notch;
  return (
    moveTo(radius, 0) +
    lineTo(width - radius, 0) +
    cornerTo([width - radius, 0], [width, 0], [width, radius]) +
    lineTo(width, above) +
    cornerTo([width, above], [inner, above], [inner, tear]) +
    cornerTo([inner, tear], [inner, below], [width, below]) +
    lineTo(width, height - radius) +
    cornerTo([width, height - radius], [width, height], [width - radius, height]) +
    lineTo(radius, height) +
    cornerTo([radius, height], [0, height], [0, height - radius]) +
    lineTo(0, below) +
    cornerTo([0, below], [notch, below], [notch, tear]) +
    cornerTo([notch, tear], [notch, above], [0, above]) +
    lineTo(0, radius) +
    cornerTo([0, radius], [0, 0], [radius, 0]) +
    'Z'
  );
}

/** A row of dashes. */
function perforation(from: number, to: number, y: number, width: number, fill: string): Shape {
  const dash = width * 2.2;
  const count = Math.floor((to - from + dash) / (2 * dash));
  const step = (to - from - dash) / (count - 1);
  const dashes = Array.from({ length: count }, (_, at) =>
    roundRectangle(from + at * step, y - width / 2, dash, width, allCorners(width / 2)),
  );
  return { path: dashes.join(''), fill };
}

/** A hang tag, with a hole at its upper end. */
export const tag: FrameForm = {
  hasLabel: true,
  layout(design) {
    const { size, frameColor } = design;
    const edge = Math.round(size * 0.05);
    const side = size - 2 * edge;
    const top = Math.round(size * 0.185);
    const band = labelHeight(design, side);
    const height = top + side + band;
    const round = size * 0.045;
    const outline =
      roundPolygon([
        [size * 0.24, 0, round],
        [size * 0.76, 0, round],
        [size, size * 0.19, round],
        [size, height, round],
        [0, height, round],
        [0, size * 0.19, round],
      ]) + circle(size / 2, size * 0.092, size * 0.036);
    const panel = { x: edge, y: top, side, radius: Math.round(size * 0.03) };
    const { solid, ...around } = panelIn(outline, panel, frameColor);
    return {
      ...around,
      height,
      shapes: [solid, ...label(design, { x: edge, y: top + side, width: side, height: band })],
    };
  },
};

/** A clipboard, with a label under the sheet. */
export const clipboard: FrameForm = {
  hasLabel: true,
  layout(design) {
    const { size, frameColor, frameTextColor } = design;
    const edge = Math.round(size * 0.055);
    const side = size - 2 * edge;
    const board = Math.round(size * 0.055);
    const top = board + Math.round(size * 0.105);
    const band = labelHeight(design, side);
    const height = top + side + band;
    const radius = allCorners(Math.round(size * 0.06));
    const outline = roundRectangle(0, board, size, height - board, radius);
    const panel = { x: edge, y: top, side, radius: Math.round(size * 0.02) };
    const { solid, ...around } = panelIn(outline, panel, frameColor);
    return {
      ...around,
      height,
      shapes: [
        solid,
        ...clip(size, frameColor, frameTextColor),
        ...label(design, { x: edge, y: top + side, width: side, height: band }),
      ],
    };
  },
};

/** The clip of a clipboard, with a rim that sets it off from the board. */
function clip(size: number, fill: string, rimFill: string): Shape[] {
  const s = (share: number) => share * size;
  // Its shoulders are above the board, so that the rim ends at the board's edge.
  const body = roundPolygon([
    [s(0.33), s(0.125), s(0.012)],
    [s(0.33), s(0.034), s(0.02)],
    [s(0.42), s(0.034), s(0.014)],
    [s(0.44), s(0), s(0.024)],
    [s(0.56), s(0), s(0.024)],
    [s(0.58), s(0.034), s(0.014)],
    [s(0.67), s(0.034), s(0.02)],
    [s(0.67), s(0.125), s(0.012)],
  ]);
  const [board, round] = [Math.round(s(0.055)), s(0.022)];
  return [
    {
      path: roundRectangle(s(0.318), board, s(0.364), s(0.137) - board, [0, 0, round, round]),
      fill: rimFill,
    },
    { path: body + circle(s(0.5), s(0.04), s(0.016)), fill, evenOdd: true },
  ];
}
