import type { EventRow } from './event.ts';

/** Columns of an event that hold a text, or nothing. */
type TextColumn = {
  [Column in keyof EventRow]: EventRow[Column] extends string | null ? Column : never;
}[keyof EventRow];

interface Dimension {
  /** The columns of an event whose values make the value, joined by tabs; without any, all events have the same value. */
  columns: readonly TextColumn[];
  /** Read from the events themselves; there are no rollups of it. */
  isRaw?: true;
  /** Its value is made of the UTM parameters of the destination instead, joined by tabs. */
  isUtm?: true;
  /** Its value is the destination without its query and fragment, which visitors and campaigns add to. */
  isPage?: true;
  /** Read from the rollups of this dimension, whose first columns are its own, or whose part it is, from 1. */
  rolledUpAs?: 'city' | 'utm';
  part?: number;
}

/** The table of dimensions: what events can be counted by. Rollups, their rebuild and all questions follow from it. */
export const DIMENSIONS = {
  all: { columns: [] },
  country: { columns: ['country'] },
  device: { columns: ['device'] },
  browser: { columns: ['browser'] },
  os: { columns: ['os'] },
  // Cities in different regions or countries may have the same name.
  city: { columns: ['country', 'region', 'city'] },
  region: { columns: ['country', 'region'], rolledUpAs: 'city' },
  referer: { columns: ['referer'] },
  referer_url: { columns: ['referer_url'] },
  url: { columns: ['url'], isPage: true },
  // Most destinations have a few combinations of them: one rollup serves all.
  utm: { columns: [], isUtm: true },
  utm_source: { columns: [], rolledUpAs: 'utm', part: 1 },
  utm_medium: { columns: [], rolledUpAs: 'utm', part: 2 },
  utm_campaign: { columns: [], rolledUpAs: 'utm', part: 3 },
  utm_term: { columns: [], rolledUpAs: 'utm', part: 4 },
  utm_content: { columns: [], rolledUpAs: 'utm', part: 5 },
  record: { columns: ['link_id'] },
  page: { columns: ['page_id'] },
  // Names of variants are unique within their link or QR code.
  variant: { columns: ['link_id', 'variant'] },
  event_name: { columns: ['event_name'] },
  /** An approximation: visitors get no cookie. */
  visitor: { columns: ['ip', 'browser', 'os', 'device'], isRaw: true },
} as const satisfies Record<string, Dimension>;

export type DimensionName = keyof typeof DIMENSIONS;

/** The names of all dimensions. */
export const DIMENSION_NAMES = Object.keys(DIMENSIONS) as readonly DimensionName[];

/** The definition of a dimension. */
export const dimensionOf = (name: DimensionName): Dimension => DIMENSIONS[name];

/** The columns of a dimension's value, as {@link DIMENSIONS} joins them. */
export const partsOf = (value: string): string[] => value.split('\t');

/** A destination without its query and fragment: the value of the dimension `url`. */
export const pageOf = (url: string): string => url.split('#', 1)[0]!.split('?', 1)[0]!;
