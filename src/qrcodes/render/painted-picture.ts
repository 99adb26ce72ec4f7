import type { Paint } from '../../images/vector/types.ts';
import { Coverage, FULL } from './coverage.ts';
import type { Box, Drawing, PictureShape, Shape } from './drawing-types.ts';
import { pictureShader, type Shader, shaderOf } from './shader.ts';

/**
 * Maximum number of px, because this thread draws them: a picture of 2,048 px with a label takes
 * about 50 ms. librsvg has threads of its own for larger ones.
 */
export const MOST_PX = 6_000_000;

/** A picture of four bytes per px: red, green, blue and opacity, not premultiplied. */
export interface PaintedPicture {
  width: number;
  height: number;
  rgba: Uint8Array;
  /** True if the shapes cut out a picture, and not only for the image in the middle. */
  hasPhotograph: boolean;
}

/** A picture within another one. */
interface Inset {
  /** In whole px of the outer picture. */
  box: Box;
  rgba: Uint8Array;
}

/**
 * Draws shapes of any colors, several times as fast as librsvg.
 *
 * @param image drawn over the shapes
 * @returns `undefined` for large pictures
 */
export function paintedPicture(
  { width, height, ground, shapes }: Drawing,
  image?: Inset,
): PaintedPicture | undefined {
  if (width * height > MOST_PX) return undefined;
  const canvas = new Canvas(width, height);
  for (const shape of ground === null ? shapes : [ground, ...shapes]) canvas.paint(shape);
  if (image !== undefined) canvas.place(image);
  const hasPhotograph = shapes.some((shape) => 'picture' in shape);
  return { width, height, rgba: canvas.bytes, hasPhotograph };
}

class Canvas {
  readonly bytes: Uint8Array;
  readonly #width: number;
  readonly #coverage: Coverage;
  readonly #pixels: Uint32Array;
  /** Colors of a row that cover only a share of their px. */
  readonly #row: Uint32Array;
  readonly #rowBytes: Uint8Array;
  readonly #shaders = new Map<Paint, Shader>();

  constructor(width: number, height: number) {
    this.#width = width;
    this.#coverage = new Coverage({ width, height });
    this.#pixels = new Uint32Array(width * height);
    this.bytes = new Uint8Array(this.#pixels.buffer);
    this.#row = new Uint32Array(width);
    this.#rowBytes = new Uint8Array(this.#row.buffer);
  }

  paint(shape: Shape | PictureShape): void {
    const shader = 'picture' in shape ? pictureShader(shape.picture) : this.#shaderOf(shape.fill);
    const isOpaque = 'picture' in shape || typeof shape.fill !== 'string' || shape.fill.length <= 7;
    this.#coverage.cover(shape, (y, runs, end) => {
      for (let run = 0; run < end; run += 3) {
        const from = runs[run]!;
        const count = runs[run + 1]! - from;
        const share = runs[run + 2]!;
        const at = y * this.#width + from;
        if (share === FULL && isOpaque) {
          shader(this.#pixels, at, count, from, y);
          continue;
        }
        shader(this.#row, 0, count, from, y);
        for (let index = 0; index < count; index += 1) {
          blend(this.bytes, (at + index) * 4, this.#rowBytes, index * 4, share / FULL);
        }
      }
    });
  }

  /** Modules and eyes may have the same gradient. */
  #shaderOf(paint: Paint): Shader {
    let shader = this.#shaders.get(paint);
    if (shader === undefined) this.#shaders.set(paint, (shader = shaderOf(paint)));
    return shader;
  }

  /** Draws a picture over the shapes. */
  place({ box, rgba }: Inset): void {
    for (let y = 0; y < box.height; y += 1) {
      for (let x = 0; x < box.width; x += 1) {
        const at = (box.y + y) * this.#width + box.x + x;
        blend(this.bytes, at * 4, rgba, (y * box.width + x) * 4, 1);
      }
    }
  }
}

/** Mixes the px `from` of `top` with the one below it, which may be translucent too. */
function blend(below: Uint8Array, at: number, top: Uint8Array, from: number, share: number): void {
  const opacity = (top[from + 3]! / 255) * share;
  if (opacity === 0) return;
  const rest = (below[at + 3]! / 255) * (1 - opacity);
  const sum = opacity + rest;
  for (let part = 0; part < 3; part += 1) {
    below[at + part] = (top[from + part]! * opacity + below[at + part]! * rest) / sum + 0.5;
  }
  below[at + 3] = sum * 255 + 0.5;
}
