import { UNKNOWN } from '../../../visitors/places.ts';
import type { GroupList, Row, ValueNames } from './group.ts';

/** Returns a text of a row. */
const textOf = (row: Row, field: string): string => String(row[field] ?? '');

/** Returns true for the value of events whose value is not known. */
export const isUnknown = (value: string): boolean => value === '' || value === UNKNOWN;

/**
 * Makes the list of a group with its value in one field.
 *
 * @param kind kind of the values that have names in each language
 */
export const listOf = (
  title: GroupList['title'],
  field: string,
  kind?: keyof ValueNames,
): GroupList => ({
  title,
  valueOf: (row) => textOf(row, field),
  ...(kind !== undefined && { nameOf: (row, names) => names[kind](textOf(row, field)) }),
});

/**
 * Makes the list of a group of places, which people read with their country.
 *
 * @param fields fields of the place, the smallest first
 */
export const placeList = (title: GroupList['title'], fields: readonly string[]): GroupList => ({
  title,
  valueOf: (row) => joined(row, [...fields, 'country']),
  nameOf(row, names) {
    const place = textOf(row, fields[0]!);
    const country = names.country(textOf(row, 'country'));
    return isUnknown(place) ? country : `${place}, ${country}`;
  },
});

/** Joins texts of a row. */
function joined(row: Row, fields: readonly string[]): string {
  return fields
    .map((field) => textOf(row, field))
    .filter((text) => text !== '')
    .join(', ');
}

/** Makes the list of links or QR codes by their short links. */
export const recordList = (title: GroupList['title']): GroupList => ({
  title,
  valueOf: (row) => textOf(row, 'shortLink').replace(/^https?:\/\//, ''),
});

/** The list of variants, with the short links that they belong to. */
export const variantList: GroupList = {
  title: 'Variants',
  valueOf: (row) => `${textOf(row, 'variant')}, ${textOf(row, 'domain')}/${textOf(row, 'key')}`,
};
