import { allCorners, circle, roundPolygon, roundRectangle } from '../geometry.ts';
import { type FrameForm, thickness } from './frame.ts';
import { label, labelHeight } from './label-text.ts';
import { panelIn } from './panel.ts';

/* Frames in the form of things: a window of a browser, a phone, a bag and a cup. */

/** A window of a browser, with the label in its title bar. */
export const browserWindow: FrameForm = {
  hasLabel: true,
  layout(design) {
    const { size, frameColor, frameTextColor } = design;
    const line = thickness(size);
    const left = Math.round(size * 0.2);
    const width = size - left - Math.round(size * 0.04);
    const bar = labelHeight(design, width, 0.84);
    const side = size - 2 * line;
    const height = bar + side + line;
    const outline = roundRectangle(0, 0, size, height, allCorners(Math.round(size * 0.05)));
    const panel = { x: line, y: bar, side, radius: Math.round(size * 0.028) };
    const { solid, ...around } = panelIn(outline, panel, frameColor);
    const dots = [0.06, 0.112, 0.164].map((x) => circle(size * x, bar / 2, size * 0.0165));
    return {
      ...around,
      height,
      shapes: [
        solid,
        { path: dots.join(''), fill: frameTextColor },
        ...label(
          design,
          { x: left, y: 0, width, height: bar },
          { isCodeBelow: true, center: size / 2 },
        ),
      ],
    };
  },
};

/** A phone, with the label under its screen. */
export const phone: FrameForm = {
  hasLabel: true,
  layout(design) {
    const { size, frameColor, frameTextColor } = design;
    const button = Math.round(size * 0.014);
    const bodyWidth = size - 2 * button;
    const edge = Math.round(size * 0.036);
    const side = bodyWidth - 2 * edge;
    const top = Math.round(size * 0.105);
    const x = button + edge;
    const band = labelHeight(design, side, 0.95);
    const bar = Math.round(size * 0.05);
    const height = top + side + band + bar;
    const s = (share: number) => share * size;
    const key = (left: number, y: number, length: number) =>
      roundRectangle(left, s(y), button * 2, s(length), allCorners(button * 0.8));
    const outline = roundRectangle(button, 0, bodyWidth, height, allCorners(s(0.115)));
    const panel = { x, y: top, side, radius: Math.round(s(0.025)) };
    const { solid, ...around } = panelIn(outline, panel, frameColor);
    const pill = (y: number, width: number, tall: number) =>
      roundRectangle((size - width) / 2, y - tall / 2, width, tall, allCorners(tall / 2));
    const marks = [
      pill(top * 0.52, s(0.17), s(0.022)),
      pill(height - bar * 0.62, s(0.3), s(0.014)),
    ];
    return {
      ...around,
      height,
      shapes: [
        {
          path: key(0, 0.22, 0.09) + key(0, 0.34, 0.09) + key(size - 2 * button, 0.27, 0.14),
          fill: frameColor,
        },
        solid,
        { path: marks.join(''), fill: frameTextColor },
        ...label(design, { x, y: top + side, width: side, height: band }),
      ],
    };
  },
};

/** A shopping bag, with the label under the code. */
export const bag: FrameForm = {
  hasLabel: true,
  layout(design) {
    const { size, frameColor } = design;
    const s = (share: number) => share * size;
    const body = Math.round(s(0.15));
    const side = Math.round(s(0.86));
    const x = Math.round((size - side) / 2);
    const top = body + Math.round(s(0.075));
    const band = labelHeight(design, side);
    const height = top + side + band;
    const outline = roundPolygon([
      [s(0.035), body, s(0.03)],
      [s(0.965), body, s(0.03)],
      [size, height, s(0.045)],
      [0, height, s(0.045)],
    ]);
    const panel = { x, y: top, side, radius: Math.round(s(0.025)) };
    const { solid, ...around } = panelIn(outline, panel, frameColor);
    const line = s(0.03);
    const handle = (inset: number) =>
      roundRectangle(s(0.32) + inset, inset, s(0.36) - 2 * inset, body + line - inset, [
        s(0.13) - inset,
        s(0.13) - inset,
        0,
        0,
      ]);
    return {
      ...around,
      height,
      shapes: [
        { path: handle(0) + handle(line), fill: frameColor, evenOdd: true },
        solid,
        ...label(design, { x, y: top + side, width: side, height: band }),
      ],
    };
  },
};

/** A cup with a lid, and the label under the code. */
export const cup: FrameForm = {
  hasLabel: true,
  layout(design) {
    const { size, frameColor } = design;
    const s = (share: number) => share * size;
    const side = Math.round(s(0.75));
    const x = Math.round((size - side) / 2);
    const body = Math.round(s(0.165));
    const top = body + Math.round(s(0.045));
    const band = labelHeight(design, s(0.7));
    const height = top + side + band;
    const outline = roundPolygon([
      [s(0.045), body],
      [s(0.955), body],
      [s(0.87), height, s(0.05)],
      [s(0.13), height, s(0.05)],
    ]);
    const panel = { x, y: top, side, radius: Math.round(s(0.025)) };
    const { solid, ...around } = panelIn(outline, panel, frameColor);
    const lid =
      roundPolygon([
        [s(0.12), 0, s(0.025)],
        [s(0.88), 0, s(0.025)],
        [s(0.915), s(0.075)],
        [s(0.085), s(0.075)],
      ]) + roundRectangle(0, s(0.075), size, s(0.07), allCorners(s(0.024)));
    return {
      ...around,
      height,
      shapes: [
        { path: lid, fill: frameColor },
        solid,
        ...label(design, { x: s(0.15), y: top + side, width: s(0.7), height: band }),
      ],
    };
  },
};
