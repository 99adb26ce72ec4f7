import { plainHeader } from '../fields.ts';
import { bitly } from './bitly.ts';
import { dub } from './dub.ts';
import { kutt } from './kutt.ts';
import type { Provider, ProviderRecord } from './provider.ts';
import { shlink } from './shlink.ts';
import { shortio } from './shortio.ts';
import { yourls } from './yourls.ts';

/** Providers whose exports can be imported, by their names in requests. */
export const PROVIDERS = { bitly, dub, kutt, shlink, shortio, yourls } as const satisfies Record<
  string,
  Provider
>;

export type ProviderName = keyof typeof PROVIDERS;

export const PROVIDER_NAMES = Object.keys(PROVIDERS) as ProviderName[];

/**
 * Returns the provider whose records have these properties or columns; `undefined` if there is
 * none.
 */
export function recognize(names: readonly string[]): ProviderName | undefined {
  const plain = new Set(names.map(plainHeader));
  return PROVIDER_NAMES.find((provider) => isOf(PROVIDERS[provider], plain));
}

const isOf = ({ marks }: Provider, names: ReadonlySet<string>): boolean =>
  marks.some((mark) => mark.every((name) => names.has(name)));

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
