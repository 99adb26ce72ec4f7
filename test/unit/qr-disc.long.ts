import { expect } from 'chai';
import sharp from 'sharp';
import { type Design, defaultDesign, FORMATS } from '../../src/qrcodes/render/design.ts';
import { matrixOf } from '../../src/qrcodes/render/design-matrix.ts';
import { draw } from '../../src/qrcodes/render/drawing.ts';
import { PATTERN_NAMES } from '../../src/qrcodes/render/patterns/index.ts';
import { drawPicture } from '../../src/qrcodes/render/picture.ts';
import { minSize } from '../../src/qrcodes/render/scannability.ts';
import { seeded } from '../qr/pairwise.ts';
import { make, RENDERINGS, render } from '../qr/renderings.ts';
import { DECODERS, printed, scan } from '../support/decoders.ts';

const PAYLOAD = 'https://sho.rt/launch26';
const design = (changes: Partial<Design> = {}): Design => ({
  ...defaultDesign(),
  frame: 'disc',
  ...changes,
});

async function greyOf(one: Design) {
  const picture = sharp(await drawPicture(PAYLOAD, one, 'png')).flatten({ background: '#808080' });
  const { data, info } = await picture.greyscale().raw().toBuffer({ resolveWithObject: true });
  return (x: number, y: number) => data[y * info.width + x]!;
}

describe('the frame disc', function () {
  this.timeout(120_000);

  it('is a disc on nothing, with modules around a whole quiet zone', async () => {
    const size = 600;
    const at = await greyOf(design({ size }));
    const { modulePx: px } = draw(PAYLOAD, design({ size }));
    const half = (matrixOf(PAYLOAD, design()).size * px) / 2;
    const [inner, outer] = [size / 2 - half - 4 * px, size / 2 + half + 4 * px].map(Math.round);
    let dark = 0;
    for (let y = 0; y < size; y += 1) {
      for (let x = 0; x < size; x += 1) {
        const [fromX, fromY] = [Math.abs(x + 0.5 - size / 2), Math.abs(y + 0.5 - size / 2)];
        const isOutside = Math.hypot(fromX, fromY) > size / 2 + 1;
        if (isOutside) expect(at(x, y)).to.equal(128);
        const isQuiet =
          Math.max(fromX, fromY) > half + 1 && Math.max(fromX, fromY) < half + 4 * px - 1;
        if (isQuiet && !isOutside) expect(at(x, y)).to.equal(255);
        const isRing = x < inner! || y < inner! || x > outer! || y > outer!;
        if (isRing && !isOutside && at(x, y) === 0) dark += 1;
      }
    }
    const ring = Math.PI * (size / 2) ** 2 - (outer! - inner!) ** 2;
    expect(dark / ring).to.be.within(0.3, 0.6);
  });

  it('has the modules of the code where they are without it', () => {
    const [framed, plain] = [draw(PAYLOAD, design({ size: 700 })), draw(PAYLOAD, defaultDesign())];
    expect(framed.modulePx).to.be.greaterThan(10);
    expect(plain.shapes.length).to.equal(framed.shapes.length);
    expect(framed.code.width).to.be.closeTo(700 * Math.SQRT1_2, 1);
  });

  it('is read in every pattern and format', async () => {
    for (const pattern of PATTERN_NAMES) {
      const one = design({ pattern, shape: 'rounded' });
      expect(await scan(await drawPicture(PAYLOAD, one, 'png')), pattern).to.equal(PAYLOAD);
    }
    for (const format of FORMATS) {
      const picture = await printed(await drawPicture(PAYLOAD, design(), format), format);
      expect(await scan(picture), format).to.equal(PAYLOAD);
    }
  });

  it('is read with any text, clean and distorted', async () => {
    const seed = Number(process.env['QR_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
    const random = seeded(seed);
    for (let drawn = 0; drawn < 10; drawn += 1) {
      const payload = `https://example.com/${Math.floor(random() * 1e9)}${'x'.repeat(Math.floor(random() * 150))}`;
      const base = design({ pattern: drawn % 2 === 0 ? 'squares' : 'rounded' });
      const one = { ...base, size: minSize(matrixOf(payload, base), base, 6) };
      const scene = { payload, design: one, format: 'png' as const, image: undefined };
      const made = await make(scene);
      for (const rendering of RENDERINGS) {
        const pixels = await render(scene, made, rendering);
        for (const [decoder, decode] of Object.entries(DECODERS)) {
          const about = `QR_SEED=${seed}, ${decoder}, ${rendering}, ${payload}`;
          expect((await decode(pixels))?.toString(), about).to.equal(payload);
        }
      }
    }
  });
});
