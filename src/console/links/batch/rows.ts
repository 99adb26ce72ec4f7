import {
  type FieldName,
  guessFields,
  guessMapping,
  IMPORT_FIELDS,
} from '../../../imports/fields.ts';
import { csvLines, unguarded } from '../../../infra/csv.ts';
import {
  takesUtm,
  UTM,
  type UtmName,
  type UtmValues,
  utmOf,
  withUtm,
} from '../../short-links/utm.ts';
import { isUrlLike } from '../../ui/one-url.ts';
import { readCells } from '../../ui/read-cells.ts';

/** Maximum length of a title. */
export const MOST_TITLE = 1_000;

/** Maximum number of rows of the table. */
export const MOST_ROWS = 500;

/** Rows by which the columns of a sheet without a header are recognized. */
const SAMPLE_ROWS = 20;

/** Fields of the table; a sheet can have others, which are only passed on. */
type OwnField = 'url' | 'key' | 'title';
type OtherField = Exclude<FieldName, OwnField | 'shortLink'>;

const isUtm = (name: FieldName): name is UtmName => UTM.some(([one]) => one === name);

/** A link to create. */
export interface Row {
  id: number;
  url: string;
  key: string;
  title: string;
  /** Cells of further columns, by the field that they are imported to. */
  others: Partial<Record<OtherField, string>>;
}

/** The rows of a text, with the names of the columns that are left out. */
export interface Sheet {
  rows: Row[];
  ignored: string[];
}

/**
 * Returns the slug of a text that can be a whole short link.
 *
 * @param domains those of the workspace
 * @returns the slug, and the domain of the short link if the workspace has it
 */
function placeIn(text: string, domains: readonly string[]) {
  const [head = '', host, name = host] =
    /^(?:https?:\/\/([^/\s]+)|([^/\s]+)(?=\/))/i.exec(text) ?? [];
  const hostName = hostNameOf(name);
  const domain = domains.find((slug) => slug === hostName);
  const path = host === undefined && domain === undefined ? text : text.slice(head.length);
  return { key: path.replace(/^\/+/, ''), domain };
}

function hostNameOf(host = ''): string | undefined {
  try {
    return new URL(`http://${host}`).hostname;
  } catch {
    return undefined;
  }
}

type Columns = (FieldName | undefined)[];

/**
 * Reads links from pasted text: URLs, one per line, or the rows of a sheet.
 *
 * @param domains those of the workspace
 * @returns the rows, or the reason why there are none
 */
export function readRows(text: string, domains: readonly string[]): Sheet | { fault: string } {
  const lines = listOf(text);
  const cells = lines === undefined ? readCells(text) : lines.map((line) => [line]);
  if ('fault' in cells) return cells;
  const [first = []] = cells;
  const header = headerOf(first);
  const columns = header ?? columnsOf(cells);
  if (!columns.includes('url')) {
    return { fault: 'Name the column with the destinations “url” in the first row.' };
  }
  const content = header === undefined ? cells : cells.slice(1);
  const rows = content
    .map((row, id) => rowOf(id, row, columns, domains))
    .filter(({ url, key, title }) => url !== '' || key !== '' || title !== '')
    .map(inDestination);
  if (rows.length === 0) return { fault: 'Paste at least one URL.' };
  if (rows.length > MOST_ROWS) {
    return { fault: `The table takes ${MOST_ROWS} rows. Import larger files under Imports.` };
  }
  const ignored = header === undefined ? [] : first.filter((_, at) => columns[at] === undefined);
  return { rows, ignored };
}

/** Returns the URLs of a text that has nothing else; `undefined` for a sheet. */
function listOf(text: string): string[] | undefined {
  const parts = text.split(/\s+/).filter((part) => part !== '');
  if (parts.length === 0 || !parts.every(isUrlLike)) return undefined;
  // URLs can contain commas, but rarely the same word after them as all others.
  const isSheet = parts.length > 1 && parts.every((part) => /^[^,;?]+[,;][\w./-]+$/.test(part));
  return isSheet ? undefined : parts;
}

