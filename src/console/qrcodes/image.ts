import { download } from '../api/client.ts';

/** An image to draw in the middle of a code. */
export interface LoadedImage {
  /** Source as a `data:` URI. */
  href: string;
  /** Natural size in px. */
  width: number;
  height: number;
}

/** Maximum size of an SVG file that is kept as shapes, in bytes. */
const MAX_SVG = 300_000;
/** Side of an image of shapes where it becomes pixels. */
const SHAPES_PX = 1_024;
/** Longest side of a stored image in px, which suffices for the middle of a large print. */
const MOST_PX = 480;
/**
 * Length of a PNG data URI above which the image becomes a WebP, which is smaller for photographs.
 */
const LONG_URI = 150_000;

/** Loads an image element. @throws Error for a file that the browser cannot read */
export function elementOf(address: string): Promise<HTMLImageElement> {
  return new Promise((resolve, reject) => {
    const element = new Image();
    element.addEventListener('load', () => resolve(element));
    element.addEventListener('error', () =>
      reject(new Error('We can’t read this image. Use PNG, JPEG, WebP or SVG.')),
    );
    element.src = address;
  });
}

/** Draws an image on a canvas. @param mostPx its longest side */
function drawnOn(element: HTMLImageElement, mostPx: number): HTMLCanvasElement {
  // SVG files may lack a natural size.
  const [width, height] = [element.naturalWidth || mostPx, element.naturalHeight || mostPx];
  const scale = Math.min(1, mostPx / Math.max(width, height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(width * scale));
  canvas.height = Math.max(1, Math.round(height * scale));
  const context = canvas.getContext('2d')!;
  context.drawImage(element, 0, 0, canvas.width, canvas.height);
  return canvas;
}

/**
 * Reads a dropped or pasted file as a `data:` URI. Pixels are scaled down; an SVG stays as it is,
 * and the service keeps its shapes.
 */
export async function readImageFile(file: Blob): Promise<string> {
  if (file.type === 'image/svg+xml' && file.size <= MAX_SVG) {
    const source = addressOf(await file.text());
    await elementOf(source);
    return source;
  }
  const address = URL.createObjectURL(file);
  try {
    const canvas = drawnOn(await elementOf(address), MOST_PX);
    const png = canvas.toDataURL('image/png');
    return png.length <= LONG_URI ? png : canvas.toDataURL('image/webp', 0.92);
  } finally {
    URL.revokeObjectURL(address);
  }
}

const PICTURE_IN_SVG = /href="(data:image\/png;base64,[^"]+)"/;
/** The start and the end of an image of shapes in a code: a document in the document. */
const SHAPES = ['<svg x="', '</svg>'] as const;

/** Converts an SVG to a URL for `<img>`. */
export const addressOf = (svg: string): string => `data:image/svg+xml,${encodeURIComponent(svg)}`;

/** Extracts the image in the middle of a code. */
function imageIn(svg: string): string | undefined {
  const [start, end] = SHAPES;
  const from = svg.indexOf(start);
  if (from < 0) return PICTURE_IN_SVG.exec(svg)?.[1];
  const shapes = svg.slice(svg.indexOf('width="', from), svg.indexOf(end, from) + end.length);
  return addressOf(`<svg xmlns="http://www.w3.org/2000/svg" ${shapes}`);
}

/**
 * Loads an image from a `data:` URI or a web address. The console's policy blocks other hosts, so
 * the service fetches a web address and embeds the image in a QR code, from which this function
 * extracts it in the form in which it will be stored.
 */
export async function loadImage(source: string): Promise<LoadedImage> {
  let href = source;
  if (!source.startsWith('data:')) {
    const query = new URLSearchParams({ url: 'https://example.com', src: source, format: 'svg' });
    const svg = await (await download(undefined, `/qr?${query}`)).text();
    href = imageIn(svg) ?? source;
  }
  const { naturalWidth, naturalHeight } = await elementOf(href);
  return { href, width: naturalWidth || MOST_PX, height: naturalHeight || MOST_PX };
}

/** Returns the pixels of an image for PDF files. */
export async function pixelsOf({ href, ...size }: LoadedImage) {
  const isShapes = href.startsWith('data:image/svg');
  const scale = isShapes ? SHAPES_PX / Math.max(size.width, size.height) : 1;
  const [width, height] = [size.width, size.height].map((side) =>
    Math.max(1, Math.round(side * scale)),
  ) as [number, number];
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext('2d')!;
  context.drawImage(await elementOf(href), 0, 0, width, height);
  const { data } = context.getImageData(0, 0, width, height);
  const rgb = new Uint8Array(width * height * 3);
  const alpha = new Uint8Array(width * height);
  for (let index = 0; index < alpha.length; index += 1) {
    rgb.set(data.subarray(index * 4, index * 4 + 3), index * 3);
    alpha[index] = data[index * 4 + 3]!;
  }
  return { width, height, rgb, alpha };
}
