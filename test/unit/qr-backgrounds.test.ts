import { expect } from 'chai';
import { luminance } from '../../src/qrcodes/render/color.ts';
import { worstContrast } from '../../src/qrcodes/render/contrast.ts';
import {
  BACKGROUND_STRENGTHS,
  BACKGROUND_STYLES,
  defaultDesign,
} from '../../src/qrcodes/render/design.ts';
import { matrixOf } from '../../src/qrcodes/render/design-matrix.ts';
import { draw } from '../../src/qrcodes/render/drawing.ts';
import { PATTERN_NAMES } from '../../src/qrcodes/render/patterns/index.ts';
import { drawPicture } from '../../src/qrcodes/render/picture.ts';
import { MIN_CONTRAST } from '../../src/qrcodes/render/scannability.ts';
import { scoreOf } from '../../src/qrcodes/render/score.ts';
import { squarePixels } from '../../src/qrcodes/render/square-pixels.ts';
import { tonedPicture } from '../../src/qrcodes/render/toned.ts';
import { background, design, PAYLOAD, PICTURE_NAMES } from '../qr/backgrounds.ts';
import { scan } from '../support/decoders.ts';

describe('a picture behind a code', function () {
  this.timeout(300_000);

  it('is read in each pattern', async () => {
    for (const pattern of PATTERN_NAMES) {
      const one = design({ style: 'picture', strength: 'medium' }, { pattern }, 6);
      const png = await drawPicture(
        PAYLOAD,
        one,
        'png',
        undefined,
        {},
        await background('landscape'),
      );
      expect(await scan(png), pattern).to.equal(PAYLOAD);
    }
  });

  it('has at no px less contrast than the code is judged by', async () => {
    for (const strength of BACKGROUND_STRENGTHS) {
      for (const [fgColor, bgColor] of [
        ['#000000', '#FFFFFF'],
        ['#1E3A8A', '#FFF7E6'],
        ['#7F1D1D', '#DDEEFF'],
      ] as const) {
        const one = design({ style: 'picture', strength }, { fgColor, bgColor });
        const { signed } = worstContrast(one);
        expect(signed).to.be.greaterThan(MIN_CONTRAST);
        for (const name of PICTURE_NAMES) {
          const square = await squarePixels(await background(name), bgColor, 120);
          const { light, dark } = tonedPicture(square, one, 33);
          const all = (rgb: Uint8Array) =>
            Array.from({ length: rgb.length / 3 }, (_, at) =>
              luminance({ r: rgb[at * 3]!, g: rgb[at * 3 + 1]!, b: rgb[at * 3 + 2]!, a: 1 }),
            );
          const least = Math.min(...all(light.rgb)) - Math.max(...all(dark.rgb));
          expect(least, `${strength} ${name}`).to.be.at.least(signed - 0.01);
        }
      }
    }
  });

  it('gives a halftone whole function patterns, and the value of each module in its middle', async () => {
    const one = design({ style: 'halftone', strength: 'strong' }, {}, 9);
    const square = await squarePixels(await background('noise'), '#FFFFFF');
    const matrix = matrixOf(PAYLOAD, one);
    const { shapes, modulePx } = draw(PAYLOAD, one, matrix, square);
    const [modules] = shapes;
    const ink = new Set<string>();
    const first = (one.size - matrix.size * modulePx) >> 1;
    for (const [, x, y, right, bottom] of modules!.path.matchAll(
      /M(\d+) (\d+)L(\d+) \d+L\d+ (\d+)L\d+ \d+Z/g,
    )) {
      for (let cx = Number(x); cx < Number(right); cx += 1) {
        for (let cy = Number(y); cy < Number(bottom); cy += 1) {
          ink.add(`${cx - first},${cy - first}`);
        }
      }
    }
    // Cells of a module of 9 px are 2, 5 and 2 px wide.
    const middles = [0, 4, 8];
    for (let row = 0; row < matrix.size; row += 1) {
      for (let column = 0; column < matrix.size; column += 1) {
        const isEye =
          (row < 7 && (column < 7 || column >= matrix.size - 7)) ||
          (row >= matrix.size - 7 && column < 7);
        if (isEye) continue;
        const cells = middles.flatMap((down) =>
          middles.map((right) => ink.has(`${column * 9 + right},${row * 9 + down}`)),
        );
        expect(cells[4]).to.equal(matrix.isDark(row, column));
        const others = cells.filter((cell) => cell !== cells[4]).length;
        expect(others).to.be.at.most(matrix.isFunction(row, column) ? 0 : 5);
      }
    }
  });

  it('has a score by its strength, at the automatic size', () => {
    const scores = BACKGROUND_STYLES.map((style) =>
      BACKGROUND_STRENGTHS.map((strength) => {
        const background = { style, strength };
        return scoreOf(PAYLOAD, { ...defaultDesign(), level: 'H', background }).score;
      }),
    );
    expect(scores[0]!.slice(0, 2)).to.deep.equal([100, 100]);
    expect(scores[0]![2]).to.be.within(60, 80);
    expect(scores[1]).to.deep.equal([90, 80, 70]);
  });

  it('gives a bounded file for the densest code and the busiest picture', async () => {
    const noise = await background('noise');
    const halftone = design({ style: 'halftone', strength: 'strong' });
    const payload = `https://example.com/${'a'.repeat(95)}`;
    const base = { ...halftone, size: 1_000 };
    expect(matrixOf(payload, base).version).to.equal(10);
    const sizes = { svg: 700_000, pdf: 200_000, eps: 700_000 } as const;
    for (const [format, most] of Object.entries(sizes)) {
      const file = await drawPicture(
        payload,
        base,
        format as keyof typeof sizes,
        undefined,
        {},
        noise,
      );
      expect(file.length, format).to.be.below(most);
    }
    const picture = design({ style: 'picture', strength: 'strong' });
    for (const format of ['svg', 'pdf', 'eps'] as const) {
      const file = await drawPicture(PAYLOAD, picture, format, undefined, {}, noise);
      expect(file.length, format).to.be.below(4_000_000);
    }
  });
});
