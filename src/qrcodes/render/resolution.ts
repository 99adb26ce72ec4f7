import { pngChunk } from '../../infra/png-chunk.ts';

const INCHES_PER_METER = 1 / 0.0254;
/** Bytes of a PNG before its first chunk, and of a chunk besides its data. */
const PNG_HEAD = 8;
const CHUNK_FRAME = 12;
/** Marker with which a JPEG starts. */
const START = Buffer.from('\xff\xd8', 'latin1');

/** The PNG chunk that states a resolution, in px per meter (PNG, 11.3.4.3). */
export function resolutionChunk(dpi: number): Buffer {
  const data = Buffer.alloc(9);
  const perMeter = Math.round(dpi * INCHES_PER_METER);
  data.writeUInt32BE(perMeter, 0);
  data.writeUInt32BE(perMeter, 4);
  data[8] = 1;
  return pngChunk('pHYs', data);
}

/** States the resolution of a PNG, in place of another one. */
export function withPngResolution(png: Buffer, dpi: number): Buffer {
  const parts = [png.subarray(0, PNG_HEAD)];
  for (let at = PNG_HEAD; at < png.length; ) {
    const end = at + CHUNK_FRAME + png.readUInt32BE(at);
    const type = png.toString('latin1', at + 4, at + 8);
    if (type !== 'pHYs') parts.push(png.subarray(at, end));
    if (type === 'IHDR') parts.push(resolutionChunk(dpi));
    at = end;
  }
  return Buffer.concat(parts);
}

/** States the resolution of a JPEG without a JFIF header, which must come first (JFIF 1.02). */
export function withJpegResolution(jpeg: Buffer, dpi: number): Buffer {
  const header = Buffer.from('\xff\xe0\0\x10JFIF\0\x01\x02\x01\0\0\0\0\0\0', 'latin1');
  header.writeUInt16BE(dpi, 12);
  header.writeUInt16BE(dpi, 14);
  return Buffer.concat([jpeg.subarray(0, START.length), header, jpeg.subarray(START.length)]);
}
