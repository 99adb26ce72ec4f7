import { expect } from 'chai';
import fc from 'fast-check';
import { fileOf, MOST_ROWS, type Row, readRows } from '../../src/console/links/batch/rows.ts';
import { csvLines } from '../../src/infra/csv.ts';

type Shown = Pick<Row, 'url' | 'key' | 'title'>;
const A = 'https://example.com/a';

/** Reads rows, without their ids and further fields. */
function read(text: string): Shown[] | string {
  const sheet = readRows(text);
  return 'fault' in sheet
    ? sheet.fault
    : sheet.rows.map(({ url, key, title }) => ({ url, key, title }));
}

const row = (url: string, key = '', title = ''): Shown => ({ url, key, title });

describe('rows read from pasted text', () => {
  const texts: [name: string, text: string, rows: Shown[]][] = [
    ['lines of URLs', `${A}\r\n\r\n  example.com/b \n`, [row(A), row('example.com/b')]],
    ['URLs with spaces between', `${A} ${A}2`, [row(A), row(`${A}2`)]],
    ['URLs with commas', `${A},1?x=1,2\n${A},2`, [row(`${A},1?x=1,2`), row(`${A},2`)]],
    ['one URL with a comma', `${A},spring`, [row(`${A},spring`)]],
    ['URLs and slugs', `${A},one\n${A}2,two`, [row(A, 'one'), row(`${A}2`, 'two')]],
    ['a column of a sheet with a header', `Destination URL\n${A}\n${A}2`, [row(A), row(`${A}2`)]],
    [
      'columns of a sheet',
      `Slug\tURL\tName\none\t${A}\tFirst, best\n\t${A}2\t`,
      [row(A, 'one', 'First, best'), row(`${A}2`)],
    ],
    [
      'rows of a sheet without a header',
      `${A}\tone\tFirst\nexample.com/b\ttwo\tSecond`,
      [row(A, 'one', 'First'), row('example.com/b', 'two', 'Second')],
    ],
    ['quoted cells with line breaks', `url;title\n${A};"two\nlines"`, [row(A, '', 'two\nlines')]],
    [
      'whole short links in the column of slugs',
      `url,short_link\n${A},https://go.example.com/x/y`,
      [row(A, 'x/y')],
    ],
    ['guarded formulas', `url,title\n${A},'=1+1`, [row(A, '', '=1+1')]],
    ['text that is no URL', 'nonsense', [row('nonsense')]],
  ];
  for (const [name, text, rows] of texts) {
    it(`are those of ${name}`, () => expect(read(text)).to.deep.equal(rows));
  }

  it('have further columns, and name those that are left out', () => {
    const sheet = readRows(`url,tags,Cost center,domain\n${A},"a,b",7,go.example.com`);
    if ('fault' in sheet) throw new Error(sheet.fault);
    expect(sheet.ignored).to.deep.equal(['Cost center']);
    expect(sheet.rows[0]!.others).to.deep.equal({ tagNames: 'a,b', domain: 'go.example.com' });
    expect(fileOf(sheet.rows, ({ url }) => `${url}?utm_term=x`)).to.deep.equal({
      file: `url,key,title,domain,tagNames\r\n${A}?utm_term=x,,,go.example.com,"a,b"\r\n`,
      mapping: { url: 'url', key: 'key', title: 'title', domain: 'domain', tagNames: 'tagNames' },
    });
  });

  it('are refused with a reason', () => {
    expect(read('')).to.equal('Paste at least one URL.');
    expect(read('url\n')).to.equal('Paste at least one URL.');
    expect(read('slug,title\na,b')).to.match(/^Name the column with the destinations “url”/);
    expect(read('url,title\n"open')).to.match(/^This isn’t a valid CSV file\. /);
    expect(read(`${A}\n`.repeat(MOST_ROWS + 1))).to.match(/^The table takes 500 rows\./);
    expect(read(`${A}\n`.repeat(MOST_ROWS))).to.have.length(MOST_ROWS);
  });

  const word = fc.stringMatching(/^[\w-]{1,12}$/);
  const anyRow = fc.record({
    url: word.map((name) => `https://example.com/${name}`),
    key: fc.oneof(fc.constant(''), word),
    title: fc.string({ unit: 'grapheme', maxLength: 20 }).map((text) => text.trim()),
  });

  it('are those of any sheet with a header', () => {
    fc.assert(
      fc.property(fc.array(anyRow, { minLength: 1, maxLength: 20 }), (rows) => {
        const cells = rows.map(({ url, key, title }) => [url, key, title]);
        const text = csvLines([['url', 'key', 'title'], ...cells]);
        expect(read(text)).to.deep.equal(rows);
      }),
    );
  });

  it('survive the file of the import', () => {
    fc.assert(
      fc.property(fc.array(anyRow, { minLength: 1, maxLength: 20 }), (rows) => {
        const full = rows.map((one, id) => ({ ...one, id, others: {} }));
        expect(read(fileOf(full, ({ url }) => url).file)).to.deep.equal(rows);
      }),
    );
  });

  it('are trimmed rows or a reason for any text', () => {
    const unit = fc.constantFrom(...' \t\n\r,;"\'=\ufeff'.split(''), 'a', 'url', A, 'key');
    const anyText = fc.oneof(fc.string({ unit }), fc.string({ unit: 'binary' }));
    fc.assert(
      fc.property(anyText, (text) => {
        const rows = read(text);
        if (typeof rows === 'string') {
          expect(rows).to.match(/\.$/);
          return;
        }
        for (const { url, key, title } of rows) {
          expect(url + key + title).not.to.equal('');
          expect([url.trim(), key.trim(), title.trim()]).to.deep.equal([url, key, title]);
        }
        expect(rows.length).to.be.within(1, MOST_ROWS);
      }),
    );
  });
});
