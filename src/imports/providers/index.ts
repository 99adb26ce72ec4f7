import { plainHeader } from '../fields.ts';
import { bitly } from './bitly.ts';
import { dub } from './dub.ts';
import { kutt } from './kutt.ts';
import { polr } from './polr.ts';
import type { Provider, ProviderRecord, ProviderWithApi } from './provider.ts';
import { shlink } from './shlink.ts';
import { shortio } from './shortio.ts';
import { sink } from './sink.ts';
import { yourls } from './yourls.ts';

/** Providers with an API that lists links, by their names in requests. */
export const API_PROVIDERS = {
  bitly,
  dub,
  kutt,
  shlink,
  shortio,
  yourls,
} as const satisfies Record<string, ProviderWithApi>;

/** Providers whose exports can be imported, by their names in requests. */
export const PROVIDERS = { ...API_PROVIDERS, polr, sink } as const satisfies Record<
  string,
  Provider
>;

export type ApiProviderName = keyof typeof API_PROVIDERS;
export type ProviderName = keyof typeof PROVIDERS;

export const API_PROVIDER_NAMES = Object.keys(API_PROVIDERS) as ApiProviderName[];
export const PROVIDER_NAMES = Object.keys(PROVIDERS) as ProviderName[];

/**
 * Returns the provider whose records have these properties or columns; `undefined` if there is
 * none.
 *
 * @param kind kind of the file; only CSV can be read without a provider
 */
export function recognize(
  names: readonly string[],
  kind: 'csv' | 'json' | 'sql',
): ProviderName | undefined {
  const plain = new Set(names.map(plainHeader));
  return PROVIDER_NAMES.find((provider) => {
    const { marks, looseMarks = [] }: Provider = PROVIDERS[provider];
    const all = kind === 'csv' ? marks : [...marks, ...looseMarks];
    return all.some((mark) => mark.every((name) => plain.has(name)));
  });
}

/**
 * Converts a provider's record to the cells of its links, in the order of the provider's fields.
 */
export function toCells(name: ProviderName, record: object): string[][] {
  const provider: Provider = PROVIDERS[name];
  const plain: ProviderRecord = Object.fromEntries(
    Object.entries(record).map(([property, value]) => [plainHeader(property), value as unknown]),
  );
  return provider.links(plain).map((link) => provider.fields.map((field) => toCell(link[field])));
}

function toCell(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}
