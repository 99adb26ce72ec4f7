import { expect } from 'chai';
import { slugFrom } from '../../src/console/ui/slug.ts';

describe('a slug made from a text', () => {
  const slugs: [text: string, slug: string][] = [
    ['Agentur Müller & Söhne', 'agentur-mueller-soehne'],
    ['Große Straße', 'grosse-strasse'],
    ['Müller'.normalize('NFD'), 'mueller'],
    ['STRAẞE', 'strasse'],
    ['My Spring Sale!', 'my-spring-sale'],
    ['  Café à la crème — 50 % ', 'cafe-a-la-creme-50'],
    ["Alice’s & Bob's", 'alices-bobs'],
    ['Smørrebrød, œuvre, Łódź, İstanbul', 'smoerrebroed-oeuvre-lodz-istanbul'],
    ['ﬁne ①', 'fine-1'],
    ['Кириллица', ''],
    ['---', ''],
    ['', ''],
    [`-${'a'.repeat(60)}`, 'a'.repeat(48)],
    [`${'a'.repeat(47)} b`, 'a'.repeat(47)],
  ];
  for (const [text, slug] of slugs) {
    it(`is “${slug}” for “${text}”`, () => expect(slugFrom(text)).to.equal(slug));
  }
});
