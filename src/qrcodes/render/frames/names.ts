/** Frames around a QR code. */
export const FRAME_NAMES = [
  'none',
  'line',
  'rounded',
  'circle',
  'corners',
  'corners-label',
  'label-bottom',
  'label-top',
  'card',
  'polaroid',
  'banner-bottom',
  'banner-top',
  'ribbon',
  'bubble',
  'bubble-left',
  'bubble-right',
  'arrow',
  'badge',
  'sticker',
  'ticket',
  'tag',
  'clipboard',
  'window',
  'phone',
  'bag',
  'cup',
  'disc',
] as const;

export type Frame = (typeof FRAME_NAMES)[number];

/** Icons beside the text of a frame. `arrow` points at the code. */
export const FRAME_ICONS = [
  'none',
  'phone',
  'camera',
  'arrow',
  'cart',
  'menu',
  'wifi',
  'mail',
  'pin',
  'play',
  'heart',
  'star',
] as const;

export type FrameIcon = (typeof FRAME_ICONS)[number];
