import { expect } from 'chai';
import { withoutCase, withoutSelectors } from '../../src/lookup/key-spelling.ts';
import { encodedKey, normalizeKey } from '../../src/lookup/short-link.ts';
import { encodedPath, readAddress } from '../../src/redirect/address.ts';
import { keyFault } from '../../src/short-links/key.ts';

const ENGLAND = '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}';
/** Characters that a path can hold unencoded (RFC 3986, 3.3), besides letters and digits. */
const PLAIN = "-._~!$&'()*+,;=:@";

const good = [
  'a',
  'A-b_c.d/e',
  '日本',
  '👩‍🚀',
  '🇩🇪',
  '1️⃣',
  '#️⃣',
  '*️⃣',
  '#⃣',
  '❤️‍🔥',
  ENGLAND,
  `${ENGLAND}/x`,
  'می‌خواهم',
  'क्‍ष',
  'é',
  'docs/*',
  '*',
  'a*/b',
  'c++x',
  'x'.repeat(190),
  '👍🏽'.repeat(95),
  ...Array.from(PLAIN, (character) => `a${character}b`),
  ...Array.from(PLAIN.replace(/[.+]/g, ''), (character) => `${character}${character}`),
  ...Array.from(PLAIN.replace('+', ''), (character) => `a${character}`),
];

const bad = [
  '',
  ' ',
  'a b',
  '/a',
  'a/',
  'a//b',
  './a',
  'a/..',
  'a?b',
  'a#b',
  '#',
  '#️',
  'a%b',
  'a\\b',
  'a+',
  '_',
  '_/a',
  'robots.txt',
  'favicon.ico',
  '.well-known',
  'x'.repeat(191),
  '\u202e',
  '\u200b',
  'a\u200c',
  '\u200ca',
  'a\u200c1',
  'a\u00ad',
  'a\ufeff',
  'a\u{e0067}\u{e007f}',
  '🏴\u{e0067}',
  'a\u0000',
  'a/*/*',
];

describe('keys', () => {
  for (const key of good) {
    it(`may be ${key.slice(0, 20)}`, () => expect(keyFault(key)).to.equal(undefined));
  }
  for (const key of bad) {
    it(`must not be ${JSON.stringify(key.slice(0, 20))}`, () =>
      expect(keyFault(key)).to.be.a('string'));
  }

  it('are found by their short links, however a client encodes them', () => {
    for (const key of [...good, ...randomKeys(2_000)]) {
      const link = `https://go.test/${encodedKey(key)}`;
      const raw = Buffer.from(`GET /${key.replaceAll('#', '%23')} HTTP/1.1\r\n`);
      const paths = {
        encodedKey: `/${encodedKey(key)}`,
        URL: new URL(link).pathname,
        encodeURIComponent: `/${encodeURIComponent(key)}`,
        'encodeURIComponent by segment': `/${key.split('/').map(encodeURIComponent).join('/')}`,
        // Node refuses raw UTF-8, and the client is redirected to this path.
        'raw UTF-8': encodedPath(raw) ?? `/${key.replaceAll('#', '%23')}`,
      };
      for (const [encoding, path] of Object.entries(paths)) {
        expect(readAddress(path), `${key} as ${encoding}`).to.deep.equal({
          asks: 'link',
          key,
          query: '',
        });
      }
    }
  });

  it('have one form for all spellings, which stays the same', () => {
    for (const key of [...good, ...randomKeys(2_000), 'ΣΑΣ', 'ſ', 'İstanbul', 'ǆ', 'ﬁ']) {
      const normalized = normalizeKey(key);
      expect(normalizeKey(normalized), key).to.equal(normalized);
      const bare = withoutSelectors(key) ?? key;
      expect(withoutSelectors(bare) ?? bare, key).to.equal(bare);
      const folded = withoutCase(key);
      expect(withoutCase(folded), key).to.equal(folded);
      expect(withoutCase(bare), key).to.equal(folded);
      expect(withoutCase(key.toUpperCase()), key).to.equal(folded);
      expect(withoutCase(key.toLowerCase()), key).to.equal(folded);
    }
  });

  it('have no presentation selectors where there is nothing to select', () => {
    expect(normalizeKey('a\ufe0f')).to.equal('a');
    expect(normalizeKey('1\ufe0f')).to.equal('1');
    expect(normalizeKey('1\ufe0f\u20e3❤\ufe0f\ufe0f')).to.equal('1\ufe0f\u20e3❤\ufe0f');
    expect(keyFault(normalizeKey('\ufe0f'))).to.be.a('string');
    expect(withoutSelectors('❤\ufe0fa\ufe0e')).to.equal('❤a');
    expect(withoutSelectors('plain')).to.equal(null);
  });
});

/** Draws valid keys of parts that interact: joiners, marks, emoji and delimiters. */
function randomKeys(count: number): string[] {
  const parts = [
    'a',
    'Z',
    '9',
    'ß',
    'é',
    '日',
    'می‌خ',
    '/',
    '❤',
    '❤️',
    '👍🏽',
    '1️⃣',
    '#️⃣',
    '\u200d',
    ENGLAND,
  ];
  const all = [...parts, ...Array.from(PLAIN)];
  const keys: string[] = [];
  while (keys.length < count) {
    const length = 1 + Math.floor(Math.random() * 8);
    const key = Array.from({ length }, () => all[Math.floor(Math.random() * all.length)]!)
      .join('')
      .normalize('NFC');
    if (keyFault(key) === undefined) keys.push(key);
  }
  return keys;
}
