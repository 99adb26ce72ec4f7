import { expect } from 'chai';
import { routes } from '../../src/api/routes.ts';

/** Members of Joi's description that are read here. */
interface Description {
  type?: string;
  preferences?: { convert?: boolean };
}

/** Lists the paths of numbers and booleans in a described schema that accept texts. */
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
