import { randomInt } from 'node:crypto';
import { customAlphabet } from 'nanoid';

/** Characters in the order of their codes, so that text order equals numeric order. */
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const TIME_LENGTH = 8;
/** Number of characters that count the ids of one process within a millisecond. */
const COUNT_LENGTH = 4;
const RANDOM_LENGTH = 12;
const randomPart = customAlphabet(ALPHABET, RANDOM_LENGTH);

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
  font: 'font_',
  import: 'imp_',
  export: 'exp_',
  workspace: 'proj_',
  user: 'user_',
  session: 'sess_',
  job: 'job_',
  apiKey: 'key_',
  oauthClient: 'app_',
  oauthGrant: 'grant_',
  auditEntry: 'log_',
  invitation: 'inv_',
  utmTemplate: 'utm_',
  view: 'view_',
  mail: 'mail_',
  abuseReport: 'rep_',
  integration: 'int_',
  recordChange: 'chg_',
  scheduledChange: 'sch_',
  destination: 'dest_',
  sharedReport: 'shr_',
  passkey: 'pass_',
  bulkChange: 'bulk_',
  reportRecipient: 'rcp_',
} as const;

export type IdKind = keyof typeof PREFIXES;

/** Returns the record kind of an id; `undefined` for other texts. */
export function kindOfId(id: string): IdKind | undefined {
  const prefix = id.slice(0, id.indexOf('_') + 1);
  return (Object.keys(PREFIXES) as IdKind[]).find((kind) => PREFIXES[kind] === prefix);
}

/**
 * Encodes a number in a fixed number of characters that sort like the numbers. Eight are enough for
 * milliseconds until the year 8888.
 */
function sortable(value: number, length: number): string {
  let rest = value;
  let out = '';
  for (let i = 0; i < length; i += 1) {
    out = ALPHABET.charAt(rest % 62) + out;
    rest = Math.floor(rest / 62);
  }
  return out;
}

/** Returns the creation time of an id, in milliseconds since 1970. */
export function timeOfId(id: string): number {
  const start = id.indexOf('_') + 1;
  let ms = 0;
  for (const digit of id.slice(start, start + TIME_LENGTH)) ms = ms * 62 + ALPHABET.indexOf(digit);
  return ms;
}

/** The millisecond of the last id, and the counter within it, which starts at a random number. */
const last = { ms: 0, count: 0 };

/**
 * Creates an id: prefix, 8 characters of time, 4 that count from a random number, 12 random ones.
 * Ids sort by time in text order (C collation); those of one process within a millisecond sort in
 * order of creation.
 */
export function newId(kind: IdKind, now: number = Date.now()): string {
  if (now === last.ms) last.count += 1;
  else {
    last.ms = now;
    // Starts in the lower half of the range, so that seven million counts are left.
    last.count = randomInt(62 ** COUNT_LENGTH / 2);
  }
  return (
    PREFIXES[kind] + sortable(now, TIME_LENGTH) + sortable(last.count, COUNT_LENGTH) + randomPart()
  );
}
