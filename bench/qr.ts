import { JSDOM } from 'jsdom';
import QRCodeStylingModule from 'qr-code-styling';
import { toBuffer } from 'qrcode';
import sharp from 'sharp';
import { type Design, defaultDesign } from '../src/qrcodes/render/design.ts';
import { largestMiddle } from '../src/qrcodes/render/middle.ts';
import { drawPicture } from '../src/qrcodes/render/picture.ts';
import { sampleImage } from '../test/qr/cases.ts';
import { DECODERS, toPixels } from '../test/support/decoders.ts';
import { median } from './figures.ts';
import type { BenchOptions, Row } from './rows.ts';

// A CommonJS module whose types declare a default export that is the module itself.
const QRCodeStyling = QRCodeStylingModule as unknown as (typeof QRCodeStylingModule)['default'];

const PAYLOAD = 'https://sho.rt/launch26';
const SIZES = [256, 512, 2_048];
/** Codes that each candidate draws per round. */
const DRAWS = 5;

interface Candidate {
  name: string;
  /** Names of its baselines; absent: it is a baseline itself. */
  against?: string[];
  draw(size: number): Promise<Buffer>;
}

/**
 * Measures one PNG of this service in ms, compared with `qrcode`'s own and with qr-code-styling,
 * whose SVG the same sharp rasterizes. Candidates take turns, so that other load on the machine
 * affects all of them.
 */
export async function benchQr({ rounds }: BenchOptions): Promise<Row[]> {
  const image = await sampleImage();
  const styled: Partial<Design> = { pattern: 'rounded', shape: 'rounded/dot' };
  const stops = [
    { color: '#0000C0', offset: 0 },
    { color: '#C00000', offset: 1 },
  ];
  const gradient: Partial<Design> = { ...styled, fgGradient: { type: 'linear', angle: 45, stops } };
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
    { name: 'plain', against: ['qrcode.toBuffer', 'qr-code-styling, square'], draw: ours({}) },
    { name: 'rounded', against: ['qr-code-styling, rounded'], draw: ours(styled) },
    {
      name: 'rounded with a gradient',
      against: ['qr-code-styling, rounded'],
      draw: ours(gradient),
    },
    { name: 'rounded with an image', against: ['qr-code-styling, rounded'], draw: withImage },
  ];
  const rows: Row[] = [];
  for (const size of SIZES) {
    for (const { name, draw } of candidates) await refuseUnread(name, await draw(size));
    const medians = new Map(candidates.map(({ name }): [string, number[]] => [name, []]));
    for (let round = 0; round < rounds; round += 1) {
      const times = candidates.map((): number[] => []);
      for (let drawn = 0; drawn < DRAWS; drawn += 1) {
        for (const [index, { draw }] of candidates.entries()) {
          const start = performance.now();
          await draw(size);
          times[index]!.push(performance.now() - start);
        }
      }
      for (const [index, { name }] of candidates.entries()) {
        medians.get(name)!.push(median(times[index]!));
      }
    }
    for (const { name, against = [] } of candidates) {
      for (const what of against) {
        rows.push({
          what: `QR code as PNG, ${size} px, ${name}`,
          unit: 'ms',
          better: 'less',
          ours: medians.get(name)!,
          baseline: { what, figures: medians.get(what)! },
        });
      }
    }
  }
  return rows;
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
