import { expect } from 'chai';
import { Refusal } from '../../src/errors.ts';
import { blocksOf, codewordMap } from '../../src/qrcodes/render/codewords.ts';
import {
  colorFault,
  contrast,
  normalizeColor,
  parseColor,
} from '../../src/qrcodes/render/color.ts';
import {
  type Design,
  type DesignGradient,
  defaultDesign,
  PLATE_SHAPES,
  type Plate,
} from '../../src/qrcodes/render/design.ts';
import { matrixOf } from '../../src/qrcodes/render/design-matrix.ts';
import { draw } from '../../src/qrcodes/render/drawing.ts';
import { EYE_SHAPE_NAMES } from '../../src/qrcodes/render/eyes/index.ts';
import { LEVELS, type Level } from '../../src/qrcodes/render/levels.ts';
import { encodeMatrix, type Matrix } from '../../src/qrcodes/render/matrix.ts';
import { largestMiddle, usedCorrection } from '../../src/qrcodes/render/middle.ts';
import { minSize, refuseUnscannable, warningsOf } from '../../src/qrcodes/render/scannability.ts';
import { scoreOf } from '../../src/qrcodes/render/score.ts';
import { resolveDesign, type StoredDesign } from '../../src/qrcodes/render/stored-design.ts';
import { missingCharacter, setLine } from '../../src/qrcodes/render/text.ts';
import { type Light, photographed } from '../qr/camera.ts';
import { seeded } from '../qr/pairwise.ts';
import { DECODERS, type Pixels } from '../support/decoders.ts';

const PAYLOAD = 'https://acme.link/spring-2027/launch';

/** Renders a code with inverted modules as pixels. */
function pixelsOf({ size, isDark }: Matrix, turned: ReadonlySet<number>): Pixels {
  const px = 4;
  const side = (size + 8) * px;
  const data = Buffer.alloc(side * side * 4, 255);
  for (let row = 0; row < size; row += 1) {
    for (let column = 0; column < size; column += 1) {
      if (isDark(row, column) === turned.has(row * size + column)) continue;
      for (let y = 0; y < px; y += 1) {
        const start = (((row + 4) * px + y) * side + (column + 4) * px) * 4;
        for (let x = 0; x < px; x += 1) data.fill(0, start + x * 4, start + x * 4 + 3);
      }
    }
  }
  return { data, width: side, height: side };
}

/** Selects all modules of random codewords, a number of them in each block. */
function corrupt(matrix: Matrix, perBlock: (block: number) => number, seed: number): Set<number> {
  const { count, blockOf } = blocksOf(matrix.version, matrix.level);
  const map = codewordMap(matrix, blockOf.length);
  const random = seeded(seed);
  const corrupted = new Set<number>();
  for (let block = 0; block < count; block += 1) {
    const own = [...blockOf.keys()].filter((codeword) => blockOf[codeword] === block);
    for (let n = perBlock(block); n > 0; n -= 1) {
      corrupted.add(own.splice(Math.floor(random() * own.length), 1)[0]!);
    }
  }
  return new Set([...map.keys()].filter((module) => corrupted.has(map[module]!)));
}

const read = async (pixels: Pixels) => (await DECODERS['ZXing']!(pixels))?.toString();

