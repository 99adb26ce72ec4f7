import { expect } from 'chai';
import { create } from 'qrcode';
import { defaultDesign } from '../../src/qrcodes/render/design.ts';
import { LEVELS, type Level } from '../../src/qrcodes/render/levels.ts';
import { encodeMatrix, type Matrix } from '../../src/qrcodes/render/matrix.ts';
import { plainPng } from '../../src/qrcodes/render/plain-png.ts';
import { scan, textByZBar } from '../support/decoders.ts';

const modulesOf = ({ size, isDark }: Matrix): boolean[] =>
  Array.from({ length: size * size }, (_, at) => isDark(Math.floor(at / size), at % size));

const modulesByLibrary = (text: string, level: Level): boolean[] =>
  [...create(text, { errorCorrectionLevel: level }).modules.data].map((value) => value === 1);

/** Texts that ZBar misreads without an ECI. */
const TEXTS = [
  'Blüte',
  'User’s Wi-Fi Network',
  'WIFI:T:WPA;S:Café Ñandú;P:señal;;',
  'José María García',
  'Ελλάδα',
  'Привет',
  '看看看16',
  '皿a\u2028晒三',
  'São Paulo → 20 €',
  '🎉 12345678901234567890',
];

describe('the modules of a code', () => {
  const ASCII = ['HTTPS://EX.AM/1', 'https://go.example.com/abc1234', '0123456789', 'a\nb'];

  it('are those of a plain encoder for a text in ASCII', () => {
    for (const text of [...ASCII, ...ASCII.map((one) => one.repeat(20))]) {
      for (const level of LEVELS) {
        expect(modulesOf(encodeMatrix(text, level))).to.deep.equal(modulesByLibrary(text, level));
      }
    }
  });

  it('name UTF-8 for any other text, so that readers need not guess', async () => {
    for (const text of TEXTS) {
      const picture = plainPng(text, { ...defaultDesign(), raisesLevel: false });
      expect(await textByZBar(picture), text).to.equal(text);
      expect(await scan(picture), text).to.equal(text);
    }
  });

  it('are read in every version and level with a named character set', async () => {
    for (const level of LEVELS) {
      for (let version = 1; version <= 40; version += 13) {
        const text = 'ü'.repeat(capacityWithEci(version, level));
        const matrix = encodeMatrix(text, level);
        expect([matrix.version, matrix.level]).to.deep.equal([version, level]);
        const { modules } = create('0', { version });
        const isReserved = (_: boolean, at: number) => modules.reservedBit[at] === 1;
        const { size, isFunction } = matrix;
        const own = modulesOf({ ...matrix, isDark: isFunction });
        expect(own).to.deep.equal(Array.from({ length: size * size }, () => false).map(isReserved));
        const px = { ...defaultDesign(), level, raisesLevel: false, size: (size + 8) * 4 };
        expect(await scan(plainPng(text, px))).to.equal(text);
      }
    }
  });

  it('leave out the character set where only then the text fits', async () => {
    const text = `${'x'.repeat(2_951)}ü`;
    expect(encodeMatrix(text, 'L').version).to.equal(40);
    const design = { ...defaultDesign(), level: 'L' as const, size: 185 * 4 };
    expect(await scan(plainPng(text, design))).to.equal(text);
    expect(() => encodeMatrix(`${text}x`, 'L')).to.throw('does not fit into a QR code of level L');
  });

  it('have the highest level of the same version where the level may rise', () => {
    for (const text of [...ASCII, ...TEXTS, ...ASCII.map((one) => one.repeat(7))]) {
      for (const least of LEVELS) {
        const { version } = encodeMatrix(text, least);
        const raised = encodeMatrix(text, least, { raisesLevel: true });
        expect(raised.version).to.equal(version);
        const higher = LEVELS.slice(LEVELS.indexOf(raised.level) + 1);
        expect(LEVELS.indexOf(raised.level)).to.be.at.least(LEVELS.indexOf(least));
        for (const level of higher) {
          expect(encodeMatrix(text, level).version).to.be.greaterThan(version);
        }
      }
    }
  });

  it('of a short link at level M are drawn at level Q where it is free', () => {
    const raised = encodeMatrix('https://go.example.com/abc1234', 'M', { raisesLevel: true });
    expect([raised.version, raised.level]).to.deep.equal([3, 'Q']);
  });
});

/** Number of letters of two bytes that a version holds after an ECI header of 12 bits. */
function capacityWithEci(version: number, level: Level): number {
  const countBits = version < 10 ? 8 : 16;
  for (let letters = 1_500; ; letters -= 1) {
    const bits = 12 + 4 + countBits + 16 * letters;
    if (fitsBits(bits, version, level)) return letters;
  }
}

/** True if a version holds bits at a level, by the capacity of bytes that the library knows. */
function fitsBits(bits: number, version: number, level: Level): boolean {
  const bytes = Math.ceil((bits - 4 - (version < 10 ? 8 : 16)) / 8);
  if (bytes < 1) return true;
  try {
    create([{ data: Buffer.alloc(bytes, 0xff), mode: 'byte' }], {
      errorCorrectionLevel: level,
      version,
      maskPattern: 0,
    });
    return true;
  } catch {
    return false;
  }
}
