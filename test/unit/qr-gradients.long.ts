import { expect } from 'chai';
import sharp from 'sharp';
import {
  type Design,
  type DesignGradient,
  defaultDesign,
  FORMATS,
} from '../../src/qrcodes/render/design.ts';
import { matrixOf } from '../../src/qrcodes/render/design-matrix.ts';
import { draw } from '../../src/qrcodes/render/drawing.ts';
import { toEps } from '../../src/qrcodes/render/eps.ts';
import { drawPicture } from '../../src/qrcodes/render/picture.ts';
import { placeModules } from '../../src/qrcodes/render/place.ts';
import { toPdf } from '../../src/qrcodes/render/print.ts';
import { printed, scan } from '../support/decoders.ts';

const PAYLOAD = 'https://acme.link/spring-2027';

const gradient = (type: DesignGradient['type'], angle: number, ...colors: string[]) => ({
  type,
  angle,
  stops: colors.map((color, at) => ({ color, offset: at / (colors.length - 1) })),
});

const LOOKS: Record<string, Partial<Design>> = {
  'a linear gradient of modules': { fgGradient: gradient('linear', 0, '#0000C0', '#C00000') },
  'a radial gradient of five colors': {
    fgGradient: gradient('radial', 0, '#C00000', '#A00000', '#600060', '#3000A0', '#0000C0'),
  },
  'a gradient of the background': { bgGradient: gradient('linear', 90, '#FFFFFF', '#FFD0D0') },
  'gradients of eyes and the background in a frame': {
    eyeGradient: gradient('linear', 45, '#00308F', '#8F0030'),
    bgGradient: gradient('radial', 0, '#FFFFFF', '#E0F0FF'),
    frame: 'label-bottom',
  },
  'colors of each eye': {
    eyeColor: '#003000',
    eyeBallColor: '#600060',
    eyeColors: { topRight: { frame: '#0000C0' }, bottomLeft: { ball: '#C00000' } },
  },
};

const SIZE = 410;
const design = (look: Partial<Design>): Design => ({ ...defaultDesign(), size: SIZE, ...look });

/** Left edge of the modules and of the upper right eye, and the width of a module, in px. */
function place() {
  const { size } = matrixOf(PAYLOAD, design({}));
  const { x0, px } = placeModules(draw(PAYLOAD, design({})).code, size, 4);
  return { first: x0, px, far: x0 + (size - 7) * px };
}

async function pixelsOf(look: Partial<Design>, format: (typeof FORMATS)[number]) {
  const picture = await printed(await drawPicture(PAYLOAD, design(look), format), format);
  const { data, info } = await sharp(picture)
    .flatten({ background: '#FFFFFF' })
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const at = (x: number, y: number) => [...data.subarray((y * info.width + x) * 3).subarray(0, 3)];
  return { data, picture, at };
}

describe('gradients and colors of eyes', () => {
  for (const [name, look] of Object.entries(LOOKS)) {
    it(`are drawn alike in all formats, and decoded: ${name}`, async () => {
      const png = await pixelsOf(look, 'png');
      for (const format of FORMATS) {
        const { data, picture } = await pixelsOf(look, format);
        expect(await scan(picture), format).to.equal(PAYLOAD);
        const others = data.filter((value, index) => Math.abs(value - png.data[index]!) > 40);
        expect(others.length / data.length, format).to.be.below(0.05);
      }
    });
  }

  it('run from one edge of the modules to the other, in their direction', async () => {
    const { first, px, far: eye } = place();
    const side = eye - first + 7 * px;
    // The lower left and the upper right corner of the frames of the eyes.
    const corners = async (angle: number) => {
      const fgGradient = gradient('linear', angle, '#0000C0', '#C00000');
      const { at } = await pixelsOf({ fgGradient }, 'png');
      const [near, far] = [first + 1, first + side - 2];
      return [at(near, far), at(far, near)];
    };
    const isBlue = ([r = 0, , b = 0]: number[]) => b > 170 && r < 25;
    const isRed = ([r = 0, , b = 0]: number[]) => r > 170 && b < 25;
    const [left, right] = await corners(0);
    expect([isBlue(left!), isRed(right!)]).to.deep.equal([true, true]);
    const [bottom, top] = await corners(90);
    expect([isRed(bottom!), isBlue(top!)]).to.deep.equal([true, true]);
  });

  it('give each part of an eye its color', async () => {
    const { first, px, far } = place();
    const { at } = await pixelsOf(LOOKS['colors of each eye']!, 'png');
    const half = px >> 1;
    const frame = (x: number, y: number) => at(x + half, y + half);
    const ball = (x: number, y: number) => at(x + 3 * px + half, y + 3 * px + half);
    expect(frame(first, first)).to.deep.equal([0, 0x30, 0]);
    expect(ball(first, first)).to.deep.equal([0x60, 0, 0x60]);
    expect(frame(far, first)).to.deep.equal([0, 0, 0xc0]);
    expect(ball(far, first)).to.deep.equal([0, 0, 0xc0]);
    expect(frame(first, far)).to.deep.equal([0, 0x30, 0]);
    expect(ball(first, far)).to.deep.equal([0xc0, 0, 0]);
  });

  it('are shadings in print: in CMYK, or in black ink alone', async () => {
    const drawing = draw(PAYLOAD, design(LOOKS['a linear gradient of modules']!));
    const cmyk = String(await toEps(drawing, undefined, { inks: {} }));
    expect(cmyk).to.contain('/ColorSpace /DeviceCMYK').and.not.to.contain('DeviceRGB');
    expect(cmyk).to.contain('/C0 [1 1 0 0.247] /C1 [0 1 1 0.247]');
    const pdf = await toPdf(drawing, undefined, { inks: {} });
    expect(pdf.toString('latin1')).to.contain(
      '/Shading << /H0 << /ShadingType 2 /ColorSpace /DeviceCMYK',
    );
    for (const [file, format] of [
      [Buffer.from(cmyk), 'eps'],
      [pdf, 'pdf'],
    ] as const) {
      expect(await scan(await printed(file, format))).to.equal(PAYLOAD);
    }
    const grey = draw(PAYLOAD, design({ fgGradient: gradient('radial', 0, '#000000', '#444444') }));
    const black = (await toPdf(grey)).toString('latin1');
    expect(black).to.contain('/ShadingType 3 /ColorSpace /DeviceGray');
  });

  it('go on in the bleed of a background', async () => {
    const { bgGradient } = LOOKS['a gradient of the background']!;
    const drawing = draw(PAYLOAD, design({ bgGradient: bgGradient! }));
    const pdf = await toPdf(drawing, undefined, { bleedMm: 3 });
    expect(pdf.toString('latin1').match(/\/ShadingType/g)).to.have.length(2);
  });

  it('are gradients in SVG, whose ids are the same in every document', async () => {
    const { fgGradient } = LOOKS['a linear gradient of modules']!;
    const svg = String(await drawPicture(PAYLOAD, design({ fgGradient: fgGradient! }), 'svg'));
    const [, id] = /<linearGradient id="(g\w+)" gradientUnits="userSpaceOnUse"/.exec(svg)!;
    expect(svg.split(`fill="url(#${id})"`)).to.have.length(4);
    expect(String(await drawPicture(PAYLOAD, design({ fgGradient: fgGradient! }), 'svg'))).to.equal(
      svg,
    );
  });
});
