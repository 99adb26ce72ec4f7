import { expect } from 'chai';
import { Refusal } from '../../src/errors.ts';
import { readFontBytes } from '../../src/qrcodes/fonts/read-font.ts';
import { type Design, defaultDesign } from '../../src/qrcodes/render/design.ts';
import { commandsOf, type FontOutlines, lettersOf } from '../../src/qrcodes/render/letters.ts';
import { drawPicture } from '../../src/qrcodes/render/picture.ts';
import { missingCharacter, setLine } from '../../src/qrcodes/render/text.ts';
import { DECODERS, toPixels } from '../support/decoders.ts';
import {
  composites,
  NUNITO,
  openType,
  packagedFont,
  tablesOfNunito,
  trueType,
  withRights,
  woff,
} from '../support/fonts.ts';

const PAYLOAD = 'https://sho.rt/launch26';
const DAMAGED = 'must be a font whose file is not damaged';

const outlinesIn = async (bytes: Buffer): Promise<FontOutlines> =>
  (await readFontBytes(bytes)).outlines;

/** Resolves with the message of a Refusal. */
async function refusal(bytes: Buffer): Promise<string> {
  try {
    const { name } = await readFontBytes(bytes);
    return `not refused: ${name}`;
  } catch (error) {
    expect(error).to.be.instanceOf(Refusal).with.property('code', 'unprocessable_entity');
    return (error as Refusal).message;
  }
}

/** The least and greatest coordinates of a path. */
function cornersOf(path: string): number[] {
  const numbers = path.match(/-?[\d.]+/g)!.map(Number);
  return [0, 1].flatMap((axis) => {
    const along = numbers.filter((_, at) => at % 2 === axis);
    return [Math.min(...along), Math.max(...along)];
  });
}

const inFont = (outlines: FontOutlines, text: string) => ({
  family: 'font_1',
  weight: 600,
  letters: lettersOf(outlines, text),
});

