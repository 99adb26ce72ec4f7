import { unguarded } from '../infra/csv.ts';

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
  read?(cell: string): unknown;
}

const flag = (cell: string): unknown => {
  if (/^(?:true|yes|y|1|on)$/i.test(cell)) return true;
  return /^(?:false|no|n|0|off)$/i.test(cell) ? false : cell;
};
const number = (cell: string): unknown => (/^\d{1,15}$/.test(cell) ? Number(cell) : cell);
/** Names that contain commas come as a JSON array. */
const names = (cell: string): unknown => (cell.startsWith('["') ? json(cell) : cell.split(/[,;|]/));
/** Short.io writes keys with a leading slash. */
const key = (cell: string): string => cell.replace(/^\//, '');

function json(cell: string): unknown {
  try {
    return JSON.parse(cell) as unknown;
  } catch {
    return cell;
  }
}

/**
 * All import fields, with the headers in exports of Bitly, Dub, Short.io, Rebrandly, YOURLS and
 * this service.
 */
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
    ],
  },
  shortLink: { headers: ['shortlink', 'shorturl', 'bitlink', 'link'] },
  domain: { headers: ['domain', 'domainfullname', 'domainname'] },
  key: {
    headers: ['key', 'slug', 'keyword', 'slashtag', 'path', 'alias', 'backhalf', 'custombackhalf'],
    read: key,
  },
  title: { headers: ['title', 'name'] },
  description: { headers: ['description'] },
  image: { headers: ['image', 'imageurl'] },
  tagNames: { headers: ['tags', 'tagnames', 'tag', 'labels'], read: names },
  comments: { headers: ['comments', 'comment', 'notes', 'note'] },
  externalId: { headers: ['externalid'] },
  createdAt: { headers: ['createdat', 'created', 'datecreated', 'creationdate', 'timestamp'] },
  startsAt: { headers: ['startsat', 'validfrom'] },
  expiresAt: { headers: ['expiresat', 'expires', 'expirationdate', 'validuntil'] },
  expiredUrl: { headers: ['expiredurl', 'expirationurl'] },
  maxVisits: { headers: ['maxvisits', 'clickslimit'], read: number },
  archived: { headers: ['archived'], read: flag },
  password: { headers: ['password'] },
  ios: { headers: ['ios', 'iosurl', 'iphoneurl'] },
  android: { headers: ['android', 'androidurl'] },
  geo: { headers: ['geo'], read: json },
  rules: { headers: ['rules'], read: json },
  testVariants: { headers: ['testvariants'], read: json },
  utm_source: { headers: ['utmsource'] },
  utm_medium: { headers: ['utmmedium'] },
  utm_campaign: { headers: ['utmcampaign'] },
  utm_term: { headers: ['utmterm'] },
  utm_content: { headers: ['utmcontent'] },
  redirectStatus: { headers: ['redirectstatus', 'redirecttype'], read: number },
  forwardQuery: { headers: ['forwardquery'], read: flag },
  queryConflict: { headers: ['queryconflict'] },
  trackConversion: { headers: ['trackconversion'], read: flag },
  doIndex: { headers: ['doindex'], read: flag },
  publicStats: { headers: ['publicstats'], read: flag },
  flexible: { headers: ['flexible'], read: flag },
  proxy: { headers: ['proxy'], read: flag },
  folderId: { headers: ['folderid'] },
  importedClicks: { headers: ['importedclicks'], read: number },
  hasPassword: { headers: ['haspassword'], read: flag },
  disabled: { headers: ['disabled'], read: flag },
} as const satisfies Record<string, ImportField>;

export type FieldName = keyof typeof IMPORT_FIELDS;

const FIELDS: Record<FieldName, ImportField> = IMPORT_FIELDS;
export const FIELD_NAMES = Object.keys(FIELDS) as FieldName[];

/** Converts a cell to the value of a field; `undefined` for an empty cell. */
export function readCell(name: FieldName, cell: string): unknown {
  const text = unguarded(cell).trim();
  if (text === '') return undefined;
  const { read } = FIELDS[name];
  return read === undefined ? text : read(text);
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