describe('error correction', () => {
  const CODES: [length: number, level: Level][] = [
    [10, 'L'],
    [40, 'M'],
    [90, 'Q'],
    [150, 'H'],
    [400, 'H'],
  ];
  for (const [length, level] of CODES) {
    const payload = 'abcdefghij'.repeat(40).slice(0, length);
    const matrix = encodeMatrix(payload, level);
    const { corrects, count, blockOf } = blocksOf(matrix.version, level);

    it(`has a codeword for every module that carries one: ${matrix.version}-${level}`, () => {
      const times = new Uint8Array(blockOf.length);
      for (const codeword of codewordMap(matrix, blockOf.length)) {
        if (codeword >= 0) times[codeword]! += 1;
      }
      expect(times.every((modules) => modules === 8)).to.equal(true);
    });

    it(`is decoded with as many wrong codewords in every block as can be corrected: ${matrix.version}-${level}`, async () => {
      // Versions 1 to 3 reserve some error correction codewords for detection (ISO/IEC 18004, table
      // 9).
      const most = matrix.version <= 3 ? Math.max(1, corrects - 3) : corrects;
      expect(
        await read(
          pixelsOf(
            matrix,
            corrupt(matrix, () => most, 1),
          ),
        ),
      ).to.equal(payload);
    });

    it(`is not decoded with one more in one block: ${matrix.version}-${level}`, async () => {
      const perBlock = (block: number) => (block === count - 1 ? corrects + 1 : 0);
      expect(await read(pixelsOf(matrix, corrupt(matrix, perBlock, 2)))).to.equal(undefined);
    });
  }

  it('divides blocks as the standard’s table: 5-Q', () => {
    const { count, corrects, blockOf } = blocksOf(5, 'Q');
    expect([count, corrects, blockOf.length]).to.deep.equal([4, 9, 134]);
    expect([...blockOf.subarray(56, 66)]).to.deep.equal([0, 1, 2, 3, 2, 3, 0, 1, 2, 3]);
  });
});

