import { expect } from 'chai';
import fc from 'fast-check';
import { faultsOfCatalogs, faultsOfSources } from '#texts/catalogs';
import { textsOf, withLookups } from '#texts/extract';
import { type Entry, faultsOf, LANGUAGES, readPo, writePo } from '#texts/po';

/** Returns the texts of a source, those with a plural as both forms. */
const found = (source: string): string[] =>
  textsOf('src/console/a.tsx', source).messages.map(({ text, plural }) =>
    plural === undefined ? text : `${text} | ${plural}`,
  );

const replaced = (source: string): string =>
  withLookups('src/console/app/a.tsx', source, 'src/console/languages/texts.ts');

describe('texts of the console', () => {
  const texts: [kind: string, source: string, messages: string[]][] = [
    ['text in an element', '<p>Save <b>now</b></p>', ['Save <0>now</0>']],
    ['text over lines', '<p>\n  One\n  two\n</p>', ['One two']],
    ['values in a sentence', '<p>{done} of {total}</p>', ['{0} of {1}']],
    ['spaces at the edges', "<p>{' '}of {n}</p>", ['of {0}']],
    ['an icon before a text', '<b><Plus aria-hidden /> Add</b>', ['Add']],
    ['an element that is a value', '<p>Since <Time at={at} /></p>', ['Since {0}']],
    ['a choice in an element', "<b>{isOn ? 'on' : 'off'}</b>", ['on', 'off']],
    ['attributes', '<A label="url" title="Close it" />', ['url', 'Close it']],
    ['templates', 'const a = `Delete “${name}”?`;', ['Delete “{0}”?']],
    ['a small word of a template', 'const a = `${name} created`;', ['{0} created']],
    ['a table', "const NAMES = { a: 'is', b: 'A thing' };", ['is', 'A thing']],
    ['labels of options', "const a = { options: [['de', 'German']] };", ['German']],
    ['strings in several lines', "const a = 'One ' + 'sentence.';", ['One sentence.']],
    [
      'both forms of a count',
      "const a = n === 1 ? 'a link' : `${n} links`;",
      ['a link | {0} links'],
    ],
    ['a count with a noun', "countOf(n, 'QR code')", ['{0} QR code | {0} QR codes']],
    ['a marked text', "const a = /* text */ 'small';", ['small']],
    [
      'a count with one of two nouns',
      "countOf(n, a ? 'row' : 'link')",
      ['{0} row | {0} rows', '{0} link | {0} links'],
    ],
    ['the label of a value that is equal', "const a = ['Unknown', 'Unknown'];", ['Unknown']],
  ];
  for (const [kind, source, messages] of texts) {
    it(`are found: ${kind}`, () => expect(found(source)).to.deep.equal(messages));
  }

  const values: [kind: string, source: string][] = [
    ['class names', '<p className="Foo flex" /> ; classes("A b", x); const a = "grid gap-2 p-4";'],
    ['values of attributes', '<A type="Button" to="/$a/links" id="Main part" data-key="A b" />'],
    ['compared strings', "a === 'Some text'; switch (a) { case 'Enter it': }"],
    ['keys of objects', "const a = { 'Some text': 1 }; a['Some text'];"],
    ['types and modules', "type A = 'Some text'; import b from 'A b'; export * from 'A b';"],
    [
      'URLs, paths and headers',
      "const a = ['https://a.example', '/a/b', 'Content-Type', 'a@b.c'];",
    ],
    ['keys of the keyboard', "const a = ['ArrowUp', 'Escape'];"],
    ['errors for developers', "throw new Error('Nobody is signed in');"],
    ['keys of queries', "const a = { queryKey: keys.links.list('Own visits', b) };"],
    ['values of options', "const a = { options: [['Some value', 'A label']] };"],
    ['SVG and selectors', "const a = ['M3 4v5z', '<path d=\"\"/>', 'input:not([type=a], b)'];"],
    ['marked values', "const a = /* value */ { a: 'Some text', b: { c: 'Other text' } };"],
  ];
  for (const [kind, source] of values) {
    it(`are not: ${kind}`, () => {
      expect(found(source).filter((text) => text !== 'A label')).to.deep.equal([]);
    });
  }

  it('are looked up where they were, in the same lines', () => {
    expect(replaced('<p>\n  Open <b\n className={x}>{n}</b> of {m}.\n</p>;\nnext();')).to.equal(
      "import { rich as __rich } from '../languages/texts.ts'; " +
        '<p>{__rich("Open {0} of {1}.", [<b\n className={x}>{n}</b>, m], [])}\n\n</p>;\nnext();',
    );
    expect(replaced("<A label='Save' hint={`at ${b}% `} />")).to.equal(
      `import { t as __t } from '../languages/texts.ts'; <A label={__t("Save")} hint={(__t("at {0}%", b) + " ")} />`,
    );
    expect(replaced("n === 1 ? 'one row' : `${n} rows`;")).to.equal(
      `import { plural as __plural } from '../languages/texts.ts'; (__plural(n, "one row", "{0} rows", n));`,
    );
    expect(
      replaced('a.toLocaleString(); new Intl.NumberFormat("en", b); x.localeCompare(y);'),
    ).to.equal(
      "import { fixedLocale as __fixedLocale, locale as __locale } from '../languages/texts.ts'; " +
        'a.toLocaleString(__locale); new Intl.NumberFormat(__fixedLocale, b); x.localeCompare(y, __locale);',
    );
  });

  it('leave a file without texts as it is', () => {
    const source = 'export const a = 1;';
    expect(replaced(source)).to.equal(source);
  });
});

