import { expect } from 'chai';
import fc from 'fast-check';
import type { Schema } from 'joi';
import { Refusal } from '../../src/errors.ts';
import { check, checkSparse } from '../../src/http/input.ts';
import { rowBody } from '../../src/imports/rows.ts';
import { newLinkBody } from '../../src/links/schema.ts';
import { newQrCodeBody } from '../../src/qrcodes/schema.ts';

const SCHEMAS = {
  'a new link': newLinkBody,
  'a row of an import': rowBody,
  'a new QR code': newQrCodeBody,
};

const UNKNOWN = ['nope', 'constructor', '__proto__', 'Url'];

const VALUES: unknown[] = [
  undefined,
  null,
  true,
  'yes',
  '',
  0,
  5,
  1.5,
  '7',
  [],
  {},
  'https://example.com/a?utm_source=x',
  'javascript:1',
  'example.com',
  'spring',
  'a,b',
  ['a', 'a', ' b '],
  [1],
  '2030-01-01',
  '2020-02-30',
  '\0',
  'x'.repeat(40_000),
  { DE: 'https://example.com/de' },
  [{ value: { country: ['DE'] }, url: 'https://example.com/de' }],
  { type: 'url', url: 'https://example.com' },
];

/** The names of the fields of an object schema. */
const namesOf = (schema: Schema): string[] =>
  Object.keys((schema.describe() as { keys: Record<string, unknown> }).keys);

function outcomeOf(validate: typeof check, schema: Schema, value: unknown): unknown {
  try {
    return { value: validate(schema, value, 'body') };
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown;
    return { refused: thrown.message };
  }
}

describe('a schema of the fields that a body has', () => {
  for (const [what, schema] of Object.entries(SCHEMAS)) {
    it(`accepts, converts and refuses ${what} as the schema of all fields does`, () => {
      const field = fc.tuple(
        fc.constantFrom(...namesOf(schema), ...UNKNOWN),
        fc.constantFrom(...VALUES),
      );
      const body = fc
        .tuple(fc.array(field, { maxLength: 12 }), fc.constantFrom(...VALUES))
        .map(([members, url]) => ({ url, ...Object.fromEntries(members) }));
      fc.assert(
        fc.property(
          fc.oneof({ weight: 20, arbitrary: body }, fc.constantFrom(...VALUES)),
          (sent) => {
            expect(outcomeOf(checkSparse, schema, sent)).to.deep.equal(
              outcomeOf(check, schema, sent),
            );
          },
        ),
        { numRuns: 500 },
      );
    });
  }
});
