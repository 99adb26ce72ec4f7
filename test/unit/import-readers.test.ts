import { expect } from 'chai';
import fc from 'fast-check';
import { Refusal } from '../../src/errors.ts';
import { type DateOrder, orderShown, readDate } from '../../src/imports/dates.ts';
import { FormatScan } from '../../src/imports/formats.ts';
import { type GroupSign, readNumber } from '../../src/imports/numbers.ts';
import { isDump, type SqlRow, sqlRows } from '../../src/imports/sql.ts';

const MONTHS =
  'January February March April May June July August September October November December';
const two = (number: number) => String(number).padStart(2, '0');
const instants = fc.date({
  min: new Date('1974-01-01T00:00:00Z'),
  max: new Date('2037-12-31T00:00:00Z'),
  noInvalidDate: true,
});
const orders = fc.constantFrom<DateOrder>('day', 'month');
const signs = fc.constantFrom<GroupSign>(',', '.');

/** Writes an instant, whole seconds only, as programs do. */
const FORMS: Record<string, (date: Date, order: DateOrder) => string> = {
  'ISO 8601': (date) => date.toISOString(),
  MySQL: (date) => date.toISOString().slice(0, 19).replace('T', ' '),
  Postgres: (date) => `${date.toISOString().slice(0, 19).replace('T', ' ')}+00`,
  Rails: (date) => `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`,
  'RFC 1123': (date) => date.toUTCString(),
  seconds: (date) => String(date.getTime() / 1_000),
  milliseconds: (date) => String(date.getTime()),
  'days of a spreadsheet': (date) => String(date.getTime() / 86_400_000 + 25_569),
  'a spreadsheet in German': (date) =>
    `${date.getUTCDate()}.${date.getUTCMonth() + 1}.${date.getUTCFullYear()} ${timeOf(date)}`,
  'a spreadsheet with slashes': (date, order) => {
    const [day, month] = [date.getUTCDate(), date.getUTCMonth() + 1];
    const both = order === 'day' ? `${day}/${month}` : `${month}/${day}`;
    return `${both}/${date.getUTCFullYear()} ${timeOf(date)}`;
  },
  'a browser in English': (date) => date.toLocaleString('en-US', { timeZone: 'UTC' }),
  'a list of names': (date) =>
    `${MONTHS.split(' ')[date.getUTCMonth()]} ${date.getUTCDate()}, ${date.getUTCFullYear()} ${timeOf(date)}`,
};
const timeOf = (date: Date): string =>
  `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())}`;

/** Texts of the characters that dates and numbers have, and others. */
const noise = fc.oneof(
  fc.string({
    unit: fc.constantFrom(...'0123456789/.,:-+ TZampGMTU()\u202f\u00a0’'.split('')),
    maxLength: 120,
  }),
  fc.string({ unit: 'binary', maxLength: 200 }),
);
/** Long repetitions, on which a pattern that backtracks would never end. */
const LONG = ['0', '1/', '1.', '1,234', ' ', '-', 'a', 'Thu ', '(', '1 '].map((part) =>
  part.repeat(500_000),
);

