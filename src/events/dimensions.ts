import { foldCase } from '../infra/letter-case.ts';
import { cityName } from '../visitors/city.ts';
import { storedSystemOf } from '../visitors/device.ts';
import { sourceOf } from '../visitors/sources.ts';
import type { EventRow } from './event.ts';

/** Columns of an event that hold a text or null. */
type TextColumn = {
  [Column in keyof EventRow]: EventRow[Column] extends string | null ? Column : never;
}[keyof EventRow];

interface Dimension {
  /**
   * Columns of an event whose values, joined by tabs, make the value. With no columns, all events
   * share one value.
   */
  columns: readonly TextColumn[];
  /** True if blocks do not contain the dimension, so that events themselves are read. */
  isRaw?: true;
  /** True if the value is made of the UTM parameters of the destination, joined by tabs. */
  isUtm?: true;
  /**
   * True if the value is the destination without query and fragment, which visitors and campaigns
   * extend.
   */
  isPage?: true;
  /**
   * Dimension that blocks contain instead of this one. Its first columns are the columns of this
   * one; with `part`, this one is that part of its value, from 1.
   */
  storedAs?: 'city' | 'utm' | 'os' | 'referer';
  part?: number;
  /** Name of a value of the stored dimension; several values can share one. */
  nameOf?: (value: string) => string;
  /** True if values that differ only in case are one, shown in the spelling that sorts last. */
  ignoresCase?: true;
}

/**
 * The dimensions by which events can be counted. Columns of blocks, sums, kept counts and all
 * queries follow from this table.
 */
export const DIMENSIONS = {
  all: { columns: [] },
  country: { columns: ['country'] },
  device: { columns: ['device'] },
  browser: { columns: ['browser'] },
  os: { columns: ['os'] },
  // Earlier releases stored some names as user agents spell them.
  system: { columns: ['os'], storedAs: 'os', nameOf: storedSystemOf },
  // Cities in different regions or countries may have the same name.
  city: { columns: ['country', 'region', 'city'], nameOf: withoutDistrict },
  region: { columns: ['country', 'region'], storedAs: 'city' },
  referer: { columns: ['referer'] },
  source: { columns: ['referer'], storedAs: 'referer', nameOf: sourceOf },
  referer_url: { columns: ['referer_url'] },
  url: { columns: ['url'], isPage: true },
  // Most destinations use a few combinations of them, so one column of a block serves all five.
  utm: { columns: [], isUtm: true },
  utm_source: { columns: [], storedAs: 'utm', part: 1, ignoresCase: true },
  utm_medium: { columns: [], storedAs: 'utm', part: 2, ignoresCase: true },
  utm_campaign: { columns: [], storedAs: 'utm', part: 3, ignoresCase: true },
  utm_term: { columns: [], storedAs: 'utm', part: 4, ignoresCase: true },
  utm_content: { columns: [], storedAs: 'utm', part: 5, ignoresCase: true },
  record: { columns: ['link_id'] },
  page: { columns: ['page_id'] },
  // Names of variants are unique within their link or QR code.
  variant: { columns: ['link_id', 'variant'] },
  event_name: { columns: ['event_name'] },
  /** An approximation, because visitors get no cookie. */
  visitor: { columns: ['ip', 'browser', 'os', 'device'], isRaw: true },
} as const satisfies Record<string, Dimension>;

export type DimensionName = keyof typeof DIMENSIONS;

/** The names of all dimensions. */
export const DIMENSION_NAMES = Object.keys(DIMENSIONS) as readonly DimensionName[];

/** Returns the definition of a dimension. */
export const dimensionOf = (name: DimensionName): Dimension => DIMENSIONS[name];

/** Splits the value of a dimension into the values of its columns. */
export const partsOf = (value: string): string[] => value.split('\t');

/** Returns a value of the dimension `city` without the district. */
export function withoutDistrict(value: string): string {
  if (!value.includes('(')) return value;
  const [country, region, city] = partsOf(value);
  return [country, region, cityName(city!)].join('\t');
}

/**
 * Makes a function that derives the value of a dimension from that of the dimension which is stored
 * instead; empty if it has none.
 */
export function deriveFrom(name: DimensionName): (stored: string) => string {
  const { columns, part, nameOf } = dimensionOf(name);
  if (nameOf !== undefined) return nameOf;
  if (part !== undefined) return (stored) => partsOf(stored)[part - 1] ?? '';
  return (stored) => partsOf(stored).slice(0, columns.length).join('\t');
}

/** Makes a function that returns the text by which values of a dimension are compared and sorted. */
export const keyOfValues = (name: DimensionName): ((value: string) => string) =>
  dimensionOf(name).ignoresCase === true ? foldCase : (value) => value;

/** Strips query and fragment from a destination; the result is the value of the dimension `url`. */
export const pageOf = (url: string): string => url.split('#', 1)[0]!.split('?', 1)[0]!;
