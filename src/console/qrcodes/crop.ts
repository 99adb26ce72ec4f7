/** Position and size of a square in a picture. */
export interface Crop {
  /** 1 for the largest square. */
  zoom: number;
  /** Shares of the free room to the left and above, 0 to 1. */
  x: number;
  y: number;
}

/** A square in px of the picture. */
interface Square {
  left: number;
  top: number;
  side: number;
}

/** Returns the square of a crop. */
export function cropOf(
  { naturalWidth, naturalHeight }: Pick<HTMLImageElement, 'naturalWidth' | 'naturalHeight'>,
  { zoom, x, y }: Crop,
): Square {
  const side = Math.min(naturalWidth, naturalHeight) / zoom;
  return { left: (naturalWidth - side) * x, top: (naturalHeight - side) * y, side };
}

/** Draws a square of a picture, on white where it is transparent. @param mostPx its longest side */
export function squareOf(
  element: HTMLImageElement,
  { left, top, side }: Square,
  mostPx: number,
): HTMLCanvasElement {
  // An SVG may lack a natural size, and is drawn whole then.
  const hasSize = side > 0;
  const px = hasSize ? Math.max(1, Math.round(Math.min(side, mostPx))) : mostPx;
  const canvas = document.createElement('canvas');
  canvas.width = px;
  canvas.height = px;
  const context = canvas.getContext('2d')!;
  context.fillStyle = '#FFFFFF';
  context.fillRect(0, 0, px, px);
  if (hasSize) context.drawImage(element, left, top, side, side, 0, 0, px, px);
  else context.drawImage(element, 0, 0, px, px);
  return canvas;
}
