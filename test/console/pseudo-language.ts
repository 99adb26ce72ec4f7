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
const LOWER = 'åƀçđéƒĝĥîĵķļɱñøþɋřšţûṽŵẋýž'.split('');
const UPPER = 'ÅƁÇĐÉƑĜĤÎĴĶĻṀÑØÞɊŘŠŢÛṼŴẊÝŽ'.split('');

/** Parts of a text that stay: places of values, elements and patterns. */
const PLACES = /(\{\d+\}|<\/?\d+>|\$\d)/;

/** Returns a text in the language for tests. */
function accented(text: string): string {
  return text
    .split(PLACES)
    .map((part, index) =>
      index % 2 === 1
        ? part
        : part
            // Longer words rather than one long word at the end, which could not be broken.
            .replaceAll(/[a-zA-Z’]+/g, (word) => word + 'o'.repeat(Math.ceil(word.length * 0.4)))
            .replaceAll(/[a-z]/g, (letter) => LOWER[letter.charCodeAt(0) - 97]!)
            .replaceAll(/[A-Z]/g, (letter) => UPPER[letter.charCodeAt(0) - 65]!),
    )
    .join('');
}

/** The texts of the console in the language for tests, by their English. */
const texts = (): Map<string, string | string[]> =>
  new Map(
    [...readPo(readFileSync(CATALOG, 'utf8')).values()].map(({ text, plural }) => [
      text,
      plural === undefined ? accented(text) : [accented(plural)],
    ]),
  );

/** Returns a text of the console in the language for tests; names such as URL stay. */
export const inPseudoLanguage = (text: string): string => [texts().get(text) ?? text].flat()[0]!;

/** Shows the console in the language for tests in all windows of a context. */
export async function usePseudoLanguage(context: BrowserContext): Promise<void> {
  const catalog = Object.fromEntries(texts());
  const manifest = JSON.parse(readFileSync('dist/console/manifest.json', 'utf8'));
  const { file } = manifest['languages/ja.po'];
  await context.route(`**/${file}`, (route) =>
    route.fulfill({
      contentType: 'text/javascript',
      body: `export default ${JSON.stringify(catalog)};`,
    }),
  );
  await context.addInitScript("localStorage.setItem('language', 'ja')");
}

/** Names and units that are the same in all languages. */
const NAMES = new Set(
  'externalId key slug tags title Android API Bitcoin Chrome Console Edge Enterprise EPS Firefox GiroCode iOS Linux macOS Matomo Northwind Plausible Safari Shopify Stripe Umami UTC WebP Windows YOURLS'.split(
    ' ',
  ),
);

/** Collects the words in the responses of the API to a page: what a person sees of them is data. */
export function collectData(page: Page): Set<string> {
  const words = new Set(NAMES);
  page.on('response', (response) => {
    if (!/json/.test(response.headers()['content-type'] ?? '')) return;
    response.text().then(
      (text) => {
        for (const word of text.match(/\p{L}+/gu) ?? []) words.add(word);
      },
      // The page was left before the response was complete.
      () => undefined,
    );
  });
  return words;
}

/** Lists the visible texts and names of a page. */
export const visibleTexts = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const found = new Set<string>();
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const { parentElement: parent, textContent: text } = node;
      const isShown = parent?.checkVisibility() === true && text !== null;
      if (isShown && parent.closest('code, pre, script, style, noscript') === null) found.add(text);
    }
    for (const element of document.body.querySelectorAll('*')) {
      if (!element.checkVisibility()) continue;
      for (const name of ['aria-label', 'title', 'placeholder', 'alt']) {
        const text = element.getAttribute(name);
        if (text !== null) found.add(text);
      }
    }
    return [...found];
  });

/**
 * True for a text with a word that has no accent and is no data.
 *
 * @param data words of the data, from `collectData`
 */
export function isEnglish(text: string, data: ReadonlySet<string>): boolean {
  // URLs, domains, email addresses, and values with digits.
  const words = text.replaceAll(/\S*(?:\w[./@:_-]\w|\d)\S*/g, ' ').match(/\p{L}+/gu) ?? [];
  return words.some(
    // A single letter stands for the icon of a destination.
    (word) => word.length > 1 && /^[a-zA-Z]*[a-z][a-zA-Z]*$/.test(word) && !data.has(word),
  );
}
