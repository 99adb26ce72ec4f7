import sharp from 'sharp';
import { answerWithinLimits } from './limited-process.ts';
import { withVector } from './vector/stored.ts';
import { vectorOfSvg } from './vector/svg.ts';

/*
 * Draws the SVG on standard input as PNG on standard output, with the shapes of one that consists
 * of shapes. This is a separate process, because a drawing of a few kilobytes can keep librsvg busy
 * for minutes, and only the end of its process stops it. librsvg draws in another thread.
 */

/** Longer side, in px. */
const SIDE = 1_024;
const MAX_PIXELS = 25_000_000;
/** Density of an SVG's own px per inch, and the maximum of librsvg. */
const OWN_DENSITY = 72;
const MAX_DENSITY = 100_000;

await answerWithinLimits(async (svg) => {
  const png = await draw(svg);
  const vector = vectorOfSvg(svg.toString());
  return vector === undefined ? png : withVector(png, vector);
});

async function draw(svg: Buffer): Promise<Buffer> {
  // The size of an SVG is often that of an icon, so it is rendered at the stored size.
  const { width, height } = await sharp(svg, { limitInputPixels: MAX_PIXELS }).metadata();
  const density = (OWN_DENSITY * SIDE) / Math.max(width, height);
  return sharp(svg, {
    limitInputPixels: MAX_PIXELS,
    density: Math.min(MAX_DENSITY, Math.max(1, density)),
  })
    .png({ compressionLevel: 1 })
    .toBuffer();
}
