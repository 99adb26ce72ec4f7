import type { ContentType } from '../../qrcodes/content/content-type.ts';
import { readContent } from '../../qrcodes/content/read-content.ts';
import { loadPart } from '../api/reachability.ts';

/** Content types by name; each loads when it is first chosen. */
const TYPES = {
  url: () => import('../../qrcodes/content/url.ts').then(({ url }) => url),
  text: () => import('../../qrcodes/content/text.ts').then(({ text }) => text),
  wifi: () => import('../../qrcodes/content/wifi.ts').then(({ wifi }) => wifi),
  vcard: () => import('../../qrcodes/content/vcard.ts').then(({ vcard }) => vcard),
  email: () => import('../../qrcodes/content/email.ts').then(({ email }) => email),
  phone: () => import('../../qrcodes/content/phone.ts').then(({ phone }) => phone),
  sms: () => import('../../qrcodes/content/sms.ts').then(({ sms }) => sms),
  whatsapp: () => import('../../qrcodes/content/whatsapp.ts').then(({ whatsapp }) => whatsapp),
  facetime: () => import('../../qrcodes/content/facetime.ts').then(({ facetime }) => facetime),
  latlog: () => import('../../qrcodes/content/latlog.ts').then(({ location }) => location),
  crypto: () => import('../../qrcodes/content/crypto.ts').then(({ crypto }) => crypto),
  pix: () => import('../../qrcodes/content/pix.ts').then(({ pix }) => pix),
  event: () => import('../../qrcodes/content/event.ts').then(({ event }) => event),
  epc: () => import('../../qrcodes/content/epc.ts').then(({ epc }) => epc),
  upi: () => import('../../qrcodes/content/upi.ts').then(({ upi }) => upi),
  lightning: () => import('../../qrcodes/content/lightning.ts').then(({ lightning }) => lightning),
  swissqr: () => import('../../qrcodes/content/swissqr.ts').then(({ swissqr }) => swissqr),
  app: () => import('../../qrcodes/content/app.ts').then(({ app }) => app),
  links: () => import('../../qrcodes/content/links.ts').then(({ links }) => links),
  social: () => import('../../qrcodes/content/social.ts').then(({ social }) => social),
  file: () => import('../../qrcodes/content/file.ts').then(({ file }) => file),
  gs1: () => import('../../qrcodes/content/gs1.ts').then(({ gs1 }) => gs1),
} satisfies Record<string, () => Promise<ContentType>>;

export type ContentName = keyof typeof TYPES;
export const CONTENT_NAMES = Object.keys(TYPES) as ContentName[];

/** Content as entered: a text, or values by field name. */
export type Draft = string | { [name: string]: unknown };

/** Converts a field of a draft to text for its control, because a record can contain a number. */
export const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

/** Converts the content of a record to a draft; GS1 data become text in brackets. */
export function fromValue(type: ContentName, value: unknown): Draft {
  if (type !== 'gs1') return value as Draft;
  const { data, ...content } = value as { data: Record<string, string> };
  const text = Object.entries(data).map(
    ([name, one]) => `(${name})${one.replaceAll(/[(\\]/g, '\\$&')}`,
  );
  return { ...content, data: text.toSorted().join('') };
}

/** Returns the draft with another value of a field by its path. */
export function withValueAt(draft: Record<string, unknown>, path: string, value: unknown) {
  const [name = '', part] = path.split('.');
  if (part === undefined) return { ...draft, [name]: value };
  return { ...draft, [name]: { ...(draft[name] as object | undefined), [part]: value } };
}

/** Converts entered content for a request body, without empty fields and lists. */
export function toValue(type: ContentName, draft: Draft): unknown {
  if (typeof draft === 'string') return draft.trim() === '' ? '' : draft;
  const value = withoutEmpty(draft) as Record<string, unknown>;
  for (const name of ['latitude', 'longitude', 'amount']) {
    const number = value[name];
    if (typeof number !== 'string') continue;
    const withPoint = /^-?\d+,\d+$/.test(number.trim()) ? number.replace(',', '.') : number;
    value[name] = name === 'amount' ? withPoint : Number(withPoint);
  }
  for (const name of ['chainId', 'tokenDecimals']) {
    if (typeof value[name] === 'string') value[name] = Number(value[name]);
  }
  if (type === 'event') return eventOf(value);
  if (type === 'vcard') return { firstName: '', lastName: '', ...value };
  return value;
}

/** Drops the times of an event that lasts all day. */
function eventOf(event: Record<string, unknown>): Record<string, unknown> {
  const { allDay, ...rest } = event;
  if (allDay !== true) return rest;
  const [start, end] = [event['start'], event['end']].map((one) => textOf(one).slice(0, 10));
  return { ...rest, allDay, start, ...(end === '' ? {} : { end }) };
}

function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty).filter((item) => !isBlankItem(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, one]) => [name, withoutEmpty(one)] as const)
      .filter(([, one]) => !isBlank(one)),
  );
}

const isBlank = (value: unknown): boolean =>
  value === '' ||
  value === undefined ||
  value === null ||
  (typeof value === 'object' && Object.keys(value).length === 0);

/** True for an item of a list that has nothing but its kind. */
function isBlankItem(item: unknown): boolean {
  if (typeof item !== 'object' || item === null) return isBlank(item);
  return Object.keys(item).every((name) => name === 'type');
}

/**
 * Encodes the text of a static code with the API's own checks.
 *
 * @returns the text, and the path of the short link if the type defines it; or the violated rules
 */
export async function encodeContent(
  type: ContentName,
  draft: Draft,
): Promise<ReturnType<typeof readContent>> {
  return readContent((await loadPart(TYPES[type])()) as ContentType, toValue(type, draft));
}