describe('sources of the console', () => {
  const wrong: [fault: string, source: string, about: string][] = [
    ['compares a label', "const a = { label: 'none' }; a.label === 'none';", '"none" is compared'],
    [
      'looks a label up',
      "const a = { label: 'none' }; ['none'].includes(b);",
      '"none" is compared',
    ],
    [
      'chooses by a label',
      "const a = <A label='none' />; switch (c) { case 'none': }",
      '"none" is compared',
    ],
    ['has an option without a value', '<p>\n<option>home</option></p>', 'line 2: an option needs'],
    ['counts with a noun of elsewhere', 'countOf(n, kind.noun)', 'line 1: countOf needs'],
  ];
  for (const [fault, source, about] of wrong) {
    it(`are refused if one ${fault}`, () => {
      const faults = faultsOfSources([['a.tsx', source]]);
      expect(faults).to.have.length(1);
      expect(faults[0]).to.include(`a.tsx: ${about}`);
    });
  }

  it('are refused if one compares the label of another file', () => {
    const sources: [file: string, source: string][] = [
      ['a.ts', "export const a = { title: 'Places' };"],
      ['b.ts', "a.title === 'Places';"],
    ];
    expect(faultsOfSources(sources)).to.have.length(1);
  });

  it('have options with values, and compare no text', () => {
    expect(faultsOfSources()).to.deep.equal([]);
  });
});

describe('catalogs of the console', () => {
  it('have a translation of every text of the source, and no other', () => {
    expect(faultsOfCatalogs({ isComplete: true })).to.deep.equal([]);
  });

  it('keep any text when they are written and read', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1 });
    const entry = fc.record({ text, form: text, plural: fc.option(text) });
    fc.assert(
      fc.property(fc.uniqueArray(entry, { selector: (one) => one.text }), (rows) => {
        for (const language of LANGUAGES) {
          const entries = rows.map(({ text: id, form, plural }): Entry => {
            const forms = plural === null || language === 'ja' ? [form] : [form, id];
            return { text: id, ...(plural !== null && { plural }), forms, files: ['a'], names: [] };
          });
          const read = [...readPo(writePo(language, entries)).values()];
          expect(read).to.deep.equal(entries.map(({ files: _, names: __, ...one }) => one));
        }
      }),
    );
  });

  it('are refused with a text twice, or a line that is no entry', () => {
    expect(() => readPo('msgid "a"\nmsgstr ""\n\nmsgid "a"\nmsgstr ""\n')).to.throw(/twice/);
    expect(() => readPo('msgid "a"\nmsgstr a\n')).to.throw(/line 2/);
  });

  const wrong: [fault: string, entry: Pick<Entry, 'text' | 'plural' | 'forms'>][] = [
    ['lacks a translation', { text: 'a', forms: [''] }],
    ['lacks a plural form', { text: 'a', plural: 'b', forms: ['a'] }],
    ['has a plural form too many', { text: 'a', forms: ['a', 'b'] }],
    ['has the places {0}, its translation {1}', { text: 'a {0}', forms: ['a {1}'] }],
    ['has the places $1, its translation (none)', { text: 'a $1', forms: ['a'] }],
    ['has the places {0}', { text: 'a', plural: '{0} b', forms: ['a', 'b'] }],
    ['has an element that is not closed', { text: '<0>a</0>', forms: ['</0>a<0>'] }],
    ['is translated with a space', { text: 'a', forms: ['a '] }],
  ];
  for (const [fault, entry] of wrong) {
    it(`are refused if a text ${fault}`, () => {
      expect(faultsOf('de', [entry], { isComplete: true }).join()).to.include(fault);
    });
  }

  it('may say a count of one as a word', () => {
    const entry = { text: '{0} link', plural: '{0} links', forms: ['ein Link', '{0} Links'] };
    expect(faultsOf('de', [entry], { isComplete: true })).to.deep.equal([]);
  });
});
