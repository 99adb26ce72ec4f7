import { customAlphabet } from 'nanoid';

/** In the order of their character codes, so that text order is number order. */
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const TIME_LENGTH = 8;
const randomPart = customAlphabet(ALPHABET, 16);

const PREFIXES = {
  link: 'link_',
  qrcode: 'qr_',
  tag: 'tag_',
  domain: 'dom_',
  folder: 'fold_',
  customer: 'cus_',
  event: 'evt_',
  webhook: 'wh_',
  delivery: 'msg_',
  page: 'page_',
  template: 'tmpl_',
  import: 'imp_',
  workspace: 'proj_',
  user: 'user_',
  session: 'sess_',
  job: 'job_',
  apiKey: 'key_',
  auditEntry: 'log_',
  invitation: 'inv_',
  utmTemplate: 'utm_',
  view: 'view_',
  mail: 'mail_',
  abuseReport: 'rep_',
} as const;

export type IdKind = keyof typeof PREFIXES;

/** The kind of record of an id; `undefined` for other texts. */
export function kindOfId(id: string): IdKind | undefined {
  const prefix = id.slice(0, id.indexOf('_') + 1);
  return (Object.keys(PREFIXES) as IdKind[]).find((kind) => PREFIXES[kind] === prefix);
}

/** Milliseconds since 1970 in eight characters that sort as the numbers do (good until the year 8888). */
function sortableTime(ms: number): string {
  let rest = ms;
  let out = '';
  for (let i = 0; i < TIME_LENGTH; i += 1) {
    out = ALPHABET.charAt(rest % 62) + out;
    rest = Math.floor(rest / 62);
  }
  return out;
}

/** Creation time of an id, in milliseconds since 1970. */
export function timeOfId(id: string): number {
  const start = id.indexOf('_') + 1;
  let ms = 0;
  for (const digit of id.slice(start, start + TIME_LENGTH)) ms = ms * 62 + ALPHABET.indexOf(digit);
  return ms;
}

/** A new id: prefix, 8 characters of time, 16 random ones. Text order (C collation) is order of making. */
export function newId(kind: IdKind, now: number = Date.now()): string {
  return PREFIXES[kind] + sortableTime(now) + randomPart();
}
