import { type DimensionName, dimensionOf } from '../../dimensions.ts';

/** Builds SQL of the value of a dimension for an event `e`; NULL if the event has none. */
export function valueSql(name: DimensionName): string {
  const { columns, isUtm, isPage } = dimensionOf(name);
  // Most destinations have no UTM parameters, and need no function call.
  if (isUtm) return "CASE WHEN position('utm_' IN e.url) > 0 THEN utm_value(e.url) END";
  if (isPage) return pageSql('e.url');
  if (columns.length === 0) return "''";
  return columns.map((column) => `e.${column}`).join(" || E'\\t' || ");
}

/** SQL that strips query and fragment from a destination, like `pageOf`. */
export const pageSql = (url: string): string =>
  `split_part(split_part(${url}, '#', 1), chr(63), 1)`;

/** SQL of the form in which names of cities are compared, like `cityKey`. */
export const cityKeySql = (city: string): string => `name_key(split_part(${city}, ' (', 1))`;
