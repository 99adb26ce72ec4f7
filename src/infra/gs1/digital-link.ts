import { type Identifier, identifiers } from './identifiers.ts';
import { valueFault } from './value.ts';

/*
 * GS1 Digital Link URIs (GS1 Digital Link Standard: URI Syntax, 1.2 to 1.6), uncompressed:
 *
 *   https://example.com/01/09520123456788/10/ABC?17=290331
 *                       └ primary key ──┘ └ qualifiers, data attributes in the query
 */

/** Values by their application identifiers: `{ '01': '09520123456788', '10': 'ABC' }`. */
export type ElementSet = Readonly<Record<string, string>>;

const has = (data: ElementSet, name: string): boolean => Object.hasOwn(data, name);

/** The identifier of the set that matches a pattern, in which `n` is any digit, if there is one. */
const matchOf = (data: ElementSet, pattern: string, except?: string): string | undefined =>
  Object.keys(data).find(
    (name) =>
      name !== except &&
      name.length === pattern.length &&
      name.startsWith(pattern.replaceAll('n', '')),
  );

/** The primary key of a set. Of several, one is it and the others are attributes: a GTIN first. */
export function primaryKeyOf(data: ElementSet): string | undefined {
  const keys = Object.keys(data).filter((name) => identifiers().get(name)?.qualifiers);
  return keys.includes('01') ? '01' : keys.toSorted()[0];
}

/** The qualifiers of a set in the order of the path; `undefined` if they don't belong together. */
function qualifiersOf(data: ElementSet, key: string): string[] | undefined {
  const sequences = identifiers().get(key)!.qualifiers!;
  const all = new Set(sequences.flat());
  const present = [...all].filter((name) => has(data, name));
  const sequence = sequences.find((one) => present.every((name) => one.includes(name)));
  return present.length === 0 ? [] : sequence?.filter((name) => has(data, name));
}

const inBrackets = (names: readonly string[], word: string): string => {
  const all = names.map((name) => `(${name})`);
  return all.length < 2 ? all.join('') : `${all.slice(0, -1).join(', ')} ${word} ${all.at(-1)!}`;
};

function pairFault(data: ElementSet, name: string, rule: Identifier): string | undefined {
  const isMet = (set: readonly string[]) =>
    set.every((pattern) => matchOf(data, pattern) !== undefined);
  if (rule.needs.length > 0 && !rule.needs.some(isMet)) {
    const sets = rule.needs.map((set) => inBrackets(set, 'and'));
    return `must have ${sets.length > 1 ? 'one of ' : ''}${sets.join(', ')} with (${name})`;
  }
  const excluded = rule.excludes
    .map((pattern) => matchOf(data, pattern, name))
    .find((other) => other !== undefined);
  return excluded === undefined ? undefined : `must not have (${excluded}) with (${name})`;
}

/**
 * The rule that a set breaks, as the end of the sentence "data …"; `undefined` if it breaks none.
 * Checks formats, check digits, and which identifiers need and exclude each other.
 */
export function setFault(data: ElementSet): string | undefined {
  const names = Object.keys(data);
  const unknown = names.find((name) => !identifiers().has(name));
  if (unknown !== undefined) {
    return `must not have (${unknown}), which is no application identifier of a GS1 Digital Link`;
  }
  const key = primaryKeyOf(data);
  if (key === undefined) return 'must have a primary key, such as (01)';
  for (const [name, value] of Object.entries(data)) {
    const fault = valueFault(identifiers().get(name)!.components, value);
    if (fault !== undefined) return `must ${fault} in (${name})`;
  }
  for (const name of names) {
    const fault = pairFault(data, name, identifiers().get(name)!);
    if (fault !== undefined) return fault;
  }
  if (qualifiersOf(data, key) === undefined) {
    const sequences = identifiers()
      .get(key)!
      .qualifiers!.map((one) => inBrackets(one, 'and'));
    return `must have after (${key}) either ${sequences.join(' or ')}`;
  }
  return undefined;
}

/** Percent-encodes a value for a path or query; the standard reserves more than `encodeURI`. */
const encoded = (value: string): string =>
  encodeURIComponent(value).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** Identifiers of the path of a valid set, the primary key first. */
function pathOf(data: ElementSet): string[] {
  const key = primaryKeyOf(data)!;
  return [key, ...(qualifiersOf(data, key) ?? [])];
}

/** Path and query of the canonical URI of a valid set, with its leading slash. */
export function canonicalUri(data: ElementSet): string {
  const inPath = pathOf(data);
  const path = inPath.map((name) => `/${name}/${encoded(data[name]!)}`).join('');
  const attributes = Object.keys(data).filter((name) => !inPath.includes(name));
  const query = attributes.toSorted().map((name) => `${name}=${encoded(data[name]!)}`);
  return query.length === 0 ? path : `${path}?${query.join('&')}`;
}

/**
 * The decoded path of a valid set without its leading slash, and those of the wider sets above it,
 * the nearest first: without the last qualifier, and so on up to the primary key.
 */
export function pathsOf(data: ElementSet): [path: string, ...above: string[]] {
  const parts = pathOf(data).map((name) => `${name}/${data[name]!}`);
  return parts.map((_, at) => parts.slice(0, parts.length - at).join('/')) as [string, ...string[]];
}

/**
 * Reads a set from text in brackets, as it is printed under barcodes: `(01)09520123456788(10)ABC`.
 * A bracket that is part of a value follows a backslash. `undefined` for any other text.
 */
export function readElements(text: string): ElementSet | undefined {
  const trimmed = text.trim();
  if (!/^(?:\(\d{2,4}\)(?:\\.|[^(\\])+)+$/.test(trimmed)) return undefined;
  const data: Record<string, string> = {};
  for (const [, name = '', value = ''] of trimmed.matchAll(/\((\d{2,4})\)((?:\\.|[^(\\])+)/g)) {
    if (has(data, name)) return undefined;
    data[name] = value.replaceAll(/\\(.)/g, '$1').trim();
  }
  return data;
}

/** Beginning of a path whose identifier and value can be a primary key. */
const KEY_PATH = /^(\d{2,4})\/([^/]+)/;

/**
 * True for a path that can only be meant as a GS1 Digital Link: a primary key in digits of the right
 * number, or a GTIN of another length.
 *
 * @param path without its leading slash
 */
export function isMeantAsGs1(path: string): boolean {
  const [, name = '', value = ''] = KEY_PATH.exec(path) ?? [];
  const { components, qualifiers } = identifiers().get(name) ?? {};
  if (components === undefined || qualifiers === undefined || !/^\d+$/.test(value)) return false;
  if (name === '01') return [8, 12, 13, 14].includes(value.length);
  return components[0]!.charset === 'N' && value.length >= components[0]!.max;
}

/**
 * True for a path with the syntax of a GS1 Digital Link.
 *
 * @param path percent-encoded, without its leading slash; one at the end is ignored
 */
export function isValidPath(path: string): boolean {
  const segments = path.replace(/\/$/, '').split('/');
  if (segments.length % 2 === 1) return false;
  const data: Record<string, string> = {};
  for (let at = 0; at < segments.length; at += 2) {
    if (has(data, segments[at]!)) return false;
    try {
      data[segments[at]!] = decodeURIComponent(segments[at + 1]!);
    } catch {
      return false;
    }
  }
  if (setFault(data) !== undefined) return false;
  const names = segments.filter((_, at) => at % 2 === 0);
  return names.join('/') === pathOf(data).join('/');
}
