import { expect } from 'chai';
import fc from 'fast-check';
import { replaceInUrl } from '../../src/bulk-changes/replace.ts';

const textOf = (letters: readonly string[], minLength = 0) =>
  fc.array(fc.constantFrom(...letters), { minLength, maxLength: 6 }).map((all) => all.join(''));
const LETTERS = ['a', 'x', 'B', 'C', '3', '2', '0', 'ü', 'Ü', '日', '😀', ' '];

const encoders: readonly ((text: string) => string)[] = [
  encodeURIComponent,
  (text) => encodeURIComponent(text).replaceAll(/%[\dA-F]{2}/g, (escape) => escape.toLowerCase()),
];

describe('replacement in a destination', () => {
  for (const part of ['path', 'query', 'url'] as const) {
    it(`of part ${part} keeps all other characters, encoded or not`, () => {
      fc.assert(
        fc.property(
          textOf([...LETTERS, '%']),
          textOf(LETTERS, 1),
          textOf(LETTERS),
          fc.constantFrom(...encoders),
          (text, find, to, encode) => {
            const host = part === 'url' ? 'J.test' : 'J.test:443';
            const start = `https://${host}/d/../${part === 'query' ? 'ok?q=' : ''}`;
            const end = part === 'query' ? '#d' : '?j#d';
            const after = replaceInUrl(`${start}${encode(text)}${end}`, {
              find,
              with: to,
              in: part,
              ignoreCase: false,
            });
            expect(after.slice(0, start.length)).to.equal(start);
            expect(after.slice(-end.length)).to.equal(end);
            const changed = after.slice(start.length, -end.length);
            expect(decodeURIComponent(changed)).to.equal(text.replaceAll(find, () => to));
            if (!text.includes(find)) expect(changed).to.equal(encode(text));
          },
        ),
        { numRuns: 2_000 },
      );
    });
  }

  for (const [url, replacement, expected] of [
    ['https://a.test/f%C3%BCr-C3', { find: 'C3', with: 'C4' }, 'https://a.test/f%C3%BCr-C4'],
    ['https://a.test/a%20b-20', { find: '20', with: '30' }, 'https://a.test/a%20b-30'],
    ['https://a.test/%2520', { find: '20', with: '30' }, 'https://a.test/%2530'],
    ['https://a.test/a%20b', { find: '%20', with: '+' }, 'https://a.test/a+b'],
    ['https://a.test/%c3%bc', { find: 'ü', with: 'ue' }, 'https://a.test/ue'],
    ['https://a.test/%C3%BC', { find: '%c3%bc', with: 'ue' }, 'https://a.test/ue'],
    ['https://xn--bcher-kva.test/b', { find: 'bücher.test', with: 'b.test' }, 'https://b.test/b'],
    [
      'https://xn--bcher-kva.test/',
      { find: 'Bücher', with: 'Märkte', in: 'host' },
      'https://xn--mrkte-gra.test/',
    ],
    ['https://xn--bcher-kva.test/', { find: 'ü', with: 'ue', in: 'host' }, 'https://buecher.test/'],
    ['https://xn--bcher-kva.test/%C3%BC', { find: 'ü', with: 'ue' }, 'https://buecher.test/ue'],
    [
      'https://xn--bcher-kva.test/f%C3%BCr',
      { find: 'https://bücher.test/für', with: 'https://b.test/a' },
      'https://b.test/a',
    ],
    ['https://xn--bcher-kva.test/', { find: 'xn--bcher-kva', with: 'b' }, 'https://b.test/'],
    ['https://a.test/A', { find: 'a', with: 'ü', in: 'host' }, 'https://xn--tda.test/A'],
    ['https://a.test/a', { find: 'a.test', with: 'bücher.test' }, 'https://xn--bcher-kva.test/a'],
    [
      'https://A.test:443/x/../y?q=a|b',
      { find: 'y', with: 'ü z', in: 'path' },
      'https://A.test:443/x/../%C3%BC%20z?q=a|b',
    ],
    [
      'https://A.test:443/x/../y',
      { find: 'A', with: 'B', in: 'host' },
      'https://B.test:443/x/../y',
    ],
    ['https://a.test/x', { find: 'x', with: 'a\\b|c' }, 'https://a.test/a%5Cb%7Cc'],
    ['myapp://open/a', { find: 'open', with: 'ü', in: 'host' }, 'myapp://%C3%BC/a'],
    ['https://a.test/A', { find: 'A', with: 'b' }, 'https://a.test/b'],
  ] as const) {
    it(`${JSON.stringify(replacement)} in ${url} is ${expected}`, () => {
      const result = replaceInUrl(url, { in: 'url', ignoreCase: false, ...replacement });
      expect(result).to.equal(expected);
    });
  }

  for (const to of [
    'ü/x',
    'ü?x',
    'ü#x',
    'ü@x',
    'ü:1',
    'a b',
    'ü%2f',
    'xn--\u00fc',
    'ü'.repeat(3_000),
  ]) {
    it(`with ${to.slice(0, 10)} in the host is refused`, () => {
      expect(() =>
        replaceInUrl('https://a.test/', { find: 'a', with: to, in: 'host', ignoreCase: false }),
      ).to.throw(/^must (?:be a valid URL|not change outside of its host)$/);
    });
  }
});
