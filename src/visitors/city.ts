import { nameKey } from '../infra/name-key.ts';

/**
 * Returns the name of a city without its district, which databases of places add in parentheses:
 * `Berlin` for `Berlin (Bezirk Mitte)`. Events of earlier versions have districts.
 */
export const cityName = (name: string): string => name.split(' (', 1)[0]!;

/** Returns the form in which names of cities are compared: without case, accents and district. */
export const cityKey = (name: string): string => nameKey(cityName(name));

/** Returns true if a city is one of these, whose names may have been written by people. */
export function isOneOfCities(city: string, names: readonly string[]): boolean {
  const key = cityKey(city);
  return names.some((name) => cityKey(name) === key);
}
