import { ROOT_KEY } from '../../events/filters.ts';
import { showDollars } from '../../events/show-dollars.ts';
import { UNKNOWN } from '../../visitors/places.ts';
import { type SentenceParts, sentenceOf } from '../kinds.ts';
import type { Envelope } from './format.ts';

/** A webhook event in words. All texts are single lines without markup. */
export interface Message {
  sentence: string;
  /** The short link that the event is about. */
  url?: string | undefined;
  /** Further facts: name and value. */
  facts: (readonly [name: string, value: string])[];
}

/** Maximum length of a text from data, in UTF-16 units. */
const MAX_TEXT_LENGTH = 300;
/** Maximum length of a sentence, and of a URL, in UTF-16 units. */
const MAX_LINE_LENGTH = 700;
const MAX_URL_LENGTH = 1_000;

/** Line breaks and other controls, with those that change the direction of text. */
const CONTROLS = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

type Fields = Readonly<Record<string, unknown>>;

const fieldsIn = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {};

function line(text: string, max: number): string {
  const clean = text.toWellFormed().replaceAll(CONTROLS, ' ').trim();
  return clean.length <= max ? clean : `${clean.slice(0, max - 1).toWellFormed()}…`;
}

/** Returns a text, or `undefined` if it is absent, empty or unknown. */
function textIn(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  if (typeof value !== 'string' || value === '' || value === UNKNOWN) return undefined;
  return line(value, MAX_TEXT_LENGTH);
}

const regions = new Intl.DisplayNames('en', { type: 'region', fallback: 'code' });

/** Returns the English name of a country by its code; the code if it has none. */
function countryName(code: string): string {
  try {
    return regions.of(code) ?? code;
  } catch {
    return code;
  }
}

/** Describes the visitor: ` from Berlin, Germany (mobile, Chrome)`, as far as it is known. */
function visitorOf(click: Fields): string {
  const country = textIn(click, 'country');
  const place = [textIn(click, 'city'), country && countryName(country)].filter(Boolean);
  const device = [textIn(click, 'device')?.toLowerCase(), textIn(click, 'browser')].filter(Boolean);
  const from = place.length === 0 ? '' : ` from ${place.join(', ')}`;
  return device.length === 0 ? from : `${from} (${device.join(', ')})`;
}

/** Names a link or QR code by its short link, or else its title. */
function nameOf(record: Fields): string | undefined {
  const [domain, key] = [textIn(record, 'domain'), textIn(record, 'key')];
  if (domain === undefined || key === undefined) {
    return textIn(record, 'title') ?? domain ?? textIn(record, 'id');
  }
  return key === ROOT_KEY ? domain : `${domain}/${key}`;
}

/** Formats the amount of a sale or refund. */
function amountIn(payment: unknown): string {
  const { amount, pending } = fieldsIn(payment);
  if (pending === true) return 'an amount that is not converted yet';
  return showDollars(typeof amount === 'number' ? amount : 0);
}

/** Describes a webhook event to people. Works with missing fields, which test events have. */
export function messageOf({ type, data }: Envelope): Message {
  const ofVisit = data['link'] ?? data['qrcode'];
  const isAboutRecord = type.startsWith('link.') || type.startsWith('qrcode.');
  const record = fieldsIn(ofVisit ?? (isAboutRecord ? data : undefined));
  const customer = fieldsIn(data['customer']);
  const parts: SentenceParts = {
    amount: amountIn(data['sale'] ?? data['refund']),
    name: nameOf(record) ?? '',
    visitor: visitorOf(fieldsIn(data['click'])),
    customer:
      textIn(customer, 'name') ??
      textIn(customer, 'email') ??
      textIn(customer, 'externalId') ??
      'somebody',
    named: `“${textIn(data, 'eventName') ?? textIn(data, 'name') ?? ''}”`,
    limit: `${Number(data['percent'])}% of the limit ${textIn(data, 'limit') ?? ''}`,
  };
  const prefix = data['test'] === true ? 'Test: ' : '';
  const url = record['key'] === ROOT_KEY ? undefined : record['shortLink'];
  // The fields of a record are those of the data itself, unless it is a visit.
  const destination = isAboutRecord ? textIn(data, 'url') : undefined;
  const reason = textIn(data, 'disabledReason');
  return {
    sentence: line(`${prefix}${sentenceOf(type, parts)}`, MAX_LINE_LENGTH),
    url: typeof url === 'string' && url.length <= MAX_URL_LENGTH ? url : undefined,
    facts: [
      ...(destination === undefined ? [] : [['Destination', destination] as const]),
      ...(reason === undefined ? [] : [['Reason', reason] as const]),
    ],
  };
}
