import { expect } from 'chai';
import { Refusal } from '../../src/errors.ts';
import { drawInThread } from '../../src/qrcodes/picture-pool.ts';
import { defaultDesign } from '../../src/qrcodes/render/design.ts';
import { drawPicture } from '../../src/qrcodes/render/picture.ts';

describe('a picture drawn in a thread', () => {
  const draw = drawInThread();
  const payload = 'https://sho.rt/launch26';

  it('equals one that is drawn without', async () => {
    const formats = ['svg', 'png', 'webp'] as const;
    const pictures = await Promise.all(
      formats.map((format) => draw(payload, defaultDesign(), format, undefined)),
    );
    for (const [at, format] of formats.entries()) {
      const expected = await drawPicture(payload, defaultDesign(), format, undefined);
      expect(pictures[at]!.equals(expected), format).to.equal(true);
    }
  });

  it('is refused in the same words', async () => {
    const tooLong = 'x'.repeat(5_000);
    const refusals = [draw, drawPicture].map((one) =>
      one(tooLong, defaultDesign(), 'svg', undefined).catch((error: unknown) => error),
    );
    const [inThread, without] = await Promise.all(refusals);
    expect(inThread).to.be.instanceOf(Refusal);
    expect((inThread as Refusal).toJSON()).to.deep.equal((without as Refusal).toJSON());
  });
});
