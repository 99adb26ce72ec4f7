import { expect } from 'chai';
import fc from 'fast-check';
import { BOM, csvLines, guarded, unguarded } from '../../src/infra/csv.ts';
import {
  hasLibreOffice,
  hasPython,
  readByLibreOffice,
  readByPython,
} from '../support/csv-readers.ts';

const FORMULA = "=cmd|'/c calc'!A1";

/** Texts that CSV readers are known to misread. */
const HOSTILE = [
  FORMULA,
  ...['\n', '\r', '\r\n', '\n\n', '\r\r'].flatMap((end) => [
    `a${end}${FORMULA}`,
    `a${end}b`,
    `${end}a`,
  ]),
  '+1 and -1',
  '-1+1',
  '@SUM(A1)',
  '\t=1+1',
  '\uff1d1+1',
  'a,b;c\td',
  'a "quoted" text',
  '"',
  "'=1 is what others wrote",
  "''",
  ' =1+1',
  'größe 🎉',
];

const CHARACTERS = [
  '=',
  '+',
  '-',
  '@',
  '\t',
  '\r',
  '\n',
  '"',
  ',',
  ';',
  "'",
  ' ',
  'a',
  '\uff1d',
  '\u2028',
];

/** Texts of special characters, and arbitrary ones. */
const text = fc.oneof(
  fc.string({ unit: fc.constantFrom(...CHARACTERS), maxLength: 12 }),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
);

describe('CSV', () => {
  it('has no line that a spreadsheet would take for a formula, and gives every text back', () => {
    fc.assert(
      fc.property(text, (value) => {
        const safe = guarded(value);
        for (const line of safe.split(/[\r\n]/))
          expect(line).not.to.match(/^[=+\-@\t\uff0b\uff0d\uff1d\uff20]/);
        expect(unguarded(safe)).to.equal(value);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is read by Python as it was written', function () {
    if (!hasPython) this.skip();
    const cells = fc.sample(fc.oneof(text, fc.integer(), fc.double({ noNaN: true })), 3_000);
    // Readers skip an empty line, so each row has other cells.
    const rows = [...HOSTILE, ...cells].map((cell, n) => [n, cell, 'end']);
    const expected = rows.map((row) =>
      row.map((cell) => (typeof cell === 'number' ? `${cell}` : guarded(cell))),
    );
    expect(readByPython(BOM + csvLines(rows))).to.deep.equal(expected);
  });

  it('is read by LibreOffice as it was written, and without formulas', function () {
    if (!hasLibreOffice || !hasPython) this.skip();
    const rows = HOSTILE.map((cell) => ['begin', cell, 'end']);
    // LibreOffice keeps line feeds only.
    const lines = (cell: string) => guarded(cell).replaceAll(/\r\n?/g, '\n');
    const read = readByLibreOffice(BOM + csvLines(rows));
    expect(read).to.deep.equal(HOSTILE.map((cell) => ['begin', lines(cell), 'end']));
  });
});
