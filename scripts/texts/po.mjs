// Reads and writes catalogs in the PO format of gettext.

/**
 * @typedef {object} Entry
 * @property {string} text the English text
 * @property {string} [plural] the English text for other counts than one
 * @property {string[]} forms translations; empty ones are missing
 * @property {string[]} [files] files that have the text
 * @property {string[]} [names] expressions of the values
 */

/** Plural rules in the syntax of gettext, for editors; the console itself asks `Intl.PluralRules`. */
const PLURAL_FORMS = {
  de: 'nplurals=2; plural=(n != 1);',
  es: 'nplurals=2; plural=(n != 1);',
  fr: 'nplurals=2; plural=(n > 1);',
  ja: 'nplurals=1; plural=0;',
  pt: 'nplurals=2; plural=(n > 1);',
};

/** Languages with a catalog; the source is English. */
export const LANGUAGES = Object.keys(PLURAL_FORMS);

/** Number of the plural forms of a language. */
export const formsOf = (language) => Number(/nplurals=(\d)/.exec(PLURAL_FORMS[language])[1]);

const quoted = (text) => JSON.stringify(text).replaceAll('\u00a0', '\\u00a0');

/**
 * Reads a catalog.
 *
 * @param {string} content
 * @returns {Map<string, Entry>} entries by their English text
 * @throws {Error} for a line that is no PO
 */
export function readPo(content) {
  const entries = new Map();
  let entry;
  let add;
  for (const [index, line] of content.split('\n').entries()) {
    const [, keyword, form, text] =
      /^\s*(?:(msgid|msgid_plural|msgstr(?:\[(\d)\])?)\s+)?("(?:[^"\\]|\\.)*")\s*$/.exec(line) ??
      [];
    if (text === undefined) {
      if (!/^\s*(?:#.*)?$/.test(line)) throw new Error(`line ${index + 1} cannot be read: ${line}`);
      continue;
    }
    const value = JSON.parse(text);
    if (keyword === 'msgid') {
      entry = { text: '', forms: [] };
      add = (more) => {
        entry.text += more;
      };
    } else if (keyword === 'msgid_plural') {
      add = (more) => {
        entry.plural = (entry.plural ?? '') + more;
      };
    } else if (keyword !== undefined) {
      if (entries.get(entry.text) !== undefined && entries.get(entry.text) !== entry) {
        throw new Error(`line ${index + 1}: "${entry.text}" is here twice`);
      }
      entries.set(entry.text, entry);
      const at = Number(form ?? 0);
      add = (more) => {
        entry.forms[at] = (entry.forms[at] ?? '') + more;
      };
    }
    add(value);
  }
  entries.delete('');
  return entries;
}

/**
 * Writes a catalog; the same entries give the same file.
 *
 * @param {string} language
 * @param {Iterable<Entry>} entries
 */
export function writePo(language, entries) {
  const head = [
    'msgid ""',
    'msgstr ""',
    quoted(`Language: ${language}\n`),
    quoted('MIME-Version: 1.0\n'),
    quoted('Content-Type: text/plain; charset=UTF-8\n'),
    quoted('Content-Transfer-Encoding: 8bit\n'),
    quoted(`Plural-Forms: ${PLURAL_FORMS[language]}\n`),
  ];
  const blocks = [...entries].map(({ text, plural, forms, files, names }) => [
    ...names.map((name, index) => `#. {${index}}: ${name}`),
    ...files.map((file) => `#: ${file}`),
    `msgid ${quoted(text)}`,
    ...(plural === undefined
      ? [`msgstr ${quoted(forms[0] ?? '')}`]
      : [
          `msgid_plural ${quoted(plural)}`,
          ...Array.from(
            { length: formsOf(language) },
            (_, index) => `msgstr[${index}] ${quoted(forms[index] ?? '')}`,
          ),
        ]),
  ]);
  return `${[head, ...blocks].map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

/** Places of values, elements and parts of a pattern in a text, sorted. */
const placesOf = (text) =>
  [...new Set(text.match(/\{\d+\}|<\/?\d+>|\$\d/g))]
    .toSorted((one, other) => (one < other ? -1 : 1))
    .join(' ');

/** True if every element of a text is closed, in order. */
function isNested(text) {
  const open = [];
  for (const [, end, index] of text.matchAll(/<(\/?)(\d+)>/g)) {
    if (end === '') open.push(index);
    else if (open.pop() !== index) return false;
  }
  return open.length === 0;
}

/**
 * Lists the faults of a catalog.
 *
 * @param {string} language
 * @param {Iterable<Entry>} entries
 * @param {{ isComplete: boolean }} options
 * @returns {string[]}
 */
export function faultsOf(language, entries, { isComplete }) {
  const faults = [];
  for (const { text, plural, forms } of entries) {
    const about = (fault) => faults.push(`${language}.po: ${JSON.stringify(text)} ${fault}`);
    const count = plural === undefined ? 1 : formsOf(language);
    const filled = forms.filter((form) => form.trim() !== '').length;
    if (filled > 0 || isComplete) {
      if (filled < count) about(`lacks ${filled === 0 ? 'a translation' : 'a plural form'}`);
      if (forms.length > count) about('has a plural form too many');
    }
    const most = placesOf(plural ?? text);
    for (const [index, form] of forms.entries()) {
      if (form.trim() === '') continue;
      // The form of one may say the count as a word: "a link".
      const isOne = plural !== undefined && index === 0 && count > 1;
      const places = placesOf(form);
      if (
        places !== most &&
        !(isOne && places.split(' ').every((one) => one === '' || most.includes(one)))
      ) {
        about(`has the places ${most || '(none)'}, its translation ${places || '(none)'}`);
      }
      if (!isNested(form)) about('has an element that is not closed');
      if (form !== form.trim()) about('is translated with a space at an edge');
    }
  }
  return faults;
}
