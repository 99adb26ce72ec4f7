import { expect } from 'chai';
import { type Design, defaultDesign } from '../../src/qrcodes/render/design.ts';
import { matrixOf } from '../../src/qrcodes/render/design-matrix.ts';
import { draw } from '../../src/qrcodes/render/drawing.ts';
import { EYE_BALLS, EYE_FRAMES, type EyeShape } from '../../src/qrcodes/render/eyes/index.ts';
import { drawPicture } from '../../src/qrcodes/render/picture.ts';
import { minSize } from '../../src/qrcodes/render/scannability.ts';
import { scan } from '../support/decoders.ts';

/** Every frame with a plain ball, and every ball in a plain frame. */
const SHAPES: EyeShape[] = [
  ...EYE_FRAMES.map((frame): EyeShape => `${frame}/square`),
  ...EYE_BALLS.map((ball): EyeShape => `square/${ball}`),
];

describe('eyes', function () {
  this.timeout(60_000);

  it('are at least ten frames and ten balls', () => {
    expect(EYE_FRAMES.length).to.be.at.least(10);
    expect(EYE_BALLS.length).to.be.at.least(10);
  });

  it('all look different', () => {
    const paths = [...new Set(SHAPES)].map((shape) => {
      const { shapes } = draw('x', { ...defaultDesign(), shape });
      return shapes
        .slice(-2)
        .map(({ path }) => path)
        .join();
    });
    expect(new Set(paths).size).to.equal(new Set(SHAPES).size);
  });

  it('are read in small and dense codes', async () => {
    for (const shape of SHAPES) {
      for (const length of [20, 220, 480]) {
        const payload = `https://example.com/${'x7-'.repeat(length / 3)}`;
        const design: Design = { ...defaultDesign(), shape, pattern: 'rounded' };
        const size = minSize(matrixOf(payload, design), design, 4);
        const picture = await drawPicture(payload, { ...design, size }, 'png');
        expect(await scan(picture), `${shape}, ${length}`).to.equal(payload);
      }
    }
  });
});
