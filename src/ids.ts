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
  workspace: 'proj_',
  user: 'user_',
  job: 'job_',
  apiKey: 'key_',
} as const;

export type IdKind = keyof typeof PREFIXES;

/** What an id names; `undefined` for what is no id of ours. */
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

/** A new id: prefix, 8 characters of time, 16 random ones. Text order (C collation) is order of making. */
export function newId(kind: IdKind, now: number = Date.now()): string {
  return PREFIXES[kind] + sortableTime(now) + randomPart();
}
