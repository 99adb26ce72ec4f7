import { expect } from 'chai';
import fc from 'fast-check';
import { fileOf, MOST_ROWS, type Row, readRows } from '../../src/console/links/batch/rows.ts';
import { csvLines } from '../../src/infra/csv.ts';

type Shown = Pick<Row, 'url' | 'key' | 'title'>;
const A = 'https://example.com/a';

/** Reads rows, without their ids and further fields. */
function read(text: string): Shown[] | string {
  const sheet = readRows(text, []);
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
    const sheet = readRows(`url,tags,Cost center,domain\n${A},"a,b",7,go.example.com`, []);
    if ('fault' in sheet) throw new Error(sheet.fault);
    expect(sheet.ignored).to.deep.equal(['Cost center']);
    expect(sheet.rows[0]!.others).to.deep.equal({ tagNames: 'a,b', domain: 'go.example.com' });
    expect(fileOf(sheet.rows, ({ url }) => `${url}?utm_term=x`)).to.deep.equal({
      file: `url,key,title,domain,tagNames\r\n${A}?utm_term=x,,,go.example.com,"a,b"\r\n`,
      mapping: { url: 'url', key: 'key', title: 'title', domain: 'domain', tagNames: 'tagNames' },
    });
  });

  /** Reads the only row of a text in a workspace with two domains. */
  const only = (text: string): Row => {
    const sheet = readRows(text, ['go.example.com', 'xn--bcher-kva.example']);
    if ('fault' in sheet) throw new Error(sheet.fault);
    expect(sheet.rows).to.have.length(1);
    return sheet.rows[0]!;
  };

  const places: [shortLink: string, key: string, domain: string | undefined][] = [
    ['https://go.example.com/a/b', 'a/b', 'go.example.com'],
    ['HTTP://GO.example.com:8080/a', 'a', 'go.example.com'],
    ['go.example.com/a', 'a', 'go.example.com'],
    ['https://bücher.example/a', 'a', 'xn--bcher-kva.example'],
    ['https://other.example/a', 'a', undefined],
    ['other.example/a', 'other.example/a', undefined],
    ['go.example.com', 'go.example.com', undefined],
    ['/a', 'a', undefined],
  ];
  for (const [shortLink, key, domain] of places) {
    it(`keep the domain of a short link that the workspace has: ${shortLink}`, () => {
      for (const header of ['slug', 'short link']) {
        const { key: found, others } = only(`url,${header}\n${A},${shortLink}`);
        expect([found, others.domain], header).to.deep.equal([key, domain]);
      }
    });
  }

  it('keep the domain of its own column', () => {
    const text = `url,short link,domain\n${A},https://go.example.com/a,own.example`;
    expect(only(text)).to.deep.include({ key: 'a', others: { domain: 'own.example' } });
  });

  it('have the UTM parameters of columns in their destinations', () => {
    const header = 'url,utm_source,utm medium,comments';
    expect(only(`${header}\n${A}?utm_source=old&utm_term=t&x=1#y,"New, one",,n`)).to.deep.include({
      url: `${A}?x=1&utm_source=New%2C%20one&utm_term=t#y`,
      others: { comments: 'n' },
    });
    expect(only(`${header}\nexample.com/b,,mail,`)).to.deep.include({
      url: 'example.com/b?utm_medium=mail',
      others: {},
    });
    // Text before the URL can be edited in the table.
    expect(only(`${header},slug\n,x,,,a\n,y,,,`)).to.include({ url: '?utm_source=x', key: 'a' });
    expect(only(`${header}\nmailto:a@example.com,x,,`)).to.deep.include({
      url: 'mailto:a@example.com',
      others: { utm_source: 'x' },
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
