import type { OptionList } from './field.tsx';

/** IANA name of the browser's time zone. */
export const browserZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Lists the time zones to choose from; the present one is among them. */
export function zonesWith(zone: string): OptionList {
  const zones = new Set([zone, 'UTC', ...Intl.supportedValuesOf('timeZone')]);
  return [...zones].toSorted().map((name) => [name, name.replaceAll('_', ' ')]);
}
