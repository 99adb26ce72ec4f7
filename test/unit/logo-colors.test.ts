import { expect } from 'chai';
import { colorsOf } from '../../src/console/qrcodes/logo-colors.ts';
import { contrast, luminance, parseColor } from '../../src/qrcodes/render/color.ts';

type Rgba = readonly [number, number, number, number?];

/** Builds the pixels of areas of one color each. */
function pixelsOf(...areas: [count: number, color: Rgba][]) {
  const all = areas.flatMap(([count, color]) => Array.from({ length: count }, () => color));
  return {
    rgb: Uint8Array.from(all.flatMap(([r, g, b]) => [r, g, b])),
    alpha: Uint8Array.from(all.map(([, , , a = 255]) => a)),
  };
}

const WHITE: Rgba = [255, 255, 255];

describe('colors of a logo', () => {
  it('are its dark colors, the most frequent first, without its light ground', () => {
    const pixels = pixelsOf([900, WHITE], [300, [20, 60, 160]], [100, [180, 20, 30]]);
    expect(colorsOf(pixels)).to.deep.equal(['#143CA0', '#B4141E']);
  });

  it('are at most three', () => {
    const pixels = pixelsOf(
      [100, [0, 0, 0]],
      [100, [150, 0, 0]],
      [100, [0, 110, 0]],
      [100, [0, 0, 180]],
    );
    expect(colorsOf(pixels)).to.have.length(3);
  });

  it('leave out the edges between areas and transparent pixels', () => {
    const pixels = pixelsOf(
      [500, [20, 60, 160]],
      [10, [120, 140, 200]],
      [10, [70, 100, 180]],
      [800, [200, 0, 0, 20]],
    );
    expect(colorsOf(pixels)).to.have.length(1);
  });

  it('put a vivid color before a grey one of twice its area', () => {
    const pixels = pixelsOf([200, [60, 60, 60]], [100, [210, 20, 40]]);
    expect(colorsOf(pixels)).to.deep.equal(['#D21428', '#3C3C3C']);
  });

  it('are darkened with their hue where they are too light on white', () => {
    const [yellow] = colorsOf(pixelsOf([100, [255, 200, 0]]));
    const color = parseColor(yellow!);
    expect(luminance(color)).to.be.within(0.28, 0.3);
    expect(color.g / color.r).to.be.closeTo(200 / 255, 0.02);
    expect(color.b).to.equal(0);
    expect(contrast(color, parseColor('#FFFFFF'))).to.be.at.least(3);
  });

  it('are none for a white or transparent logo', () => {
    expect(colorsOf(pixelsOf([100, WHITE]))).to.deep.equal([]);
    expect(colorsOf(pixelsOf([100, [0, 0, 0, 0]]))).to.deep.equal([]);
    expect(colorsOf(pixelsOf())).to.deep.equal([]);
  });
});
