import { expect } from 'chai';
import { searchQuery } from '../../src/console/short-links/search-query.ts';

describe('a search of the console', () => {
  const long = `https://example.com/?x=${'y'.repeat(1_500)}`;
  const searches: [what: string, text: string, query: string][] = [
    ['leaves words unchanged', ' spring  sale ', 'spring sale'],
    ['sends the first 200 letters', 'x'.repeat(300), 'x'.repeat(200)],
    ['sends the first 16 words', 'a '.repeat(20), Array(16).fill('a').join(' ')],
    ['sends a whole URL of any length', ` ${long}\n`, long],
    ['sends the beginning of two long URLs', `${long} ${long}`, long.slice(0, 200)],
  ];
  for (const [what, text, query] of searches) {
    it(what, () => {
      expect(searchQuery(text)).to.equal(query);
    });
  }
});
