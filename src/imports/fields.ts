import { unguarded } from '../infra/csv.ts';
import { parseUrl, percentDecoded } from '../infra/url.ts';
import { readDate } from './dates.ts';
import type { ColumnFormat } from './formats.ts';
import { readNumber } from './numbers.ts';

/*
 * Link fields that a column of a file can be mapped to. A cell is converted if it is a valid value
 * of the field, and otherwise left unchanged, so that the schema of links reports the violated
 * rule.
 */

/** An import field: its headers, and the conversion of its cells. */
interface ImportField {
  /**
   * Headers in lower-case letters and digits only: `long_url` and `Long URL` are `longurl`. The
   * first one that a file has is used.
   */
  headers: readonly string[];
  /** @returns the value; `undefined` for a cell without one */
  read?(cell: string, format: ColumnFormat): unknown;
}

/** Words of databases, of people, and of spreadsheet programs in some languages. */
const YES = /^(?:true|t|yes|y|1|on|wahr|vrai|verdadero|vero)$/i;
const NO = /^(?:false|f|no|n|0|off|falsch|faux|falso)$/i;
const ALIVE = /^(?:active|enabled|ok|live|published|public|approved|on|1)$/i;
const DEAD = /^(?:disabled|inactive|banned|blocked|paused|suspended|deleted|trashed|off|0)$/i;

/** Returns true for one of the words that mean yes. */
export const isYes = (text: string): boolean => YES.test(text);

const flag = (cell: string): unknown => (YES.test(cell) ? true : NO.test(cell) ? false : cell);
const number = (cell: string, { numbers = ',' }: ColumnFormat): unknown =>
  readNumber(cell, numbers) ?? cell;
function date(cell: string, { dates = 'month' }: ColumnFormat): unknown {
  const instant = readDate(cell, dates);
  return instant === null ? undefined : (instant ?? cell);
}
/** Names that contain commas come as a JSON array. */
const names = (cell: string): unknown => (cell.startsWith('["') ? json(cell) : cell.split(/[,;|]/));

/**
 * Reads a key. Short.io writes a slash in front, plug-ins of YOURLS one on both sides, and Shlink
 * percent-encodes. A whole short link stays as it is.
 */
