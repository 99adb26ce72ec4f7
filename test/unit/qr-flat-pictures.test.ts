import { expect } from 'chai';
import sharp from 'sharp';
import {
  type Design,
  type DesignGradient,
  defaultDesign,
} from '../../src/qrcodes/render/design.ts';
import { matrixOf } from '../../src/qrcodes/render/design-matrix.ts';
import { draw } from '../../src/qrcodes/render/drawing.ts';
import type { Drawing } from '../../src/qrcodes/render/drawing-types.ts';
import { EYE_SHAPE_NAMES } from '../../src/qrcodes/render/eyes/index.ts';
import { flatPicture } from '../../src/qrcodes/render/flat-picture.ts';
import { FRAME_NAMES } from '../../src/qrcodes/render/frames/names.ts';
import { paintedPicture } from '../../src/qrcodes/render/painted-picture.ts';
import { PATTERN_NAMES } from '../../src/qrcodes/render/patterns/index.ts';
import { drawPicture } from '../../src/qrcodes/render/picture.ts';
import { minSize } from '../../src/qrcodes/render/scannability.ts';
import { toSvg } from '../../src/qrcodes/render/svg.ts';
import { seeded } from '../qr/pairwise.ts';
import { scan } from '../support/decoders.ts';

/**
 * Difference from librsvg, out of 255: of single px, where the edges of overlapping parts cross,
 * and on average.
 */
const MOST = 100;
const MEAN = 2;
const DESIGNS = 20;

const rgb = (picture: Buffer) => sharp(picture).flatten({ background: '#FFFFFF' }).raw().toBuffer();

async function differences(drawing: Drawing, png: Buffer): Promise<{ most: number; mean: number }> {
  const [ours, expected] = await Promise.all([rgb(png), rgb(Buffer.from(toSvg(drawing)))]);
  expect(ours.length).to.equal(expected.length);
  let [most, sum] = [0, 0];
  for (const [at, value] of ours.entries()) {
    const difference = Math.abs(value - expected[at]!);
    most = Math.max(most, difference);
    sum += difference;
  }
  return { most, mean: sum / ours.length };
}

const COLORS = ['#000000', '#1E3A8A', '#14532D', '#7C2D12', '#701A75'];
const GROUNDS = ['#FFFFFF', '#FFF7E6', 'transparent', '#FFFFFF00', '#FDE68A80', '#E0F2FE'];

function anyDesign(random: () => number, payload: string): Design {
  const one = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!;
  const maybe = (values: readonly string[]) => (random() < 0.5 ? null : one(values));
  const design: Design = {
    ...defaultDesign(),
    pattern: one(PATTERN_NAMES),
    shape: one(EYE_SHAPE_NAMES),
    frame: one(FRAME_NAMES),
    fgColor: one(COLORS),
    bgColor: one(GROUNDS),
    quietZoneColor: random() < 0.2 ? '#FFFFFF' : null,
    eyeColor: maybe(COLORS),
    eyeBallColor: maybe(COLORS),
    frameColor: one(COLORS),
  };
  return { ...design, size: minSize(matrixOf(payload, design), design, 4 + random() * 14) };
}