/** Returns the fields of a first row that names columns. */
function headerOf(cells: readonly string[]): Columns | undefined {
  if (cells.some(isUrlLike)) return undefined;
  const mapping = guessMapping(cells);
  return Object.keys(mapping).length === 0 ? undefined : cells.map((cell) => mapping[cell]);
}

/** Returns the fields of the columns of a sheet without a header. */
function columnsOf(rows: readonly (readonly string[])[]): Columns {
  const width = Math.max(...rows.map(({ length }) => length));
  const names = Array.from({ length: width }, (_, at) => String(at));
  const guesses = guessFields(names, rows.slice(0, SAMPLE_ROWS));
  const columns: Columns = names.map((name) => guesses[name]);
  // URLs without a scheme are not recognized as such: they come first, then the slug and the title.
  if (!columns.includes('url')) return ['url', 'key', 'title'];
  const isFree = (name: FieldName) => !columns.includes(name);
  // Of a list of URLs, often only some rows have a slug.
  const slugs =
    isFree('key') && isFree('shortLink')
      ? columns.findIndex((name, at) => name === undefined && areSlugs(rows, at))
      : -1;
  return columns.map(
    (name, at) => name ?? (at === slugs ? 'key' : isFree('title') ? 'title' : undefined),
  );
}

/** True for a column with different single words, which some rows can lack. */
function areSlugs(rows: readonly (readonly string[])[], at: number): boolean {
  const cells = rows.map((row) => (row[at] ?? '').trim()).filter((cell) => cell !== '');
  return new Set(cells).size === cells.length && cells.every((cell) => /^[^\s:]+$/.test(cell));
}

function rowOf(
  id: number,
  cells: readonly string[],
  columns: Columns,
  domains: readonly string[],
): Row {
  const row: Row = { id, url: '', key: '', title: '', others: {} };
  let domain: string | undefined;
  for (const [at, name] of columns.entries()) {
    const cell = unguarded(cells[at] ?? '').trim();
    if (name === undefined || cell === '') continue;
    if (name === 'url' || name === 'title') row[name] ||= cell;
    else if (name === 'key' || name === 'shortLink') {
      const place = placeIn(cell, domains);
      row.key ||= place.key;
      domain ??= place.domain;
    } else row.others[name] ||= cell;
  }
  if (domain !== undefined) row.others.domain ??= domain;
  return row;
}

/** Moves the UTM parameters of columns into the destination, where they are checked and edited. */
function inDestination(row: Row): Row {
  const { url, others } = row;
  const utm = Object.entries(others).filter(([name]) => isUtm(name as OtherField));
  if (utm.length === 0 || !takesUtm(url)) return row;
  const values = Object.fromEntries(utm) as UtmValues;
  const rest = Object.entries(others).filter(([name]) => !isUtm(name as OtherField));
  return {
    ...row,
    url: withUtm(url, { ...utmOf(url), ...values }),
    others: Object.fromEntries(rest),
  };
}

/** Names the further fields that any row has. */
export const otherFields = (rows: readonly Row[]): OtherField[] =>
  (Object.keys(IMPORT_FIELDS) as OtherField[]).filter((name) =>
    rows.some(({ others }) => others[name] !== undefined),
  );

/**
 * Writes the file that an import creates the links from.
 *
 * @param urlOf returns the destination of a row
 * @returns the file, and the fields of its columns
 */
export function fileOf(rows: readonly Row[], urlOf: (row: Row) => string) {
  const others = otherFields(rows);
  const columns = ['url', 'key', 'title', ...others];
  const lines = rows.map((row) => [
    urlOf(row),
    row.key.trim(),
    row.title.trim(),
    ...others.map((name) => row.others[name] ?? ''),
  ]);
  return {
    file: csvLines([columns, ...lines]),
    mapping: Object.fromEntries(columns.map((name) => [name, name])),
  };
}
