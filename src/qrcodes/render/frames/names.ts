/** Frames around a QR code. */
export const FRAME_NAMES = [
  'none',
  'line',
  'rounded',
  'corners',
  'label-bottom',
  'label-top',
  'bubble',
  'ribbon',
  'circle',
] as const;

export type Frame = (typeof FRAME_NAMES)[number];
