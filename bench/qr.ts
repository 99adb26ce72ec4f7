import { JSDOM } from 'jsdom';
import QRCodeStylingModule from 'qr-code-styling';
import { toBuffer } from 'qrcode';
import sharp from 'sharp';
import { type Design, defaultDesign } from '../src/qrcodes/render/design.ts';
import { drawPicture } from '../src/qrcodes/render/picture.ts';
import { largestMiddle } from '../src/qrcodes/render/scannability.ts';
import { sampleImage } from '../test/qr/cases.ts';
import { DECODERS, toPixels } from '../test/support/decoders.ts';
import { median } from './service.ts';

// A CommonJS module whose types speak of a default export that is the module itself.
const QRCodeStyling = QRCodeStylingModule as unknown as (typeof QRCodeStylingModule)['default'];

const PAYLOAD = 'https://sho.rt/launch26';
const SIZES = [256, 512, 2_048];
const ROUNDS = 30;

interface Candidate {
  name: string;
  /** Name of what it is compared with; absent: it is a baseline itself. */
  against?: string;
  draw(size: number): Promise<Buffer>;
}

/**
 * Milliseconds for one PNG: ours against `qrcode`'s own, and against qr-code-styling, whose SVG is rasterised by the
 * same sharp as ours. Candidates take turns, so that whatever else the machine does meets all of them.
 */
export async function benchQr(): Promise<void> {
  const image = await sampleImage();
  const styled: Partial<Design> = { pattern: 'rounded', shape: 'rounded/dot' };
  const ours = (look: Partial<Design>) => (size: number) =>
    drawPicture(PAYLOAD, { ...defaultDesign(), ...look, size }, 'png');
  const withImage = (size: number) => {
    const design: Design = { ...defaultDesign(), ...styled, level: 'H', size };
    design.middle = { ...largestMiddle(PAYLOAD, design)!, excavate: true };
    return drawPicture(PAYLOAD, design, 'png', image);
  };
  const candidates: Candidate[] = [
    {
      name: 'qrcode.toBuffer',
      draw: (width) => toBuffer(PAYLOAD, { width, margin: 4, errorCorrectionLevel: 'M' }),
    },
    { name: 'qr-code-styling, square', draw: (size) => viaStyling(size, 'square') },
    { name: 'qr-code-styling, rounded', draw: (size) => viaStyling(size, 'rounded') },
    { name: 'ours, plain', against: 'qrcode.toBuffer', draw: ours({}) },
    { name: 'ours, plain', against: 'qr-code-styling, square', draw: ours({}) },
    { name: 'ours, rounded', against: 'qr-code-styling, rounded', draw: ours(styled) },
    { name: 'ours, rounded with an image', against: 'qr-code-styling, rounded', draw: withImage },
  ];
  for (const size of SIZES) {
    for (const { name, draw } of candidates) await refuseUnread(name, await draw(size));
    const times = candidates.map((): number[] => []);
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [index, { draw }] of candidates.entries()) {
        const start = performance.now();
        await draw(size);
        times[index]!.push(performance.now() - start);
      }
    }
    console.log(`\n${size} px`);
    const medians = new Map(candidates.map(({ name }, index) => [name, median(times[index]!)]));
    for (const [index, { name, against }] of candidates.entries()) {
      const ms = median(times[index]!);
      const p95 = times[index]!.toSorted((a, b) => a - b)[Math.floor(ROUNDS * 0.95)]!;
      const ratio =
        against === undefined
          ? ''
          : `, ${(medians.get(against)! / ms).toFixed(1)} times as fast as ${against}`;
      console.log(
        `  ${name.padEnd(28)} ${ms.toFixed(2)} ms (p95 ${p95.toFixed(2)}), ${Math.round(1000 / ms)} codes/s${ratio}`,
      );
    }
  }
}

async function viaStyling(size: number, type: 'square' | 'rounded'): Promise<Buffer> {
  const code = new QRCodeStyling({
    jsdom: JSDOM,
    type: 'svg',
    width: size,
    height: size,
    margin: Math.round(size / 8),
    data: PAYLOAD,
    qrOptions: { errorCorrectionLevel: 'M' },
    dotsOptions: { type },
    cornersSquareOptions: { type: type === 'square' ? 'square' : 'extra-rounded' },
  });
  const svg = (await code.getRawData('svg')) as Buffer;
  return sharp(svg).png({ compressionLevel: 4, adaptiveFiltering: false }).toBuffer();
}

async function refuseUnread(name: string, png: Buffer): Promise<void> {
  const got = (await DECODERS['ZXing']!(await toPixels(png)))?.toString();
  if (got !== PAYLOAD) throw new Error(`${name} drew a code that reads ${got ?? 'as nothing'}`);
}
