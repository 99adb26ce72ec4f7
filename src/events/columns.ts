import { cityName } from '../visitors/city.ts';
import { UNKNOWN } from '../visitors/places.ts';
import type { StoredKind } from './kinds.ts';

/** Definition of a column; the key of its row is the column's name in `events`. */
export interface Column {
  /**
   * Value of the column until the code that makes the event sets it. Also gives the column its
   * type.
   */
  initial: unknown;
  /** True for a value that leads and sales copy from the click that they are attributed to. */
  isOfClick?: true;
  /**
   * Maximum length of a text that comes from a visit, in UTF-16 units; the rest is cut off. Most
   * texts are part of index keys, which hold 2,700 bytes. Texts from place databases and user
   * agents are limited as well, because third parties write them.
   */
  longest?: number;
  /** The field of `click` in event records; it is also a column of the CSV export. */
  click?: ClickField;
  /**
   * Columns of the CSV export that this column fills, besides the field of `click`: fields of the
   * event record, or names that `toRow` of `src/exports/events.ts` sets.
   */
  csv?: readonly string[];
}

/** A field of `click` in event records, for the reference. */
interface ClickField {
  name: string;
  description: string;
  example: string;
  /** True for a field that the published interface does not have. */
  isExtension?: true;
  /** True if the field can be null. */
  isNullable?: true;
  /** True if click records repeat the field at their top level, outside of `click`. */
  isDeprecatedToo?: true;
  /** Converts a stored value to the one that records show. */
  toShown?: (stored: string) => string;
}

/** A field of `click`, and the column that holds it. */
export type ClickColumn = ClickField & { column: string };

export type ColumnTable = Readonly<Record<string, Column>>;

/** A row of `events`: one field per column. */
export type RowOf<Table extends ColumnTable> = {
  -readonly [Name in keyof Table]: Table[Name]['initial'];
};

/** Payment details of a sale, or of the refund of one. */
export interface SaleDetails {
  paymentProcessor: string;
  invoiceId: string | null;
  /** Amount as sold or refunded, in minor units of the currency. */
  amount: number;
  currency: string;
  /** Number of decimal places of the amount. Absent: those of ISO 4217. */
  decimals?: number | undefined;
  /**
   * US dollars for one unit of the currency, as an exact fraction, and the day of the rate; `null`
   * until there is a rate.
   */
  rate: string | null;
  rateDate: string | null;
  /** Id of the refund in the caller's system; absent for sales. */
  refundId?: string | null;
  /** True for a sale that the page of a visitor sent, who may have invented the invoice. */
  isFromPage?: true | undefined;
}

/** Properties of columns with values of one type. */
interface Of<Value> {
  initial: Value;
}
const text: Of<string> = { initial: '' };
const unknown: Of<string> = { initial: UNKNOWN };
const nullableText: Of<string | null> = { initial: null };
const kind: Of<StoredKind> = { initial: 'click' };
const via: Of<'link' | 'qr'> = { initial: 'link' };
const visitor: Of<'new' | null> = { initial: null };
const privacy: Of<'wanted' | 'unknown' | null> = { initial: null };
const nullableCents: Of<number | null> = { initial: null };
const saleDetails: Of<SaleDetails | null> = { initial: null };
const metadata: Of<Record<string, unknown> | null> = { initial: null };

const ofClick = { ...text, isOfClick: true } as const;
const ofVisitor = { ...unknown, isOfClick: true } as const;

/**
 * The columns of an event, in the order of the fields of `click` and of the CSV export. Types, the
 * insert statement, text limits, attribution, records and the export are derived from this table.
 * To add a column, add a row here and the column in a migration. A row that records or the export
 * show goes after those they already show.
 */
