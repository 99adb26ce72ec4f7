import { readFileSync } from 'node:fs';
import type { BrowserContext, Page } from 'playwright-core';
import { readPo } from '#texts/po';

/*
 * A language for tests, in place of Japanese, whose dates and numbers have no Latin letters either:
 * each letter of a text has an accent, and the text is 40% longer. A word without accents was not
 * translated.
 */

const CATALOG = 'src/console/languages/ja.po';

/** Letters with an accent in place of a to z, and of A to Z. */
const LOWER = [...'åƀçđéƒĝĥîĵķļɱñøþɋřšţûṽŵẋýž'];
const UPPER = [...'ÅƁÇĐÉƑĜĤÎĴĶĻṀÑØÞɊŘŠŢÛṼŴẊÝŽ'];

/** Parts of a text that stay: places of values, elements and patterns. */
const PLACES = /(\{\d+\}|<\/?\d+>|\$\d)/;

/** Returns a text in the language for tests. */
export function inPseudoLanguage(text: string): string {
  const accented = text
    .split(PLACES)
    .map((part, index) =>
      index % 2 === 1
        ? part
        : part
            .replaceAll(/[a-z]/g, (letter) => LOWER[letter.charCodeAt(0) - 97]!)
            .replaceAll(/[A-Z]/g, (letter) => UPPER[letter.charCodeAt(0) - 65]!),
    )
    .join('');
  const letters = text.replaceAll(new RegExp(PLACES, 'g'), '').length;
  return `${accented}${'ø'.repeat(Math.ceil(letters * 0.4))}`;
}

/** Shows the console in the language for tests in all windows of a context. */
export async function usePseudoLanguage(context: BrowserContext): Promise<void> {
  const catalog = Object.fromEntries(
    [...readPo(readFileSync(CATALOG, 'utf8')).values()].map(({ text, plural }) => [
      text,
      plural === undefined ? inPseudoLanguage(text) : [inPseudoLanguage(plural)],
    ]),
  );
  await context.route(/\/assets\/ja-[^/]*\.js$/, (route) =>
    route.fulfill({
      contentType: 'text/javascript',
      body: `export default ${JSON.stringify(catalog)};`,
    }),
  );
  await context.addInitScript("localStorage.setItem('language', 'ja')");
}

/** Lists the visible texts and names of a page that have a word of Latin letters without accents. */
export const englishTexts = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const texts = new Set<string>();
    const add = (text: string | null) => {
      const words = (text ?? '').replaceAll(/\S*(?:\w[./@:_-]\w|\d)\S*/g, '');
      if (/(?<!\p{L})[a-zA-Z]{2,}(?!\p{L})/u.test(words)) texts.add(text!.trim());
    };
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const { parentElement: parent } = node;
      if (parent === null || !parent.checkVisibility()) continue;
      if (parent.closest('code, pre, script, style, noscript, svg, [translate=no]') !== null)
        continue;
      add(node.textContent);
    }
    for (const element of document.body.querySelectorAll('*')) {
      if (!element.checkVisibility()) continue;
      for (const name of ['aria-label', 'title', 'placeholder', 'alt', 'aria-description']) {
        add(element.getAttribute(name));
      }
    }
    return [...texts];
  });