describe('the scannability check', () => {
  const design = (fields: Partial<Design>): Design => ({
    ...defaultDesign(),
    raisesLevel: fields.level === undefined,
    ...fields,
  });
  const faults = (fields: Partial<Design>, payload = PAYLOAD): string => {
    try {
      refuseUnscannable(payload, design(fields));
      return '';
    } catch (thrown) {
      if (thrown instanceof Refusal) return thrown.message;
      throw thrown;
    }
  };

  it('accepts the default design, and returns all errors at once', () => {
    expect(faults({})).to.equal('');
    const all = faults({
      size: 50,
      fgColor: '#CCCCCC',
      frame: 'bubble',
      frameTextColor: '#222222',
    });
    expect(all.split('; ').map((fault) => fault.split(' ')[0])).to.deep.equal([
      'size',
      'fgColor',
      'frameTextColor',
    ]);
  });

  it('returns the smallest accepted size', () => {
    for (const fields of [
      {},
      { pattern: 'dots' },
      { frame: 'label-top' },
      { margin: 9 },
    ] as const) {
      const size = Number(/at least (\d+) px/.exec(faults({ ...fields, size: 40 }))![1]);
      expect(faults({ ...fields, size })).to.equal('');
      expect(faults({ ...fields, size: size - 1 })).to.match(/^size must be/);
    }
    const matrix = encodeMatrix(PAYLOAD, 'M');
    expect(minSize(matrix, design({}), 5)).to.equal((matrix.size + 8) * 5);
  });

  it('returns the largest accepted image, at every level', () => {
    for (const level of LEVELS) {
      const middle = (side: number) => ({ width: side, height: side, excavate: true });
      const side = /largest that works is (\d+)/.exec(faults({ level, middle: middle(400) }))?.[1];
      if (side === undefined) {
        expect(faults({ level, middle: middle(400) })).to.contain('no image can be drawn');
        continue;
      }
      const sized = (width: number) => {
        const srcImage = { id: '', width: 100, height: 100 };
        return resolveDesign({ level, srcImage, width, height: width, excavate: true }, PAYLOAD);
      };
      const largest = sized(Number(side));
      expect(faults(largest)).to.equal('');
      const { modulePx } = draw(PAYLOAD, largest);
      expect(faults(sized(Number(side) + 2 * modulePx))).not.to.equal('');
    }
  });

  it('gives an image without a size one with which the code scans easily', () => {
    const sizeOf = (ratio: number, payload = PAYLOAD, stored: StoredDesign = {}) => {
      const srcImage = { id: '', width: 100 * ratio, height: 100 };
      const full = resolveDesign({ size: 900, excavate: true, srcImage, ...stored }, payload);
      return { ...full.middle!, design: full };
    };
    for (const ratio of [1, 2.5, 0.4, 6]) {
      for (const payload of [PAYLOAD, 'https://ex.am/a', 'x'.repeat(70), 'x'.repeat(200)]) {
        const { width, height, design: full } = sizeOf(ratio, payload);
        const about = `${ratio}, ${payload.length} characters: ${width} × ${height}`;
        expect(width / height / ratio, about).to.be.closeTo(1, 0.1);
        const { findings } = scoreOf(payload, full);
        const finding = findings.find(({ name }) => name === 'Image');
        expect(finding?.score, about).to.be.at.least(90);
        expect(usedCorrection(matrixOf(payload, full), full), about).to.be.at.most(0.38);
      }
    }
    const wide = sizeOf(2.5);
    expect(wide.width * wide.height).to.be.greaterThan(120 * 48);
    const plate: Plate = { shape: 'circle', color: '#FFFFFF', rimColor: null, padding: 10 };
    for (const shape of PLATE_SHAPES) {
      const { design: full } = sizeOf(1, PAYLOAD, { logoPlate: { ...plate, shape } });
      expect(scoreOf(PAYLOAD, full).score, shape).to.be.at.least(90);
    }
  });

  it('lays out an image whose automatic size is given as one without a size', () => {
    for (const level of LEVELS) {
      for (const length of [1, 17, 30, 80, 200]) {
        for (const ratio of [1, 2.5]) {
          const srcImage = { id: '', width: 100 * ratio, height: 100 };
          const stored = { size: 900, srcImage, level };
          const payload = 'x'.repeat(length);
          const automatic = resolveDesign(stored, payload).middle!;
          const { width, height } = automatic;
          const given = resolveDesign({ ...stored, width, height }, payload).middle;
          expect(given, `${level}, ${length} characters`).to.deep.equal(automatic);
        }
      }
    }
  });

  it('lets a code grow for an image of three tenths of its width', () => {
    const srcImage = { id: '', width: 100, height: 100 };
    const sized = (share: number) => {
      const side = Math.round(share * 900 * 0.8);
      return resolveDesign({ size: 900, srcImage, width: side, excavate: true }, PAYLOAD);
    };
    expect(faults(sized(0.3))).to.equal('');
    expect(faults(sized(0.6))).to.match(/^width and height of the image must be smaller/);
  });

  it('names the largest image in its own proportions', () => {
    const srcImage = { id: '', width: 250, height: 100 };
    const sized = (width: number) =>
      resolveDesign({ size: 900, srcImage, width, excavate: true }, PAYLOAD);
    const [, width = '', height = ''] = /works is (\d+) × (\d+) px/.exec(faults(sized(600)))!;
    expect(Number(width) / Number(height)).to.be.closeTo(2.5, 0.1);
    expect(faults(sized(Number(width)))).to.equal('');
  });

  it('warns of an image that cuts through modules', () => {
    const middle = { width: 40, height: 40, excavate: false };
    expect(warningsOf(design({ middle }))[0]).to.match(/^excavate is false: the image cuts/);
    expect(warningsOf(design({ middle: { ...middle, excavate: true } }))).to.deep.equal([]);
  });

  it('warns of eyes that strict readers miss', () => {
    expect(warningsOf(design({ shape: 'square/dot' }))[0]).to.match(/^shape square\/dot: some/);
    expect(warningsOf(design({ shape: 'notched' }))).to.deep.equal([]);
    for (const shape of EYE_SHAPE_NAMES.filter((name) => !name.includes('/'))) {
      expect(warningsOf(design({ shape })), shape).to.deep.equal([]);
    }
  });

  it('accepts no version with an alignment pattern behind the image', () => {
    for (let length = 1; length < 900; length += 30) {
      const { version } = encodeMatrix('x'.repeat(length), 'H', { freeMiddle: true });
      expect([version >= 7 && version < 14, version >= 21 && version < 28]).to.deep.equal([
        false,
        false,
      ]);
    }
    expect(largestMiddle('x'.repeat(60), design({ level: 'H' }))?.width).to.be.greaterThan(0);
  });

  it('measures contrast as printed on paper', () => {
    expect(faults({ bgColor: 'transparent' })).to.equal('');
    expect(faults({ bgColor: '#00000010' })).to.equal('');
    expect(faults({ bgColor: '#000000EE', fgColor: '#FFFFFF' })).to.equal('');
    expect(faults({ bgColor: 'transparent', fgColor: '#FFFFFF' })).to.match(
      /^fgColor and bgColor must differ more: their symbol contrast is 0%, and scanners need 40%$/,
    );
    // The contrast ratio is four to one for people, yet too low for scanners.
    expect(faults({ bgColor: '#666666' })).to.match(/their symbol contrast is 13%/);
    expect(contrast(parseColor('#000000'), parseColor('#FFFFFF'))).to.equal(21);
  });

  it('warns of low contrast, and of light modules', () => {
    const warnings = (fgColor: string, bgColor: string) => warningsOf(design({ fgColor, bgColor }));
    expect(warnings('#000000', '#FFFFFF')).to.deep.equal([]);
    expect(warnings('#1E3A8A', '#FFF7E6')).to.deep.equal([]);
    expect(warnings('#AAAAAA', '#FFFFFF')).to.deep.equal([
      'fgColor and bgColor have a symbol contrast of 59%: below 70% a code may not be read in poor light',
    ]);
    expect(warnings('#FFFFFF', '#000000')).to.deep.equal([
      'fgColor is lighter than bgColor: some scanners do not read light codes on a dark ground',
    ]);
    expect(warnings('#AAAAAA', '#000000')).to.have.length(2);
  });

  it('judges gradients and colors of eyes at their worst point', () => {
    const gradient = (...colors: string[]): DesignGradient => ({
      type: 'linear',
      angle: 0,
      stops: colors.map((color, at) => ({ color, offset: at / (colors.length - 1) })),
    });
    expect(faults({ fgGradient: gradient('#312E81', '#9D174D') })).to.equal('');
    expect(faults({ fgGradient: gradient('#000000', '#DDDDDD', '#000000') })).to.match(
      /^fgGradient and bgColor must differ more: their symbol contrast is 2\d%/,
    );
    // Red and green are light, and darker halfway.
    expect(faults({ fgColor: '#7A0000', bgGradient: gradient('#FF0000', '#00FF00') })).to.match(
      /^fgColor and bgGradient must differ more: their symbol contrast is 1\d%/,
    );
    expect(faults({ fgColor: '#DDDDDD', eyeColor: '#000000' })).to.match(/^fgColor and bgColor/);
    expect(faults({ eyeBallColor: '#EEEEEE' })).to.match(/^eyeBallColor and bgColor must differ/);
    expect(faults({ eyeColors: { topRight: { ball: '#EEEEEE' } } })).to.match(/^eyeColors and bgC/);
    expect(faults({ eyeGradient: gradient('#000000', '#EEEEEE') })).to.match(/^eyeGradient and bg/);
    expect(warningsOf(design({ eyeColor: '#AAAAAA' }))).to.deep.equal([
      'eyeColor and bgColor have a symbol contrast of 59%: below 70% a code may not be read in poor light',
    ]);
    // A color of the quiet zone lies over the gradient of the background.
    const ground = { bgGradient: gradient('#000000', '#333333'), quietZoneColor: '#FFFFFF' };
    expect(faults(ground)).to.equal('');
    expect(faults({ ...ground, quietZoneColor: null })).to.match(/^fgColor and bgGradient/);
    // Some parts are darker, others lighter than the background.
    expect(faults({ bgColor: '#777777', eyeColor: '#FFFFFF' })).to.match(/contrast is 0%/);
  });

  it('accepts existing errors of a code, and no others', () => {
    const payload = PAYLOAD;
    const faint = design({ fgColor: '#DDDDDD' });
    const change = (fields: Partial<Design>) => () =>
      refuseUnscannable(payload, { ...faint, ...fields }, { payload, design: faint });
    expect(change({})).not.to.throw();
    expect(change({ pattern: 'dots' })).not.to.throw();
    expect(change({ fgColor: '#EEEEEE' })).to.throw(Refusal, /^fgColor and bgColor must differ/);
    expect(change({ size: 40 })).to.throw(Refusal, /^size must be at least/);
  });

  /**
   * Returns the gray that reflects a share of the light; CONTRASTS uses it at the lowest accepted
   * and at a comfortable symbol contrast, on several backgrounds.
   */
  const grey = (reflected: number) => {
    const share =
      reflected <= 0.0031308 ? 12.92 * reflected : 1.055 * reflected ** (1 / 2.4) - 0.055;
    const part = Math.round(255 * share)
      .toString(16)
      .padStart(2, '0');
    return `#${part}${part}${part}`;
  };
  const CONTRASTS: [contrast: number, grounds: number[], light: Light][] = [
    [0.41, [1, 0.8, 0.6, 0.41], { noise: 3, darkest: 0.7 }],
    [0.71, [1, 0.85, 0.71], { noise: 5, darkest: 0.5 }],
  ];
  for (const [reflected, grounds, light] of CONTRASTS) {
    it(`accepts what both decoders read in ${JSON.stringify(light)}: a symbol contrast of ${reflected}`, async () => {
      for (const ground of grounds) {
        const [bright, dark] = [grey(ground), grey(ground - reflected)];
        expect(faults({ fgColor: dark, bgColor: bright })).to.equal('');
        for (const seed of [1, 2, 3]) {
          const about = `${dark} on ${bright}, seed ${seed}`;
          const photo = await photographed(PAYLOAD, { ink: dark, ground: bright }, light, seed);
          for (const [name, decode] of Object.entries(DECODERS)) {
            expect((await decode(photo))?.toString(), `${name}, ${about}`).to.equal(PAYLOAD);
          }
          const turned = { ink: bright, ground: dark };
          // ZBar reads only dark codes, so it gets the negative.
          const [light_, negative] = [false, true].map((isNegative) =>
            photographed(PAYLOAD, turned, light, seed, isNegative),
          );
          expect((await DECODERS['ZXing']!(await light_!))?.toString(), `light ${about}`).to.equal(
            PAYLOAD,
          );
          expect(
            (await DECODERS['ZBar']!(await negative!))?.toString(),
            `negative ${about}`,
          ).to.equal(PAYLOAD);
        }
      }
    });
  }

  it('reads CSS colours', () => {
    const read = {
      abc: '#AABBCC',
      '#abcd': '#AABBCCDD',
      '1a2B3c': '#1A2B3C',
      '#1A2B3CFF': '#1A2B3C',
      '#f00f': '#FF0000',
      Transparent: 'transparent',
      RebeccaPurple: '#663399',
      'rgb(1,2,3)': '#010203',
      'rgb(100% 0% 20%)': '#FF0033',
      'rgba(1, 2, 3, 0.5)': '#01020380',
      'rgb(1 2 3 / 100%)': '#010203',
    };
    for (const [text, color] of Object.entries(read)) {
      expect(colorFault(text, { alpha: true, transparent: true }), text).to.equal(undefined);
      expect(normalizeColor(text), text).to.equal(color);
    }
    for (const text of [
      '',
      '#',
      '12',
      'reddish',
      'constructor',
      '__proto__',
      'rgb(..%,.%,.%)',
      'rgb(1,2)',
    ]) {
      expect(colorFault(text), text).to.match(/^must be a color such as/);
    }
    expect(colorFault(`rgb(${'1'.repeat(1_000_000)}`)).to.match(/^must be a color such as/);
    expect(colorFault('#11223380')).to.match(/^must be a color without opacity/);
    expect(colorFault('transparent')).to.match(/^must be a color without opacity/);
  });

  it('renders text in every script with a font', () => {
    for (const words of ['SCAN ME', 'Größe', 'Привет', 'Ελλάδα', 'Tiếng Việt']) {
      expect(missingCharacter(words, { family: 'Inter', weight: 650 }), words).to.equal(undefined);
      const line = setLine(words, { family: 'Inter', weight: 650 });
      expect(line.width).to.be.greaterThan(1);
      expect(line.path(0, 0, 100)).to.match(/^M[-\d. MLCZ]+Z$/);
    }
    expect(missingCharacter('a\u{13000}', { family: 'Inter', weight: 650 })).to.equal('\u{13000}');
  });
});
