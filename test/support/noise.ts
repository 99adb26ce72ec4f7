import sharp from 'sharp';

/** Creates an incompressible picture as a data URI, a different one for each number. */
export async function noise(side: number, n: number): Promise<string> {
  const pixels = Buffer.alloc(side * side * 3);
  let seed = n + 1;
  for (let at = 0; at < pixels.length; at += 1) {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    pixels[at] = seed >>> 24;
  }
  const png = await sharp(pixels, { raw: { width: side, height: side, channels: 3 } })
    .png()
    .toBuffer();
  return `data:image/png;base64,${png.toString('base64')}`;
}