describe('fonts of workspaces', () => {
  let nunito: FontOutlines;
  before(async () => {
    nunito = await outlinesIn(packagedFont(NUNITO));
  });

  it('draw a text as the same font of the service does', () => {
    for (const text of ['SCAN ME', 'To AVA, Wäré', 'fi 10 % off!']) {
      const own = setLine(text, inFont(nunito, text));
      const built = setLine(text, { family: 'Nunito', weight: 700 });
      expect(own.width, text).to.be.closeTo(built.width, 0.01);
      expect(own.capHeight, text).to.be.closeTo(built.capHeight, 0.001);
      expect(own.above, text).to.equal(built.above);
      expect(own.below, text).to.equal(built.below);
      const [a, b] = [own, built].map((line) => cornersOf(line.path(0, 0, 1_000)));
      for (const [at, corner] of a!.entries()) {
        expect(corner, `${text} ${at}`).to.be.closeTo(b![at]!, 3);
      }
    }
  });

  it('are the same in WOFF2, WOFF and TrueType files', async () => {
    const tables = tablesOfNunito();
    const plain = await outlinesIn(trueType(tables));
    expect(await outlinesIn(woff(tables))).to.deep.equal(plain);
    // The packaged WOFF2 file has other points.
    const widths = ({ glyphs }: FontOutlines) => Object.entries(glyphs).map(([a, [b]]) => [a, b]);
    expect(widths(nunito)).to.deep.equal(widths(plain));
    expect(nunito.kerning).to.deep.equal(plain.kerning);
  });

  it('can have cubic curves, and no space, capitals or kerning', async () => {
    const { name, outlines } = await readFontBytes(openType('abc'));
    expect(name).to.equal('Blocks Regular');
    expect(outlines.glyphs['a']![1]).to.match(/^M50 0L450 0C450 300 400 700 250 700C/);
    expect(outlines.glyphs[' ']).to.deep.equal([250, '']);
    expect(outlines.kerning).to.deep.equal({});
    const styles = inFont(outlines, 'ab c');
    expect(setLine('ab c', styles).width).to.equal(1.75);
    expect(missingCharacter('ab c', styles)).to.equal(undefined);
    expect(missingCharacter('ab d', styles)).to.equal('d');
  });

  it('leave letters of other scripts to the fonts of the service', () => {
    const text = 'Menü قائمة 菜单';
    const styles = inFont(nunito, text);
    expect(missingCharacter(text, styles)).to.equal(undefined);
    const rest = setLine('قائمة 菜单', { family: 'Nunito', weight: 600 });
    expect(setLine(text, styles).width).to.be.above(rest.width + 1);
  });

  it('take the default of a variable font', async () => {
    const file = 'noto-sans-kr/files/noto-sans-kr-119-wght-normal.woff2';
    const { name, outlines } = await readFontBytes(packagedFont(file, '@fontsource-variable'));
    expect(name).to.match(/^Noto Sans KR/);
    expect(Object.keys(outlines.glyphs)).to.have.length.above(20);
  });

  it('are drawn in every format, and the codes are read', async () => {
    const text = 'Scan me, Ävä';
    const framed: Design = {
      ...defaultDesign(),
      frame: 'label-bottom',
      frameText: text,
      frameTextStyles: { ...inFont(nunito, text), size: null },
    };
    const pixels = await toPixels(await drawPicture(PAYLOAD, framed, 'png'));
    for (const [name, decode] of Object.entries(DECODERS)) {
      expect((await decode(pixels))?.toString(), name).to.equal(PAYLOAD);
    }
    const inter = { ...framed, frameTextStyles: defaultDesign().frameTextStyles };
    for (const format of ['svg', 'pdf', 'eps'] as const) {
      const own = await drawPicture(PAYLOAD, framed, format);
      expect(own.equals(await drawPicture(PAYLOAD, inter, format)), format).to.equal(false);
      expect(own.toString('latin1'), format).not.to.match(/<text|\/Font\b|findfont/);
    }
  });

  it('keep letters that reach far out of their places within the label', () => {
    const tall: FontOutlines = {
      unitsPerEm: 1_000,
      capHeight: 700,
      glyphs: { A: [500, 'M-2000 -3000L2500 -3000L2500 4000L-2000 4000Z'] },
      kerning: {},
    };
    const line = setLine('A', inFont(tall, 'A'));
    expect(line.above).to.be.closeTo(3.7, 0.001);
    expect(line.below).to.be.closeTo(2.7, 0.001);
    expect(line.width).to.be.closeTo(0.5 + 1.7 + 1.7, 0.001);
    expect(line.path(0, 0, 1_000)).to.match(/^M-300 /);
  });

  it('refuse outlines that are none', () => {
    for (const path of ['M1', 'M1 2 3', 'L1 x', 'A1 2', 'Z1', 'M 1 2']) {
      expect(() => commandsOf(path), path).to.throw('is no command of an outline');
    }
    expect(commandsOf('M1 2L3 -4Z')).to.have.lengthOf(3);
  });

  describe('are refused', () => {
    it('if the file is no font, or one of a kind that is not read', async () => {
      const kinds = 'must be a font (WOFF2, WOFF, TTF or OTF)';
      for (const bytes of ['', 'wOF', '\x89PNG\r\n\x1a\n', 'ttcf\0\x01\0\0', '%!PS-AdobeFont']) {
        expect(await refusal(Buffer.from(bytes, 'latin1')), bytes).to.equal(kinds);
      }
    });

    it('if the file is larger than 1 MiB', async () => {
      const bytes = Buffer.concat([packagedFont(NUNITO), Buffer.alloc(1024 * 1024)]);
      expect(await refusal(bytes)).to.equal('must not be larger than 1 MiB');
    });

    it('if the file is cut off', async () => {
      const file = packagedFont(NUNITO);
      for (const length of [4, 12, 48, 200, file.length >> 1]) {
        expect(await refusal(file.subarray(0, length)), String(length)).to.equal(DAMAGED);
      }
    });

    it('if tables claim to be huge or lie outside of the file', async () => {
      const tables = tablesOfNunito();
      expect(await refusal(woff(tables, { glyf: 0x7fffffff }))).to.equal(DAMAGED);
      const file = trueType(tables);
      for (let row = 12; row < 12 + tables.size * 16; row += 16) {
        file.writeUInt32BE(0xfffffff0, row + 8);
        file.writeUInt32BE(0xffffffff, row + 12);
      }
      expect(await refusal(file)).to.equal(DAMAGED);
    });

    it('if a letter consists of itself', async () => {
      const tables = composites(tablesOfNunito(), 200, (glyph) => [glyph]);
      expect(await refusal(trueType(tables))).to.equal(DAMAGED);
    });

    it('if no letter has an outline, or all need shaping', async () => {
      const empty = composites(tablesOfNunito(), 0, () => []);
      const none = 'must have outlines for letters that are drawn one by one';
      expect(await refusal(trueType(empty))).to.equal(none);
      const arabic = 'noto-sans-arabic/files/noto-sans-arabic-arabic-400-normal.woff2';
      expect(await refusal(packagedFont(arabic))).to.equal(none);
    });

    it('if their license forbids to embed outlines', async () => {
      const rights = 'must be a font whose license lets files embed its outlines (OS/2.fsType)';
      for (const fsType of [0x0002, 0x0200, 0x0204]) {
        expect(await refusal(trueType(withRights(tablesOfNunito(), fsType)))).to.equal(rights);
      }
      // Preview and print, editable, and several rights, of which the widest counts.
      for (const fsType of [0x0004, 0x0008, 0x0006, 0x0100]) {
        const { name } = await readFontBytes(trueType(withRights(tablesOfNunito(), fsType)));
        expect(name).to.match(/^Nunito/);
      }
    });
  });
});
