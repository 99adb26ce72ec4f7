import fc from 'fast-check';
import type { Random } from './random.ts';

/** Members of `Joi.Schema.describe()` that are read here. */
export interface Described {
  type?: string;
  keys?: Record<string, Described>;
  items?: Described[];
  matches?: { schema?: Described }[];
  allow?: unknown[];
  flags?: { only?: boolean; presence?: string };
}

const LONG = 100_000;

const TEXTS = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  '\u202e\u2066',
  '\ufe0f'.repeat(180),
  `a${'\ufe0f'.repeat(24)}!`,
  '👩‍👩‍👧‍👦'.repeat(40),
  'e\u0301'.repeat(200),
  '%',
  '%00',
  '%ff%fe',
  '../..//./',
  '_/',
  '__proto__',
  'constructor',
  "'; DROP TABLE links; --",
  '<script>alert(1)</script>',
  '\r\nSet-Cookie: a=b',
  'javascript:alert(1)',
  'foo://',
  'http://127.0.0.1:5432/',
  'https://example.com/?a=1&a=2#b',
  '9'.repeat(400),
  '-1',
  '1e999',
  'NaN',
  'null',
  '[object Object]',
  '0x10',
  '+0',
  '99999-12-31T00:00:00Z',
  '2020-02-30',
  'a,b,,c',
  ',',
  '{"a":[]}',
];

const REPEATED = [
  'a',
  ' ',
  '/',
  '.',
  ':',
  '-',
  '(',
  '@',
  '%',
  '\ufe0f',
  '<!DOCTYPE ',
  'a,',
  '=&',
  'é',
];

/**
 * Builds a URL of a non-special scheme, whose host can be any text (URL Standard, opaque hosts).
 */
export const opaqueUrl = (random: Random, length: number): string =>
  `foo://${String.fromCharCode(...Array.from({ length }, () => 0xa1 + random.int(0x5f)))}`;

/** Draws code points of any plane, including unassigned ones and lone surrogates. */
const anyCharacters = (random: Random): string =>
  String.fromCodePoint(
    ...Array.from({ length: random.int(300) }, () =>
      random.int(random.pick([0x80, 0x800, 0x1_0000, 0x11_0000])),
    ),
  );

/** Draws a text that no client sends by intent. */
export function hostileText(random: Random): string {
  const draw = random.int(10);
  if (draw < 3) return random.pick(TEXTS);
  if (draw === 3) return opaqueUrl(random, random.pick([10, 300, 1_990]));
  if (draw < 6) return anyCharacters(random);
  if (draw < 8) return random.bytes(random.int(2_000)).toString('latin1');
  // Long repetitions expose loops and patterns that are not linear.
  const part = random.pick(REPEATED);
  const length = random.pick([20, 300, 3_000, LONG]);
  return part.repeat(Math.ceil(length / part.length)) + random.pick(['', '!', '\n', '\0']);
}

/** Draws any JSON value, of any depth. */
export function hostileJson(random: Random): unknown {
  const draw = random.int(10);
  if (draw < 3) return hostileText(random);
  if (draw < 7) return random.draw(fc.jsonValue({ maxDepth: 6 }));
  if (draw === 7) return random.pick([0, -0, -1, 0.5, 1e308, 2 ** 53, 2 ** 63, null, true, [], {}]);
  if (draw === 8) return Array.from({ length: random.pick([10, 1_000, 20_000]) }, () => 'a');
  let nested: unknown = 'x';
  for (let depth = random.pick([10, 40, 2_000]); depth > 0; depth -= 1) nested = [nested];
  return nested;
}

/** Draws a value that nearly matches a schema, as the base of a mutation. */
export function sampleOf(described: Described, random: Random, depth = 0): unknown {
  const { type, keys, items, matches, allow = [], flags } = described;
  const values = allow.filter((value) => typeof value !== 'object' || value === null);
  if (values.length > 0 && (flags?.only === true || random.chance(0.1))) return random.pick(values);
  if (matches?.length) {
    const { schema } = random.pick(matches);
    return schema === undefined ? 'x' : sampleOf(schema, random, depth);
  }
  switch (type ?? 'any') {
    case 'object':
      return Object.fromEntries(
        Object.entries(keys ?? {})
          .filter(
            ([, key]) =>
              key.flags?.presence === 'required' || random.chance(depth === 0 ? 0.2 : 0.6),
          )
          .map(([name, key]) => [name, sampleOf(key, random, depth + 1)]),
      );
    case 'array':
      return Array.from({ length: random.int(4) }, () =>
        sampleOf(items?.[0] ?? {}, random, depth + 1),
      );
    case 'number':
      return random.pick([0, 1, 2, 10, 50, 100, 512, 1000]);
    case 'boolean':
      return random.chance(0.5);
    case 'date':
      return new Date(Date.now() + random.int(10 ** 9) - 5 * 10 ** 8).toISOString();
    default:
      return random.pick([
        'https://example.com/a',
        'example.com',
        'summer',
        '+4915112345678',
        'a@example.com',
        'Europe/Berlin',
        'Größe ✓',
        '#336699',
      ]);
  }
}

/** Replaces, removes or adds one member or element of a value. */
export function mutate(value: unknown, random: Random): unknown {
  if (typeof value !== 'object' || value === null || random.chance(0.15))
    return hostileJson(random);
  if (Array.isArray(value)) {
    const copy = [...value] as unknown[];
    const at = random.int(copy.length + 1);
    if (at === copy.length) copy.push(hostileJson(random));
    else copy[at] = mutate(copy[at], random);
    return copy;
  }
  const copy: Record<string, unknown> = { ...value };
  const names = Object.keys(copy);
  const name = random.pick([...names, '']);
  const draw = random.int(6);
  if (name === '' || draw === 0) copy[hostileText(random)] = hostileJson(random);
  else if (draw === 1) delete copy[name];
  else copy[name] = mutate(copy[name], random);
  return copy;
}
