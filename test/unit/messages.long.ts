import { expect } from 'chai';
import { routes } from '../../src/api/routes.ts';
import { Refusal } from '../../src/errors.ts';
import { check } from '../../src/http/input.ts';

/** Values of every type, most of which violate a rule of every field. */
const VALUES: readonly unknown[] = [
  null,
  true,
  'yes',
  '',
  ' x ',
  'x'.repeat(40_000),
  'a b',
  'localhost',
  'a\u0000b',
  'javascript:alert(1)',
  'https://example.com/a',
  '2026-02-30',
  '-1',
  '1.5',
  -1,
  0,
  1.005,
  2 ** 60,
  1e12,
  Number.POSITIVE_INFINITY,
  {},
  { unknown: 1 },
  [],
  [null],
  ['x', 'x'],
  Array.from({ length: 400 }, () => 'x'),
];

/** Members of `schema.describe()` that are read here. */
interface Description {
  keys?: Record<string, Description>;
  items?: Description[];
  matches?: { schema?: Description; then?: Description; otherwise?: Description }[];
  patterns?: { rule: Description }[];
}

/** Yields values for a schema, with every one of VALUES at every described place. */
function* valuesFor(description: Description): Generator<unknown> {
  yield* VALUES;
  const { keys = {}, items = [], matches = [], patterns = [] } = description;
  yield Object.fromEntries(Object.keys(keys).map((name) => [name, 'x']));
  for (const [name, inner] of Object.entries(keys)) {
    for (const value of valuesFor(inner)) yield { [name]: value };
  }
  for (const item of items) for (const value of valuesFor(item)) yield [value];
  for (const { schema, then, otherwise } of matches) {
    for (const inner of [schema, then, otherwise]) if (inner !== undefined) yield* valuesFor(inner);
  }
  for (const { rule } of patterns) for (const value of valuesFor(rule)) yield { DE: value };
}

function messagesOf(schema: Parameters<typeof check>[0], where: string): Set<string> {
  const messages = new Set<string>();
  for (const value of valuesFor(schema.describe() as Description)) {
    try {
      check(schema, value, where);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      for (const message of error.message.split('; ')) messages.add(message);
    }
  }
  return messages;
}

const SENTENCE = /^[^"]*?\b(must (not )?[a-z]|is required$|is not a known field$)/;
/** Vague messages of Joi, and plurals after one. */
const UNWANTED =
  /\b1 (items|characters|fields)\b|(less|greater) than or equal|fails to match|not allowed|does not|contains|iso format|\buri\b/;

describe('error messages', () => {
  for (const { method, path, params, query, body, bodyCheck } of routes) {
    for (const [where, schema] of Object.entries({ params, query, body: bodyCheck ?? body })) {
      if (schema === undefined) continue;
      it(`name the field and its rule, in the ${where} of ${method} ${path}`, () => {
        const messages = [...messagesOf(schema, where)];
        expect(messages).not.to.have.length(0);
        const odd = messages.filter((one) => !SENTENCE.test(one) || UNWANTED.test(one));
        expect(odd).to.deep.equal([]);
      });
    }
  }

  const rows: [path: string, where: 'query' | 'body', value: unknown, message: string][] = [
    ['/domains', 'body', { slug: 'localhost' }, 'slug must be a full domain name'],
    [
      '/webhooks',
      'body',
      { name: 'x', url: 'https://a.example', kinds: [] },
      'kinds must contain at least 1 item',
    ],
    ['/tags', 'body', {}, 'name is required'],
    ['/tags', 'body', { name: 'x', colour: 'red' }, 'colour is not a known field'],
    ['/pages', 'body', { title: '' }, 'title must not be empty'],
    ['/pages', 'body', 'x', 'body must be an object'],
    ['/pages', 'body', { title: 'x', waitSeconds: 61 }, 'waitSeconds must be at most 60'],
  ];
  for (const [path, where, value, message] of rows) {
    it(`read "${message}"`, () => {
      const route = routes.find((one) => one.path === path && one.method === 'post');
      expect(() => check(route![where]!, value, where)).to.throw(Refusal, message);
    });
  }
});
