import { expect } from 'chai';
import { Refusal } from '../../src/errors.ts';
import { blocksOf, codewordMap } from '../../src/qrcodes/render/codewords.ts';
import { contrast, normaliseColor, parseColor } from '../../src/qrcodes/render/color.ts';
import { type Design, defaultDesign } from '../../src/qrcodes/render/design.ts';
import { draw } from '../../src/qrcodes/render/drawing.ts';
import { encodeMatrix, LEVELS, type Level, type Matrix } from '../../src/qrcodes/render/matrix.ts';
import {
  largestMiddle,
  leastSize,
  refuseUnscannable,
} from '../../src/qrcodes/render/scannability.ts';
import { missingCharacter, setLine } from '../../src/qrcodes/render/text.ts';
import { seeded } from '../qr/pairwise.ts';
import { DECODERS, type Pixels } from '../support/decoders.ts';

const PAYLOAD = 'https://acme.link/spring-2027/launch';

/** A code whose modules may be turned over, as pixels. */
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

/** Modules of so many codewords of each block, chosen at random. */
function spoil(matrix: Matrix, perBlock: (block: number) => number, seed: number): Set<number> {
  const { count, blockOf } = blocksOf(matrix.version, matrix.level);
  const map = codewordMap(matrix, blockOf.length);
  const random = seeded(seed);
  const spoilt = new Set<number>();
  for (let block = 0; block < count; block += 1) {
    const own = [...blockOf.keys()].filter((codeword) => blockOf[codeword] === block);
    for (let n = perBlock(block); n > 0; n -= 1) {
      spoilt.add(own.splice(Math.floor(random() * own.length), 1)[0]!);
    }
  }
  return new Set([...map.keys()].filter((module) => spoilt.has(map[module]!)));
}

const read = async (pixels: Pixels) => (await DECODERS['ZXing']!(pixels))?.toString();

describe('what a code can bear', () => {
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

    it(`is read with as many wrong codewords in every block as can be corrected: ${matrix.version}-${level}`, async () => {
      // Versions 1 to 3 keep some of their correction back (ISO/IEC 18004, table 9).
      const most = matrix.version <= 3 ? Math.max(1, corrects - 3) : corrects;
      expect(
        await read(
          pixelsOf(
            matrix,
            spoil(matrix, () => most, 1),
          ),
        ),
      ).to.equal(payload);
    });

    it(`is not read with one more in one block: ${matrix.version}-${level}`, async () => {
      const perBlock = (block: number) => (block === count - 1 ? corrects + 1 : 0);
      expect(await read(pixelsOf(matrix, spoil(matrix, perBlock, 2)))).to.equal(undefined);
    });
  }

  it('divides as the standard’s table says: 5-Q', () => {
    const { count, corrects, blockOf } = blocksOf(5, 'Q');
    expect([count, corrects, blockOf.length]).to.deep.equal([4, 9, 134]);
    expect([...blockOf.subarray(56, 66)]).to.deep.equal([0, 1, 2, 3, 2, 3, 0, 1, 2, 3]);
  });
});

describe('the guard', () => {
  const design = (fields: Partial<Design>): Design => ({ ...defaultDesign(), ...fields });
  const faults = (fields: Partial<Design>, payload = PAYLOAD): string => {
    try {
      refuseUnscannable(payload, design(fields));
      return '';
    } catch (thrown) {
      if (thrown instanceof Refusal) return thrown.message;
      throw thrown;
    }
  };

  it('lets the default pass, and names every fault at once', () => {
    expect(faults({})).to.equal('');
    const all = faults({
      size: 50,
      fgColor: '#BBBBBB',
      frame: 'bubble',
      frameTextColor: '#222222',
    });
    expect(all.split('; ').map((fault) => fault.split(' ')[0])).to.deep.equal([
      'size',
      'fgColor',
      'frameTextColor',
    ]);
  });

  it('names the least size that passes', () => {
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
    expect(leastSize(matrix, design({}), 5)).to.equal((matrix.size + 8) * 5);
  });

  it('names the largest image that passes, at every level', () => {
    for (const level of LEVELS) {
      const middle = (side: number) => ({ width: side, height: side, excavate: true });
      const side = /largest that works is (\d+)/.exec(faults({ level, middle: middle(400) }))?.[1];
      if (side === undefined) {
        expect(faults({ level, middle: middle(400) })).to.contain('no image can be drawn');
        continue;
      }
      expect(faults({ level, middle: middle(Number(side)) })).to.equal('');
      const { modulePx } = draw(PAYLOAD, design({ level, middle: middle(1) }));
      expect(faults({ level, middle: middle(Number(side) + 2 * modulePx) })).not.to.equal('');
    }
  });

  it('takes no version with an alignment pattern in its middle for an image', () => {
    for (let length = 1; length < 900; length += 30) {
      const { version } = encodeMatrix('x'.repeat(length), 'H', true);
      expect([version >= 7 && version < 14, version >= 21 && version < 28]).to.deep.equal([
        false,
        false,
      ]);
    }
    expect(largestMiddle('x'.repeat(60), design({ level: 'H' }))?.width).to.be.greaterThan(0);
  });

  it('judges colours as they are seen on paper', () => {
    expect(faults({ bgColor: 'transparent' })).to.equal('');
    expect(faults({ bgColor: '#00000010' })).to.equal('');
    expect(faults({ bgColor: '#000000EE', fgColor: '#FFFFFF' })).to.match(
      /^fgColor must be darker/,
    );
    expect(contrast(parseColor('#000000'), parseColor('#FFFFFF'))).to.equal(21);
    expect(['abc', '#abcd', '1a2B3c', 'Transparent'].map(normaliseColor)).to.deep.equal([
      '#AABBCC',
      '#AABBCCDD',
      '#1A2B3C',
      'transparent',
    ]);
  });

  it('sets words in every script that a font has', () => {
    for (const words of ['SCAN ME', 'Größe', 'Привет', 'Ελλάδα', 'Tiếng Việt']) {
      expect(missingCharacter(words, 'Inter'), words).to.equal(undefined);
      const line = setLine(words, { family: 'Inter', weight: 650 });
      expect(line.width).to.be.greaterThan(1);
      expect(line.path(0, 0, 100)).to.match(/^M[-\d. MLCZ]+Z$/);
    }
    expect(missingCharacter('日本', 'Inter')).to.equal('日');
  });
});
