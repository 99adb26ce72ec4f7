import { expect } from 'chai';
import sharp from 'sharp';
import type { Format } from '../../src/qrcodes/render/design.ts';
import { DECODERS, type Printer, printed, toPixels } from '../support/decoders.ts';
import { aWorkspace, type World } from '../support/world.ts';
import { contentOf, payloadOf } from './contents.ts';

/*
 * Asks for codes at the sizes at which they are printed, renders them as printers of 300 and 600
 * dpi do, and reads what is on the paper.
 */

const DPI = [300, 600];
const FORMATS = ['pdf', 'eps', 'png', 'jpeg'] as const;
const MM_PER_INCH = 25.4;

/** Codes with a printed width in mm: labels, cards and leaflets; those with colors in four inks. */
const CODES: Record<string, { mm: number; fields: object; isBlack: boolean }> = {
  'a plain code on a label': { mm: 15, fields: {}, isBlack: true },
  'hexagons with a frame': {
    mm: 22,
    fields: { pattern: 'hexagons', frame: 'label-bottom' },
    isBlack: true,
  },
  'blue dots on cream': {
    mm: 18,
    fields: { pattern: 'dots', fgColor: '#1E3A8A', bgColor: '#FFF7E6' },
    isBlack: false,
  },
  'a gradient on a card': {
    mm: 25,
    fields: {
      pattern: 'rounded',
      fgGradient: {
        type: 'linear',
        angle: 45,
        stops: [
          { color: '#312E81', offset: 0 },
          { color: '#9D174D', offset: 1 },
        ],
      },
    },
    isBlack: false,
  },
};

/** Static codes with long contents. */
const CONTENTS = { vcard: 40, wifi: 30, swissqr: 46, epc: 30 } as const;

describe('a code of a printed size', function () {
  this.timeout(300_000);
  let world: World;

  before(async () => {
    world = await aWorkspace();
  });

  /** Reads a code of a width in mm from the paper of each printer, in each format. */
  async function expectRead(id: string, payload: string, mm: number, isBlack: boolean) {
    const expected = Buffer.from(payload);
    const failures: string[] = [];
    for (const dpi of DPI) {
      for (const format of FORMATS) {
        for (const device of isBlack ? (['png16m', 'pngmono'] as const) : (['png16m'] as const)) {
          const inks = isBlack || !isVector(format) ? {} : { colorSpace: 'cmyk' };
          const paper = await print(id, { format, sizeMm: mm, ...inks }, { dpi, device });
          const { width } = await sharp(paper).metadata();
          expect(width, `${format} at ${dpi} dpi`).to.be.closeTo((mm * dpi) / MM_PER_INCH, 1);
          const pixels = await toPixels(await onPaper(paper, dpi));
          for (const [decoder, decode] of Object.entries(DECODERS)) {
            const got = await decode(pixels);
            if (got?.equals(expected) === true) continue;
            failures.push(`${decoder}, ${format}, ${device}, ${dpi} dpi: ${got?.toString()}`);
          }
        }
      }
    }
    expect(failures).to.deep.equal([]);
  }

  async function print(id: string, query: { format: Format; sizeMm: number }, printer: Printer) {
    const { dpi } = printer;
    const { status, bytes } = await world.api.download(`/qrcodes/${id}/image`, { ...query, dpi });
    expect(status, bytes.toString('latin1').slice(0, 200)).to.equal(200);
    return printed(bytes, query.format, printer);
  }

  for (const [name, { mm, fields, isBlack }] of Object.entries(CODES)) {
    it(`is read at 300 and 600 dpi: ${name}, ${mm} mm`, async () => {
      const { body } = await world.api.post('/qrcodes', {
        type: 'url',
        url: 'https://example.com/menu',
        ...fields,
      });
      await expectRead(body.id, body.shortLink, mm, isBlack);
    });
  }

  for (const [type, mm] of Object.entries(CONTENTS)) {
    it(`is read at 300 and 600 dpi: ${type} with a long content, ${mm} mm`, async () => {
      const name = type as keyof typeof CONTENTS;
      const { body } = await world.api.post('/qrcodes', {
        type,
        static: true,
        [name]: contentOf(name, 'long'),
      });
      await expectRead(body.id, payloadOf(name, 'long'), mm, true);
    });
  }
});

const isVector = (format: Format): boolean => format === 'pdf' || format === 'eps';

/** Puts a print on white paper with a margin of 5 mm. */
function onPaper(print: Buffer, dpi: number): Promise<Buffer> {
  const margin = Math.round((5 * dpi) / MM_PER_INCH);
  const sides = { top: margin, right: margin, bottom: margin, left: margin };
  return sharp(print)
    .extend({ ...sides, background: '#FFFFFF' })
    .png()
    .toBuffer();
}