describe('readers of imports', () => {
  for (const [form, write] of Object.entries(FORMS)) {
    it(`read dates as written by ${form}`, () => {
      fc.assert(
        fc.property(instants, orders, (instant, order) => {
          const date = new Date(Math.floor(instant.getTime() / 1_000) * 1_000);
          const isEnglish = form === 'a browser in English';
          const read = readDate(write(date, order), isEnglish ? 'month' : order);
          expect(read).to.equal(date.toISOString());
        }),
      );
    });
  }

  it('read any text as a date, as none, or not at all', () => {
    fc.assert(
      fc.property(fc.oneof(noise, fc.constantFrom(...LONG)), orders, (text, order) => {
        const read = readDate(text, order);
        if (typeof read === 'string') expect(new Date(read).toISOString()).to.equal(read);
        else expect(read).to.be.oneOf([null, undefined]);
        expect(orderShown(text)).to.be.oneOf(['day', 'month', 'open', undefined]);
      }),
      { numRuns: 2_000 },
    );
  });

  it('refuse days that do not exist', () => {
    const wrongs = [
      '30/02/2024',
      '2024-02-30',
      '31 Apr 2024',
      '0/0/2024',
      '2024-13-01',
      '32.1.2024',
    ];
    for (const text of [
      ...wrongs,
      '8/15/2024 25:00',
      '8/15/2024 13:00 PM',
      '15 Mai 2024',
      '1E+12',
    ]) {
      expect(readDate(text, 'day'), text).to.equal(undefined);
    }
  });

  it('read numbers with separators of thousands', () => {
    fc.assert(
      fc.property(fc.nat({ max: 999_999_999 }), signs, (number, sign) => {
        const english = number.toLocaleString('en-US');
        const grouped = english.replaceAll(',', sign);
        const decimals = `${grouped}${sign === ',' ? '.' : ','}00`;
        for (const text of [String(number), grouped, decimals, english.replaceAll(',', '\u202f')]) {
          expect(readNumber(text, sign), text).to.equal(number);
        }
      }),
    );
  });

  it('read any text as a whole number, or not at all', () => {
    fc.assert(
      fc.property(fc.oneof(noise, fc.constantFrom(...LONG)), signs, (text, sign) => {
        const read = readNumber(text, sign);
        expect(read === undefined || (Number.isSafeInteger(read) && read >= 0)).to.equal(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('decide by the whole column, then by the file, then by its delimiter', () => {
    const formatsOf = (rows: string[][], delimiter: string) => {
      const scan = new FormatScan(rows[0]!.length);
      for (const row of rows) scan.add(row);
      return scan.formats(delimiter);
    };
    expect(
      formatsOf(
        [
          ['8/9/2024', '8/15/2024'],
          ['', '1'],
        ],
        ',',
      ),
    ).to.deep.equal([
      { dates: 'month', doubt: undefined },
      { dates: 'month', doubt: undefined },
    ]);
    expect(formatsOf([['8/9/2024']], ';')).to.deep.equal([{ dates: 'day', doubt: 'guess' }]);
    expect(formatsOf([['12.500'], ['3.5'], ['7.25']], ',')).to.deep.equal([{ numbers: ',' }]);
    expect(formatsOf([['12.500'], ['3']], ',')).to.deep.equal([{ numbers: '.' }]);
    expect(formatsOf([LONG, LONG], ',')).to.deep.equal(LONG.map(() => ({})));
  });

  /** Splits a text into parts at random places. */
  async function* inParts(text: string, lengths: readonly number[]) {
    let at = 0;
    for (let n = 0; at < text.length; n += 1) {
      const length = lengths[n % lengths.length] ?? text.length;
      yield text.slice(at, at + length);
      at += length;
    }
  }

  async function rowsIn(text: string, lengths: readonly number[] = [text.length]) {
    const rows: SqlRow[] = [];
    for await (const row of sqlRows(inParts(text, lengths))) rows.push(row);
    return rows;
  }

  const quote = (value: string) =>
    `'${value.replaceAll('\\', '\\\\').replaceAll("'", "''").replaceAll('\n', '\\n')}'`;

  it('read the rows of dumps, wherever their parts end', async () => {
    const values = fc.array(
      fc.array(fc.string({ unit: 'binary' }), { minLength: 2, maxLength: 2 }),
      {
        minLength: 1,
        maxLength: 5,
      },
    );
    const lengths = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(values, lengths, async (rows, parts) => {
        const tuples = rows.map((row) => `(${row.map(quote).join(', ')})`).join(',\n');
        const dump = `-- a "dump'\n/* ; ' */ INSERT INTO \`db\`.\`t\` (\`a\`, b) VALUES\n${tuples};\nSELECT 1;`;
        expect(await rowsIn(dump, parts)).to.deep.equal(
          rows.map((row) => ({ columns: ['a', 'b'], values: row })),
        );
      }),
    );
  });

  it('end with every dump, or refuse it', async () => {
    const parts = [
      'INSERT INTO t (a) VALUES ',
      '(',
      ')',
      ',',
      "'",
      '"',
      '`',
      '\\',
      ';',
      '--',
      '/*',
      '*/',
      '\n',
      'CREATE TABLE t (',
      'a',
      '0x61',
      '#',
      ' ',
    ];
    const texts = fc.array(fc.constantFrom(...parts), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(texts, async (tokens) => {
        try {
          for (const { values } of await rowsIn(tokens.join(''), [7])) {
            expect(values.length).to.be.at.most(1_000);
          }
        } catch (thrown) {
          expect(thrown).to.be.instanceOf(Refusal);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('refuse a text of a dump without an end, and take one of many escapes', async () => {
    const head = 'INSERT INTO `t` (`a`) VALUES (';
    const long = `${head}'${'\\\\'.repeat(900_000)}');`;
    const [row] = await rowsIn(long, [65_536]);
    expect(row!.values[0]).to.have.lengthOf(900_000);
    const endless = await rowsIn(`${head}'${'x'.repeat(3_000_000)}`, [65_536]).catch(
      (error) => error,
    );
    expect(endless.message).to.match(
      /^The file must not have texts longer than 2097152 characters/,
    );
    const values = await rowsIn(`${head}${'1,'.repeat(1_000_000)}1);`, [65_536]);
    expect(values[0]!.values).to.have.lengthOf(1_000);
  });

  it('tell dumps from CSV', () => {
    for (const text of [
      '-- phpMyAdmin SQL Dump\n',
      '/*!40101 SET x */;\nCREATE TABLE `a` (',
      'INSERT INTO `a` VALUES (1);',
    ]) {
      expect(isDump(text), text).to.equal(true);
    }
    for (const text of ['url,key\n', 'use count,url\n', '#,url\n1,https://a.test\n', '--,url\n']) {
      expect(isDump(text), text).to.equal(false);
    }
  });
});
