import { expect } from 'chai';
import { BACKGROUND_STRENGTHS, BACKGROUND_STYLES } from '../../src/qrcodes/render/design.ts';
import { drawPicture } from '../../src/qrcodes/render/picture.ts';
import { DECODERS, toPixels } from '../support/decoders.ts';
import { background, design, PAYLOAD, PICTURE_NAMES } from './backgrounds.ts';
import { seeded } from './pairwise.ts';
import { make, RENDERINGS, render } from './renderings.ts';

/** Number of random codes. */
const CODES = 60;

describe('a code with a picture behind it', function () {
  this.timeout(300_000);

  for (const style of BACKGROUND_STYLES) {
    for (const strength of BACKGROUND_STRENGTHS) {
      it(`is read by both decoders, clean and distorted: ${style}, ${strength}`, async () => {
        const failures: string[] = [];
        for (const name of PICTURE_NAMES) {
          const picture = await background(name);
          const scene = {
            payload: PAYLOAD,
            design: design({ style, strength }),
            format: 'png' as const,
            image: undefined,
            background: picture,
          };
          const made = await make(scene);
          for (const rendering of RENDERINGS) {
            const pixels = await render(scene, made, rendering);
            for (const [decoder, decode] of Object.entries(DECODERS)) {
              const got = (await decode(pixels))?.toString();
              if (got !== PAYLOAD) failures.push(`${name}, ${rendering}, ${decoder}: ${got}`);
            }
          }
        }
        expect(failures).to.deep.equal([]);
      });
    }
  }

  it('is read by both decoders at any size, whatever it holds', async () => {
    const seed = Number(process.env['QR_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
    const random = seeded(seed);
    const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)]!;
    const failures: string[] = [];
    for (let n = 0; n < CODES; n += 1) {
      const one = { style: pick(BACKGROUND_STYLES), strength: pick(BACKGROUND_STRENGTHS) };
      const payload = `https://${Math.floor(random() * 36 ** 9).toString(36)}.example/${n}`;
      const [name, px] = [pick(PICTURE_NAMES), 8 + Math.floor(random() * 12)];
      const look = design(one, {}, px, payload);
      const png = await drawPicture(payload, look, 'png', undefined, {}, await background(name));
      const pixels = await toPixels(png);
      for (const [decoder, decode] of Object.entries(DECODERS)) {
        const got = (await decode(pixels))?.toString();
        if (got === payload) continue;
        failures.push(`QR_SEED=${seed}: ${JSON.stringify(one)}, ${name}, ${px} px, ${decoder}`);
      }
    }
    expect(failures).to.deep.equal([]);
  });
});
