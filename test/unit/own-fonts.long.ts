import { brotliCompressSync, constants, deflateSync } from 'node:zlib';
import { expect } from 'chai';
import { Refusal } from '../../src/errors.ts';
import { readFontBytes } from '../../src/qrcodes/fonts/read-font.ts';
import { lettersOf, parsedOutlines } from '../../src/qrcodes/render/letters.ts';
import { setLine } from '../../src/qrcodes/render/text.ts';
import {
  composites,
  NUNITO,
  openType,
  packagedFont,
  tablesOfNunito,
  trueType,
  woff,
} from '../support/fonts.ts';

/** Number of damaged files; each is read by a process of its own. */
const ROUNDS = 8;

const DAMAGED = 'must be a font whose file is not damaged';
const TOO_SLOW = 'must be a font that can be read within 5 s of processor time';
const TOO_LARGE = 'must be a font that can be read with less memory';

/** Resolves with the message of a Refusal, also while the machine has no processor time. */
async function refusal(bytes: Buffer): Promise<string> {
  for (;;) {
    try {
      const { outlines } = await readFontBytes(bytes);
      const text = Object.keys(outlines.glyphs).slice(0, 60).join('');
      const letters = lettersOf(outlines, text);
      const line = setLine(text, { family: 'font_1', weight: 400, letters });
      const path = line.path(0, 0, 100);
      expect(path).not.to.match(/NaN|Infinity/);
      expect(line.width + line.above + line.below).to.satisfy(Number.isFinite);
      expect(parsedOutlines(JSON.stringify(outlines))).to.deep.equal(outlines);
      return 'not refused';
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (error.code === 'unprocessable_entity') return error.message;
    }
  }
}

/** Random numbers below a limit, the same for a seed (xorshift). */
function randomOf(seed: number): (limit: number) => number {
  let state = seed | 1;
  return (limit) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % limit;
  };
}

describe('fonts of strangers', function () {
  this.timeout(900_000);

  it('whose letters refer to a billion points are refused', async () => {
    // Each glyph consists of ten of the next.
    const bomb = composites(tablesOfNunito(), 200, (glyph) =>
      Array.from({ length: 10 }, () => glyph + 1),
    );
    expect(await refusal(trueType(bomb))).to.be.oneOf([TOO_SLOW, TOO_LARGE, DAMAGED]);
  });

  it('that unpack to gigabytes are refused', async () => {
    const zeros = Buffer.alloc(256 * 1024 * 1024);
    const file = Buffer.from(packagedFont(NUNITO));
    const packed = brotliCompressSync(zeros, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } });
    // The compressed tables are the rest of the file, behind the directory.
    const start = file.length - file.readUInt32BE(20) - (file.length & 3);
    const bomb = Buffer.concat([file.subarray(0, start), packed]);
    bomb.writeUInt32BE(packed.length, 20);
    expect(bomb.length).to.be.below(1024 * 1024);
    expect(await refusal(bomb)).to.be.oneOf([DAMAGED, TOO_LARGE]);

    const tables = tablesOfNunito();
    expect(deflateSync(zeros).length).to.be.below(1024 * 1024);
    tables.set('glyf', zeros);
    expect(await refusal(woff(tables))).to.equal(DAMAGED);
    // The directory can claim less than the table has.
    expect(await refusal(woff(tables, { glyf: 10_000 }))).to.equal(DAMAGED);
  });

  it('that map a character map of four billion characters are refused', async () => {
    const tables = tablesOfNunito();
    const groups = 60_000;
    const cmap = Buffer.alloc(28 + groups * 12);
    // One table of format 12 for Unicode, whose groups all have all characters.
    cmap.writeUInt16BE(1, 2);
    cmap.writeUInt16BE(3, 4);
    cmap.writeUInt16BE(10, 6);
    cmap.writeUInt32BE(12, 8);
    cmap.writeUInt16BE(12, 12);
    cmap.writeUInt32BE(cmap.length - 12, 16);
    cmap.writeUInt32BE(groups, 24);
    for (let group = 0; group < groups; group += 1) {
      cmap.writeUInt32BE(0x10_ff_ff, 32 + group * 12);
      cmap.writeUInt32BE(1, 36 + group * 12);
    }
    tables.set('cmap', cmap);
    expect(await refusal(trueType(tables))).to.be.oneOf([TOO_SLOW, TOO_LARGE, DAMAGED]);
  });

  const seed = Number(process.env['FUZZ_SEED'] ?? Date.now() % 1_000_000);
  it(`that are damaged at random are read or refused (FUZZ_SEED=${seed})`, async () => {
    const random = randomOf(seed);
    const originals = [
      packagedFont(NUNITO),
      packagedFont('lora/files/lora-latin-400-normal.woff'),
      trueType(tablesOfNunito()),
      openType('Scan me'),
    ];
    let read = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const bytes = Buffer.from(originals[round % originals.length]!);
      // The beginning has the directory, where damages matter most.
      const reach = random(3) === 0 ? bytes.length : Math.min(bytes.length, 600);
      for (let change = 0; change <= random(8); change += 1) {
        bytes[4 + random(reach - 4)] = [0, 0xff, 0x7f, 0x80, random(256)][random(5)]!;
      }
      const file = random(6) === 0 ? bytes.subarray(0, random(bytes.length)) : bytes;
      const answer = await refusal(file);
      if (answer === 'not refused') read += 1;
      else expect(answer, `round ${round}`).to.match(/^must /);
    }
    expect(read).to.be.above(0);
  });
});