function key(cell: string): string {
  if (/^https?:\/\//i.test(cell)) return cell;
  return percentDecoded(cell.replace(/^\//, '').replace(/\/$/, ''));
}

function json(cell: string): unknown {
  try {
    return JSON.parse(cell) as unknown;
  } catch {
    return cell;
  }
}

/** All import fields, with the headers in exports of other services and of this one. */
export const IMPORT_FIELDS = {
  url: {
    headers: [
      'url',
      'longurl',
      'destination',
      'destinationurl',
      'originalurl',
      'target',
      'targeturl',
      'fullurl',
      'longlink',
      'original',
      'redirecturl',
      'redirectto',
      'destinationlink',
    ],
  },
  shortLink: { headers: ['shortlink', 'shorturl', 'bitlink', 'link'] },
  domain: { headers: ['domain', 'domainfullname', 'domainname'] },
  key: {
    headers: [
      'key',
      'slug',
      'keyword',
      'slashtag',
      'path',
      'alias',
      'backhalf',
      'custombackhalf',
      'shortcode',
      'shortid',
      'customslug',
      'customalias',
      'customkey',
      'urlcode',
      'code',
      'hash',
      'source',
    ],
    read: key,
  },
  title: { headers: ['title', 'name'] },
  description: { headers: ['description'] },
  image: { headers: ['image', 'imageurl'] },
  tagNames: { headers: ['tags', 'tagnames', 'tag', 'labels'], read: names },
  comments: { headers: ['comments', 'comment', 'notes', 'note'] },
  externalId: { headers: ['externalid'] },
  createdAt: {
    headers: ['createdat', 'created', 'datecreated', 'creationdate', 'createddate', 'timestamp'],
    read: date,
  },
  startsAt: { headers: ['startsat', 'validfrom', 'validsince'], read: date },
  expiresAt: {
    headers: ['expiresat', 'expires', 'expirationdate', 'validuntil', 'expiration', 'expirydate'],
    read: date,
  },
  expiredUrl: { headers: ['expiredurl', 'expirationurl'] },
  maxVisits: { headers: ['maxvisits', 'clickslimit'], read: number },
  archived: { headers: ['archived'], read: flag },
  password: { headers: ['password'] },
  ios: { headers: ['ios', 'iosurl', 'iphoneurl', 'apple'] },
  android: { headers: ['android', 'androidurl', 'google'] },
  geo: { headers: ['geo'], read: json },
  rules: { headers: ['rules'], read: json },
  testVariants: { headers: ['testvariants'], read: json },
  utm_source: { headers: ['utmsource'] },
  utm_medium: { headers: ['utmmedium'] },
  utm_campaign: { headers: ['utmcampaign'] },
  utm_term: { headers: ['utmterm'] },
  utm_content: { headers: ['utmcontent'] },
  redirectStatus: { headers: ['redirectstatus', 'redirecttype'], read: number },
  forwardQuery: { headers: ['forwardquery', 'redirectwithquery'], read: flag },
  queryConflict: { headers: ['queryconflict'] },
  trackConversion: { headers: ['trackconversion'], read: flag },
  doIndex: { headers: ['doindex'], read: flag },
  publicStats: { headers: ['publicstats'], read: flag },
  flexible: { headers: ['flexible'], read: flag },
  proxy: { headers: ['proxy'], read: flag },
  rewrite: { headers: ['rewrite', 'cloaking'], read: flag },
  folderId: { headers: ['folderid'] },
  importedClicks: { headers: ['importedclicks', 'hits'], read: number },
  hasPassword: { headers: ['haspassword'], read: flag },
  disabled: { headers: ['disabled', 'isdisabled', 'banned', 'isbanned'], read: flag },
  active: { headers: ['active', 'isactive', 'enabled', 'isenabled'], read: flag },
  status: {
    headers: ['status', 'linkstatus'],
    read: (cell) => (ALIVE.test(cell) ? true : DEAD.test(cell) ? false : cell),
  },
  hasSecret: { headers: ['hassecret'], read: flag },
} as const satisfies Record<string, ImportField>;

export type FieldName = keyof typeof IMPORT_FIELDS;

const FIELDS: Record<FieldName, ImportField> = IMPORT_FIELDS;
export const FIELD_NAMES = Object.keys(FIELDS) as FieldName[];

/** Converts a cell to the value of a field; `undefined` for a cell without one. */
export function readCell(name: FieldName, cell: string, format: ColumnFormat = {}): unknown {
  const text = unguarded(cell).trim();
  if (text === '') return undefined;
  const { read } = FIELDS[name];
  return read === undefined ? text : read(text, format);
}

/** Reduces a header to lower-case letters and digits, as in the table of fields. */
export const plainHeader = (header: string): string =>
  header.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/**
 * Suggests fields for columns by their headers.
 *
 * @returns fields by column name
 */
export function guessMapping(columns: readonly string[]): Partial<Record<string, FieldName>> {
  const byHeader = new Map<string, string>();
  for (const column of columns) {
    const header = plainHeader(column);
    if (!byHeader.has(header)) byHeader.set(header, column);
  }
  // In a list of redirects, these are the path and its destination; the code is a status.
  if (byHeader.has('source') && byHeader.has('target')) byHeader.delete('code');
  const mapping: Partial<Record<string, FieldName>> = {};
  for (const name of FIELD_NAMES) {
    const header = FIELDS[name].headers.find((known) => byHeader.has(known));
    if (header !== undefined) mapping[byHeader.get(header)!] = name;
  }
  // In a file that people made themselves, "link" is the destination.
  const link = byHeader.get('link');
  if (link !== undefined && !Object.values(mapping).includes('url')) mapping[link] = 'url';
  return mapping;
}

const isUrl = (cell: string): boolean => /^\s*https?:\/\//i.test(cell);

/** Returns true for a row of values: a header is no URL. */
export const hasValues = (cells: readonly string[]): boolean => cells.some(isUrl);

/**
 * Suggests fields for the columns of a file without a header, by its first rows: a URL is the
 * destination; of two, that with fewer hosts is the short link, else the shorter one; distinct words
 * that are no dates are keys, rather than numbers.
 *
 * @returns fields by column name
 */
export function guessFields(
  columns: readonly string[],
  rows: readonly (readonly string[])[],
): Partial<Record<string, FieldName>> {
  const values = columns.map((_, at) => rows.map((cells) => (cells[at] ?? '').trim()));
  const positions = [...columns.keys()];
  const hosts = (at: number) => new Set(values[at]!.map((cell) => parseUrl(cell)?.host)).size;
  const length = (at: number) => values[at]!.join('').length;
  const [shortLink, url = shortLink] = positions
    .filter(
      (at) => values[at]!.some(isUrl) && values[at]!.every((cell) => cell === '' || isUrl(cell)),
    )
    .slice(0, 2)
    .toSorted((a, b) => hosts(a) - hosts(b) || length(a) - length(b));
  if (url === undefined) return {};
  const mapping: Partial<Record<string, FieldName>> = { [columns[url]!]: 'url' };
  if (shortLink !== url) return { ...mapping, [columns[shortLink!]!]: 'shortLink' };
  const words = positions.filter(
    (at) => values[at]!.every(isWord) && new Set(values[at]).size === rows.length,
  );
  const key = words.find((at) => !values[at]!.every((cell) => /^\d+$/.test(cell))) ?? words[0];
  return key === undefined ? mapping : { ...mapping, [columns[key]!]: 'key' };
}

const isWord = (cell: string): boolean =>
  /^[^\s:]{1,190}$/.test(cell) && readDate(cell, 'month') === undefined;
