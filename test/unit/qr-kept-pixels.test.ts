import { expect } from 'chai';
import sharp from 'sharp';
import { computedOf } from '../../src/qrcodes/render/computed.ts';
import { keptPixels } from '../../src/qrcodes/render/kept-pixels.ts';
import { squarePixels } from '../../src/qrcodes/render/square-pixels.ts';

const pictureOf = async (background: string) => ({
  png: await sharp({ create: { width: 40, height: 40, channels: 4, background } })
    .png()
    .toBuffer(),
  width: 40,
  height: 40,
});

describe('Decoded images of QR codes', () => {
  it('are the same for equal bytes in another buffer', async () => {
    const image = await pictureOf('#123456');
    const first = await squarePixels(image, '#FFFFFF');
    const second = await squarePixels({ ...image, png: Buffer.from(image.png) }, '#FFFFFF');
    expect(second).to.equal(first);
  });

  it('differ by image, side and color of the paper', async () => {
    const [red, clear] = await Promise.all([pictureOf('#FF0000'), pictureOf('#00000000')]);
    expect([...(await squarePixels(red, '#FFFFFF')).rgb.subarray(0, 3)]).to.deep.equal([255, 0, 0]);
    const onWhite = await squarePixels(clear, '#FFFFFF');
    const onBlack = await squarePixels(clear, '#000000');
    expect([onWhite.rgb[0], onBlack.rgb[0]]).to.deep.equal([255, 0]);
    expect((await squarePixels(clear, '#FFFFFF', 20)).side).to.equal(20);
  });

  it('have results that are kept by their input, up to 32 MB in all', () => {
    const pixels = new Uint8Array(3);
    let computed = 0;
    const result = (of: object, input: string) =>
      computedOf(of, input, () => {
        computed += 1;
        return [new Uint8Array(1_000_000)] as const;
      });
    const first = result(pixels, 'a');
    expect(result(pixels, 'a')).to.equal(first);
    expect([result(pixels, 'b'), result(new Uint8Array(3), 'a')]).to.not.include(first);
    expect(computed).to.equal(3);
    for (let at = 0; at < 40; at += 1) result(new Uint8Array(3), 'a');
    expect(result(pixels, 'a')).to.not.equal(first);
  });

  it('are decoded again after an error', async () => {
    const png = Buffer.from('not a picture');
    const failure = new Error('unreadable');
    const refused = keptPixels(png, 'x', () => Promise.reject(failure));
    expect(await refused.catch((error: unknown) => error)).to.equal(failure);
    const rgb = new Uint8Array(3);
    expect(await keptPixels(png, 'x', () => Promise.resolve(rgb))).to.equal(rgb);
  });
});
