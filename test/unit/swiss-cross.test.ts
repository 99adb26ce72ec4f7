import { expect } from 'chai';
import sharp from 'sharp';
import { CONTENT_TYPES } from '../../src/qrcodes/content/index.ts';
import { swissqr } from '../../src/qrcodes/content/swissqr.ts';
import { matrixOf } from '../../src/qrcodes/render/design-matrix.ts';
import { draw } from '../../src/qrcodes/render/drawing.ts';
import { drawPicture } from '../../src/qrcodes/render/picture.ts';
import { resolveDesign, type StoredDesign } from '../../src/qrcodes/render/stored-design.ts';
import { payloadOf } from '../qr/contents.ts';
import { seeded } from '../qr/pairwise.ts';
import { make, RENDERINGS, render } from '../qr/renderings.ts';
import { DECODERS, toPixels } from '../support/decoders.ts';

const PAYLOAD = payloadOf('swissqr', 'long');
const STORED: StoredDesign = { level: 'M', size: 900 };

/** A bill with texts of random lengths, which fill codes of many versions. */
function anyBill(random: () => number): string {
  const text = (max: number) => 'Zahlung für '.repeat(20).slice(0, 1 + Math.floor(random() * max));
  const party = () => ({
    name: text(70).trim(),
    street: text(70).trim(),
    postalCode: '2501',
    city: 'Biel',
    country: 'CH',
  });
  return swissqr.encode({
    iban: 'CH9300762011623852957',
    currency: 'CHF',
    amount: '1949.75',
    creditor: party(),
    ...(random() < 0.7 && { debtor: party() }),
    message: text(140).trim(),
  });
}

describe('the Swiss cross', function () {
  this.timeout(120_000);

  it('is 7 of 46 mm wide, a white cross on black with a white rim, in the middle', async () => {
    const design = resolveDesign(STORED, PAYLOAD);
    const { code, modulePx } = draw(PAYLOAD, design);
    const picture = sharp(await drawPicture(PAYLOAD, design, 'png')).flatten();
    const { data, info } = await picture.greyscale().raw().toBuffer({ resolveWithObject: true });
    const { size } = matrixOf(PAYLOAD, design);
    const perMm = (size * modulePx) / 46;
    const middle = code.width / 2;
    const at = (x: number, y: number) =>
      data[Math.round(middle + y * perMm) * info.width + Math.round(middle + x * perMm)];
    expect([at(0, 0), at(1.7, 0), at(0, -1.7)]).to.deep.equal([255, 255, 255]);
    expect([at(1.2, 1.2), at(-2.5, 0), at(2.7, 2.7)]).to.deep.equal([0, 0, 0]);
    expect([at(3.25, 0), at(-3.25, 3.2), at(0, -3.25)]).to.deep.equal([255, 255, 255]);
  });

  it('is in a code of level M without an alignment pattern in its middle', () => {
    const { version, level } = matrixOf(PAYLOAD, resolveDesign(STORED, PAYLOAD));
    expect([version, level]).to.deep.equal([14, 'M']);
  });

  it('is not drawn over an image, and in other codes', () => {
    const srcImage = { id: 'x', width: 100, height: 100 };
    expect(resolveDesign({ ...STORED, srcImage }, PAYLOAD).hasSwissCross).to.equal(false);
    for (const name of ['url', 'epc', 'text'] as const) {
      const payload = payloadOf(name, 'long');
      expect(resolveDesign({}, payload).hasSwissCross, CONTENT_TYPES[name].name).to.equal(false);
    }
  });

  it('is on codes that decoders read, whatever their version, clean and distorted', async () => {
    const seed = Number(process.env['QR_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
    const random = seeded(seed);
    for (let drawn = 0; drawn < 8; drawn += 1) {
      const payload = anyBill(random);
      const design = resolveDesign({ level: 'M', size: 700 }, payload);
      expect(design.hasSwissCross).to.equal(true);
      const scene = { payload, design, format: 'png' as const, image: undefined };
      const made = await make(scene);
      for (const rendering of RENDERINGS) {
        const pixels = await render(scene, made, rendering);
        for (const [decoder, decode] of Object.entries(DECODERS)) {
          const about = `QR_SEED=${seed}, ${decoder}, ${rendering}, ${payload.length} characters`;
          expect((await decode(pixels))?.toString(), about).to.equal(payload);
        }
      }
    }
  });

  it('is in every format', async () => {
    for (const format of ['svg', 'jpeg', 'webp'] as const) {
      const picture = await drawPicture(PAYLOAD, resolveDesign(STORED, PAYLOAD), format);
      const read = await DECODERS['ZXing']!(await toPixels(picture));
      expect(read?.toString(), format).to.equal(PAYLOAD);
    }
  });
});
