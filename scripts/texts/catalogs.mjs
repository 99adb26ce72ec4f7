// Collects the texts of the console and keeps its catalogs.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { textsOf } from './extract.mjs';
import { faultsOf, LANGUAGES, readPo, writePo } from './po.mjs';
import { looksLikeText } from './rules.mjs';

/** @typedef {import('./po.mjs').Entry} Entry */

const ROOT = path.dirname(path.dirname(path.dirname(fileURLToPath(import.meta.url))));
const CONSOLE = 'src/console';
const CATALOGS = `${CONSOLE}/languages`;
/** Files of the service whose texts the console shows. */
const SHARED = ['src/qrcodes/render/score.ts'];

/** Command that updates the catalogs. */
export const COMMAND = 'npm run console:texts';

const read = (file) => readFileSync(path.join(ROOT, file), 'utf8');

/**
 * True for a file whose texts are translated.
 *
 * @param {string} file path from the root of the repository
 */
export const hasTexts = (file) =>
  SHARED.includes(file) ||
  (file.startsWith(`${CONSOLE}/`) &&
    !file.startsWith(`${CATALOGS}/`) &&
    /\.tsx?$/.test(file) &&
    !/\.d\.ts$|vite\.config\.ts$/.test(file));

/** Reads the files with texts. */
const readSources = () =>
  [
    ...readdirSync(path.join(ROOT, CONSOLE), { recursive: true })
      .map((file) => `${CONSOLE}/${file.replaceAll(path.sep, '/')}`)
      .filter(hasTexts),
    ...SHARED,
  ]
    .toSorted()
    .map((file) => [file, read(file)]);

/**
 * Lists what would behave differently in a translated console: strings that are compared and
 * translated too, options whose value is their text, and counts with a translated noun. Small words
 * are compared with those of the same file only, because most are values elsewhere.
 *
 * @param {readonly [file: string, source: string][]} [sources]
 * @returns {string[]}
 */
export function faultsOfSources(sources = readSources()) {
  const parsed = sources.map(([file, source]) => ({ file, found: textsOf(file, source) }));
  const shown = new Set(parsed.flatMap(({ found }) => [...found.strings].filter(looksLikeText)));
  return parsed.flatMap(({ file, found: { strings, compared, faults } }) => [
    ...faults.map((fault) => `${file}: ${fault}`),
    ...[...compared]
      .filter((text) => strings.has(text) || shown.has(text))
      .map((text) => `${file}: ${JSON.stringify(text)} is compared, and translated elsewhere`),
  ]);
}

/**
 * Collects the texts of all files.
 *
 * @returns {Map<string, Omit<Entry, 'forms'>>} texts in order
 * @throws {Error} for a text with two plurals
 */
export function collectTexts() {
  const texts = new Map();
  for (const [file, source] of readSources()) {
    for (const { text, plural, names } of textsOf(file, source).messages) {
      const known = texts.get(text);
      if (known === undefined) texts.set(text, { text, plural, names, files: [file] });
      else {
        if (plural !== undefined && known.plural !== undefined && plural !== known.plural) {
          throw new Error(`${file}: "${text}" has the plurals "${plural}" and "${known.plural}"`);
        }
        known.plural ??= plural;
        if (known.files.at(-1) !== file) known.files.push(file);
      }
    }
  }
  return new Map([...texts].toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

const fileOf = (language) => `${CATALOGS}/${language}.po`;

/** Reads the catalog of a language; none exists for a new language. */
function catalogOf(language) {
  try {
    return read(fileOf(language));
  } catch (error) {
    if (error.code === 'ENOENT') return '';
    throw error;
  }
}

/** Gives each text its translations. */
const translated = (texts, content) => {
  const before = readPo(content);
  return [...texts.values()].map((entry) => ({
    ...entry,
    forms: before.get(entry.text)?.forms ?? [],
  }));
};

/** Writes the catalogs with the present texts; texts that stay keep their translations. */
export function updateCatalogs() {
  const texts = collectTexts();
  for (const language of LANGUAGES) {
    const entries = translated(texts, catalogOf(language));
    writeFileSync(path.join(ROOT, fileOf(language)), writePo(language, entries));
  }
}

/**
 * Lists what is wrong with the catalogs: texts that are missing or gone, empty translations, and
 * places of values that differ.
 *
 * @param {{ isComplete?: boolean, languages?: string[] }} [options]
 * @returns {string[]}
 */
export function faultsOfCatalogs({ isComplete = true, languages = LANGUAGES } = {}) {
  const texts = collectTexts();
  return languages.flatMap((language) => {
    const content = catalogOf(language);
    const catalog = readPo(content);
    const missing = [...texts.keys()].filter((text) => !catalog.has(text));
    const gone = [...catalog.keys()].filter((text) => !texts.has(text));
    const stale = writePo(language, translated(texts, content)) !== content;
    return [
      ...missing.map((text) => `${language}.po lacks ${JSON.stringify(text)}: ${COMMAND}`),
      ...gone.map(
        (text) => `${language}.po has ${JSON.stringify(text)}, which is gone: ${COMMAND}`,
      ),
      ...(stale && missing.length + gone.length === 0
        ? [`${language}.po is not as the command writes it: ${COMMAND}`]
        : []),
      ...faultsOf(language, catalog.values(), { isComplete }),
    ];
  });
}

/**
 * Returns the translations of a catalog for the console: a text, or the forms of one with a plural.
 *
 * @param {string} content
 * @returns {Record<string, string | string[]>}
 */
export const compiled = (content) =>
  Object.fromEntries(
    [...readPo(content).values()]
      .filter(
        ({ text, forms }) =>
          forms.length > 0 && forms.every((form) => form.trim() !== '') && forms[0] !== text,
      )
      .map(({ text, plural, forms }) => [text, plural === undefined ? forms[0] : forms]),
  );