export const COLUMNS = {
  project_id: text,
  id: text,
  /** Time in ISO 8601. */
  occurred_at: { ...text, csv: ['timestamp'] },
  event: { ...kind, csv: ['event'] },
  event_name: { ...nullableText, csv: ['eventName'] },
  /** The click that a lead or sale is attributed to. */
  click_id: { ...nullableText, csv: ['clickId'] },
  /** Id of the link, or of the QR code for a scan; `null` for the root of a domain. */
  link_id: { ...nullableText, isOfClick: true, csv: ['linkId'] },
  domain: { ...ofClick, longest: 253, csv: ['domain'] },
  key: { ...ofClick, longest: 1_000, csv: ['key', 'shortLink'] },
  url: {
    ...ofClick,
    longest: 2_000,
    click: {
      name: 'url',
      description: 'Destination URL.',
      example: 'https://example.com/landing',
      isDeprecatedToo: true,
    },
  },
  continent: {
    ...ofClick,
    longest: 20,
    click: {
      name: 'continent',
      description: 'Continent: a code of two letters.',
      example: 'EU',
      isDeprecatedToo: true,
    },
  },
  country: {
    ...ofVisitor,
    longest: 20,
    click: {
      name: 'country',
      description: 'Country: ISO 3166-1 alpha-2.',
      example: 'DE',
      isDeprecatedToo: true,
    },
  },
  region: {
    ...ofVisitor,
    longest: 100,
    click: {
      name: 'region',
      description: 'Region: ISO 3166-2 if known.',
      example: 'DE-BE',
      isExtension: true,
    },
  },
  city: {
    ...ofVisitor,
    longest: 100,
    click: {
      name: 'city',
      description: 'City, without its district.',
      example: 'Berlin',
      isDeprecatedToo: true,
      toShown: cityName,
    },
  },
  device: {
    ...ofVisitor,
    longest: 50,
    click: {
      name: 'device',
      description: 'Type of device.',
      example: 'Mobile',
      isDeprecatedToo: true,
    },
  },
  browser: {
    ...ofVisitor,
    longest: 100,
    click: { name: 'browser', description: 'Browser.', example: 'Safari', isDeprecatedToo: true },
  },
  os: {
    ...ofVisitor,
    longest: 100,
    click: { name: 'os', description: 'Operating system.', example: 'iOS', isDeprecatedToo: true },
  },
  referer: {
    ...ofVisitor,
    longest: 253,
    click: {
      name: 'referer',
      description: 'Host of the referring page, or package name of the Android app.',
      example: '(direct)',
    },
  },
  referer_url: {
    ...ofVisitor,
    longest: 2_000,
    click: { name: 'refererUrl', description: 'Referring URL.', example: '(direct)' },
  },
  via: {
    ...via,
    isOfClick: true,
    click: {
      name: 'type',
      description: '`qr` for a scan of a QR code, otherwise `link`.',
      example: 'link',
      isDeprecatedToo: true,
    },
  },
  ip: {
    ...ofClick,
    longest: 45,
    click: {
      name: 'ip',
      description: 'IP address, without its last part.',
      example: '192.0.2.0',
      isDeprecatedToo: true,
    },
  },
  /** Id of the page that was shown or whose form was submitted. */
  page_id: { ...nullableText, csv: ['pageId'] },
  customer_id: { ...nullableText, csv: ['customerId', 'customerName', 'customerEmail'] },
  /** Amount of a sale or refund, in US cents. */
  amount_cents: { ...nullableCents, csv: ['amount'] },
  sale: { ...saleDetails, csv: ['currency', 'paymentProcessor', 'invoiceId'] },
  /** Metadata sent with a lead or sale, or the answers of a form. */
  metadata: { ...metadata, csv: ['metadata'] },
  variant: {
    ...nullableText,
    isOfClick: true,
    longest: 50,
    click: {
      name: 'variant',
      description: 'Variant of the A/B test that decided the destination; null if none did.',
      example: 'B',
      isExtension: true,
      isNullable: true,
    },
  },
  /**
   * `new` for the first visit of its visitor on a day in UTC; null for other events. The number of
   * visitors is the number of these events.
   */
  visitor,
  suspect: {
    ...nullableText,
    isOfClick: true,
    longest: 100,
    click: {
      name: 'suspect',
      description: 'Reason why the visit may come from a program; null for a visit of a person.',
      example: 'no-accept-language',
      isExtension: true,
      isNullable: true,
    },
  },
  /**
   * `wanted` for a visitor who sent Global Privacy Control or Do Not Track, `unknown` for events of
   * before this was stored. Destinations get neither.
   */
  privacy: { ...privacy, isOfClick: true },
} as const satisfies ColumnTable;

/** Makes a row with the initial value of every column. */
export function initialRow<Table extends ColumnTable>(table: Table): RowOf<Table> {
  return Object.fromEntries(
    Object.entries(table).map(([name, { initial }]) => [name, initial]),
  ) as RowOf<Table>;
}

/** Lists the names of the columns that have a property. */
export const columnsWith = (table: ColumnTable, property: keyof Column): string[] =>
  Object.keys(table).filter((name) => table[name]![property] !== undefined);

/** Picks the values that leads and sales copy from the event that they are attributed to. */
export function columnsOfClick(
  table: ColumnTable,
  event: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const names = columnsWith(table, 'isOfClick');
  return Object.fromEntries(names.map((name) => [name, event[name]]));
}

/** Lists the fields of `click` in records, with the columns that hold them. */
export const clickFields = (table: ColumnTable): ClickColumn[] =>
  Object.entries(table).flatMap(([column, { click }]) =>
    click === undefined ? [] : [{ ...click, column }],
  );

/** Returns the values of some fields of `click`, by name. */
export const clickValues = (
  fields: readonly ClickColumn[],
  event: Readonly<Record<string, unknown>>,
): Record<string, unknown> =>
  Object.fromEntries(
    fields.map(({ name, column, toShown }) => {
      const value = event[column];
      return [name, toShown === undefined ? value : toShown(String(value))];
    }),
  );

/** Lists the columns of the CSV export, in order. */
export const csvColumns = (table: ColumnTable): string[] =>
  Object.values(table).flatMap(({ click, csv = [] }) => [
    ...(click === undefined ? [] : [click.name]),
    ...csv,
  ]);
