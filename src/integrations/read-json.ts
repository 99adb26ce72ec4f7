import { isStorable } from '../infra/storable-text.ts';

/** A JSON object whose fields are not validated yet. */
export type Fields = Readonly<Record<string, unknown>>;

/** Maximum length of a text that is read. */
const MAX_TEXT = 255;

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns a field that is an object; an empty object for anything else. */
export function objectIn(fields: Fields, name: string): Fields {
  const value = fields[name];
  return isObject(value) ? value : {};
}

/** Returns the objects of a field that is a list. */
export function listIn(fields: Fields, name: string): Fields[] {
  const value = fields[name];
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/**
 * Returns a field that is a text with 1 to `max` characters, without spaces around it; `undefined`
 * for anything else.
 */
export const textIn = (fields: Fields, name: string, max = MAX_TEXT): string | undefined =>
  textOf(fields[name], max);

function textOf(value: unknown, max = MAX_TEXT): string | undefined {
  if (typeof value !== 'string' || value.length > max || !isStorable(value)) return undefined;
  return value.trim() || undefined;
}

/** Returns a field that is an integer, at least 0; `undefined` for anything else. */
export function countIn(fields: Fields, name: string): number | undefined {
  const value = fields[name];
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined;
}

/** Returns the code of the field `currency` in capitals; `undefined` if it is no text. */
export const currencyIn = ({ currency }: Fields): string | undefined =>
  textOf(currency)?.toUpperCase();
