import sharp from 'sharp';

/*
 * Draws the SVG on standard input, as PNG on standard output. A process of its own, since a drawing of a few
 * kilobytes can keep librsvg busy for minutes, and nothing but the end of its process stops it.
 */

/** Longer side, in px. */
const SIDE = 1_024;
const MAX_PIXELS = 25_000_000;
/** An SVG's own px per inch, and the most that librsvg takes. */
const OWN_DENSITY = 72;
const MAX_DENSITY = 100_000;
/** Most memory, in bytes; a drawing usually takes less than 100 MB. How often that is looked at, in ms. */
const MAX_MEMORY = 512 * 1024 * 1024;
const LOOK_EVERY_MS = 20;

// Some hundred kilobytes of filters can fill gigabytes before the time is over. librsvg draws in another thread.
setInterval(() => {
  if (process.memoryUsage.rss() > MAX_MEMORY) process.kill(process.pid, 'SIGKILL');
}, LOOK_EVERY_MS).unref();

const chunks: Buffer[] = [];
for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
const svg = Buffer.concat(chunks);

// The size of an SVG is often that of an icon: it is rendered at the size at which it is stored.
const { width, height } = await sharp(svg, { limitInputPixels: MAX_PIXELS }).metadata();
const density = (OWN_DENSITY * SIDE) / Math.max(width, height);
const png = await sharp(svg, {
  limitInputPixels: MAX_PIXELS,
  density: Math.min(MAX_DENSITY, Math.max(1, density)),
})
  .png({ compressionLevel: 1 })
  .toBuffer();
process.stdout.write(png);