describe('pictures of flat colors', function () {
  this.timeout(120_000);

  it('look as librsvg draws them, and are read, whatever the design', async () => {
    const seed = Number(process.env['QR_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
    const random = seeded(seed);
    for (let drawn = 0; drawn < DESIGNS; drawn += 1) {
      const payload = `https://example.com/${'x'.repeat(Math.floor(random() * 90))}`;
      const design = anyDesign(random, payload);
      const about = `QR_SEED=${seed}: ${JSON.stringify(design)}`;
      const drawing = draw(payload, design);
      expect(flatPicture(drawing), about).to.not.equal(undefined);
      const png = await drawPicture(payload, design, 'png');
      const { most, mean } = await differences(drawing, png);
      expect(most, about).to.be.at.most(MOST);
      expect(mean, about).to.be.at.most(MEAN);
      expect(await scan(png), about).to.equal(payload);
    }
  });

  it('have edges on whole px where modules have', async () => {
    const design: Design = { ...defaultDesign(), eyeColor: '#1E3A8A', bgColor: '#FFF7E6' };
    const { colors } = flatPicture(draw('https://example.com', design))!;
    // The first is transparent.
    expect(colors).to.have.length(4);
  });

  it('mix edges with a background of opacity 0 as with none', async () => {
    const design: Design = { ...defaultDesign(), pattern: 'rounded', fgColor: '#B91C1C' };
    const [none, clear] = await Promise.all(
      ['transparent', '#FFFFFF00'].map((bgColor) =>
        drawPicture('https://example.com', { ...design, bgColor }, 'png'),
      ),
    );
    expect((await rgb(clear!)).equals(await rgb(none!))).to.equal(true);
  });

  it('mix translucent modules with a translucent background', async () => {
    const design: Design = { ...defaultDesign(), fgColor: '#1E3A8AE0', bgColor: '#FDE68A80' };
    const drawing = draw('https://example.com', { ...design, pattern: 'dots' });
    const png = await drawPicture('https://example.com', { ...design, pattern: 'dots' }, 'png');
    expect((await differences(drawing, png)).most).to.be.at.most(MOST);
    const { channels } = await sharp(png).metadata();
    expect(channels).to.equal(4);
  });

  it('are the same as JPEG and WebP', async () => {
    const design: Design = { ...defaultDesign(), pattern: 'rounded', frame: 'rounded' };
    const drawing = draw('https://example.com', design);
    const webp = await drawPicture('https://example.com', design, 'webp');
    expect((await differences(drawing, webp)).most).to.be.at.most(MOST);
    const jpeg = await drawPicture('https://example.com', design, 'jpeg');
    expect((await differences(drawing, jpeg)).mean).to.be.at.most(2);
  });

  it('state their resolution', async () => {
    const design: Design = { ...defaultDesign(), pattern: 'dots' };
    const png = await drawPicture('https://example.com', design, 'png', undefined, { dpi: 300 });
    expect((await sharp(png).metadata()).density).to.equal(300);
  });

  it('are left to librsvg when they are large', () => {
    const large = draw('x', { ...defaultDesign(), size: 4_096, pattern: 'dots' as const });
    expect(flatPicture(large)).to.equal(undefined);
    expect(paintedPicture(large)).to.equal(undefined);
  });

  it('have four bytes per px with more colors than an indexed PNG has', () => {
    const square = (color: number) => {
      const fill = `#${color.toString(16).padStart(6, '0')}`;
      return { path: `M0 ${color}L9 ${color}L9 ${color + 1}L0 ${color + 1}Z`, fill };
    };
    const drawing = (count: number): Drawing => ({
      width: 10,
      height: 300,
      ground: null,
      shapes: Array.from({ length: count }, (_, color) => square(color)),
      image: null,
      code: { x: 0, y: 0, width: 10, height: 10 },
      modulePx: 1,
    });
    expect(flatPicture(drawing(255))?.colors).to.have.length(256);
    expect(flatPicture(drawing(256))).to.equal(undefined);
    const { rgba } = paintedPicture(drawing(256))!;
    // The last square is over the px of the one before it.
    expect([...rgba.subarray(255 * 40, 255 * 40 + 4)]).to.deep.equal([0, 0, 255, 255]);
  });

  it('end at the edges of the picture', () => {
    const path = 'M-5 -5L15 -5L15 15L-5 15Z';
    const drawing: Drawing = {
      width: 10,
      height: 8,
      ground: null,
      shapes: [{ path, fill: '#102030' }],
      image: null,
      code: { x: 0, y: 0, width: 10, height: 8 },
      modulePx: 1,
    };
    const { rows } = flatPicture(drawing)!;
    for (let y = 0; y < 8; y += 1) {
      expect([...rows.subarray(y * 11, (y + 1) * 11)]).to.deep.equal([0, ...Array(10).fill(1)]);
    }
  });
});

/** Least distance of two stops of the gradients. */
const APART = 0.1;
/** Difference of a px between edges from librsvg, out of 255. */
const CLOSE = 2;

function anyGradient(random: () => number, colors: readonly string[]): DesignGradient {
  const count = 2 + Math.floor(random() * 4);
  const offsets = Array.from({ length: count }, (_, at) => (at + 0.8 * random()) / count);
  const stops = offsets.map((offset, at) => ({
    offset: Math.max(offset, (offsets[at - 1] ?? -APART) + APART),
    color: colors[Math.floor(random() * colors.length)]!,
  }));
  const last = stops.at(-1)!;
  last.offset = Math.min(1, last.offset);
  return {
    type: random() < 0.5 ? 'linear' : 'radial',
    angle: Math.floor(random() * 360),
    stops,
  };
}

describe('pictures with gradients', function () {
  this.timeout(120_000);

  for (const [pattern, most] of [
    // Edges on whole px have no shares, so that all px are those of the gradients.
    ['squares', CLOSE],
    ['dots', MOST],
  ] as const) {
    it(`of ${pattern} look as librsvg draws them`, async () => {
      const seed = Number(process.env['QR_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
      const random = seeded(seed);
      for (let drawn = 0; drawn < DESIGNS; drawn += 1) {
        const light = ['#FFFFFF', '#FFF7E6', '#E0F2FE', '#FDE68A'];
        const design: Design = {
          ...defaultDesign(),
          pattern,
          size: 300 + Math.floor(random() * 200),
          fgGradient: anyGradient(random, COLORS),
          bgGradient: random() < 0.5 ? anyGradient(random, light) : null,
          eyeGradient: random() < 0.5 ? anyGradient(random, COLORS) : null,
          bgColor: random() < 0.3 ? 'transparent' : '#FFFFFF',
        };
        const about = `QR_SEED=${seed}: ${JSON.stringify(design)}`;
        const png = await drawPicture('https://example.com', design, 'png');
        const found = await differences(draw('https://example.com', design), png);
        expect(found.most, about).to.be.at.most(most);
        expect(found.mean, about).to.be.at.most(MEAN);
      }
    });
  }

  it('may have stops at one place, at the start, between others and at the end', async () => {
    const colors = ['#000000', '#7C2D12', '#1E3A8A', '#14532D'];
    for (const offsets of [
      [0, 0],
      [1, 1],
      [0, 1, 1],
      [0, 0, 1],
      [0, 0.5, 0.5, 1],
    ]) {
      for (const type of ['linear', 'radial'] as const) {
        const stops = offsets.map((offset, at) => ({ offset, color: colors[at]! }));
        const fgGradient: DesignGradient = { type, angle: 0, stops };
        const design: Design = { ...defaultDesign(), pattern: 'dots', fgGradient };
        const png = await drawPicture('https://example.com', design, 'png');
        const found = await differences(draw('https://example.com', design), png);
        expect(found.mean, JSON.stringify(fgGradient)).to.be.at.most(MEAN);
        expect(await scan(png)).to.equal('https://example.com');
      }
    }
  });

  it('have a palette if their gradients have few colors, else three bytes per px', async () => {
    const gradientOf = (...colors: string[]): DesignGradient => ({
      type: 'radial',
      angle: 0,
      stops: colors.map((color, at) => ({ color, offset: at / (colors.length - 1) })),
    });
    // Color types of PNG: 3 is indexed, 2 has three bytes per px.
    for (const [colors, type] of [
      [['#0000C0', '#C00000'], 3],
      [['#000000', '#C00000', '#0000C0', '#000000'], 2],
    ] as const) {
      const fgGradient = gradientOf(...colors);
      const design: Design = { ...defaultDesign(), pattern: 'dots', fgGradient };
      const png = await drawPicture('https://example.com', design, 'png');
      expect(png[25]).to.equal(type);
      expect(await scan(png)).to.equal('https://example.com');
    }
  });

  it('are the same as JPEG and WebP', async () => {
    const random = seeded(7);
    const design: Design = { ...defaultDesign(), fgGradient: anyGradient(random, COLORS) };
    const drawing = draw('https://example.com', design);
    const webp = await drawPicture('https://example.com', design, 'webp');
    expect((await differences(drawing, webp)).most).to.be.at.most(CLOSE);
    const jpeg = await drawPicture('https://example.com', design, 'jpeg');
    expect((await differences(drawing, jpeg)).mean).to.be.at.most(MEAN);
  });

  it('end at the edges of the picture, and state their resolution', async () => {
    const fgGradient = anyGradient(seeded(3), COLORS);
    const design: Design = { ...defaultDesign(), frame: 'rounded', fgGradient };
    const png = await drawPicture('https://example.com', design, 'png', undefined, { dpi: 300 });
    const { density, channels } = await sharp(png).metadata();
    expect([density, channels]).to.deep.equal([300, 4]);
    const { data } = await sharp(png).raw().toBuffer({ resolveWithObject: true });
    // The corners outside of the frame are transparent.
    expect(data[3]).to.equal(0);
  });
});
