import { expect } from 'chai';
import { routes } from '../../src/api/routes.ts';

/** A part of what Joi says of a schema. */
interface Description {
  type?: string;
  preferences?: { convert?: boolean };
}

/** Paths of the numbers and booleans in a schema that take texts, by a description of it. */
function convertingRules(part: unknown, path: string, isStrict = false): string[] {
  if (typeof part !== 'object' || part === null) return [];
  const { type, preferences } = part as Description;
  const strict = preferences?.convert === undefined ? isStrict : !preferences.convert;
  if ((type === 'number' || type === 'boolean') && !strict) return [path];
  return Object.entries(part).flatMap(([name, inner]) =>
    convertingRules(inner, `${path}.${name}`, strict),
  );
}

describe('the bodies of requests', () => {
  for (const { method, path, body } of routes) {
    if (body === undefined) continue;
    it(`of ${method.toUpperCase()} ${path} accept no text as number or boolean`, () => {
      expect(convertingRules(body.describe(), 'body')).to.deep.equal([]);
    });
  }
});
