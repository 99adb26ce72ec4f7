import { expect } from 'chai';
import { BACKGROUND_STRENGTHS, BACKGROUND_STYLES } from '../../src/qrcodes/render/design.ts';
import { DECODERS } from '../support/decoders.ts';
import { background, design, PAYLOAD, PICTURE_NAMES } from './backgrounds.ts';
import { make, RENDERINGS, render } from './renderings.ts';

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
});
