import type { LinkEntry } from '../../lookup/entry.ts';
import { FORM_STYLE } from '../../web/form-style.ts';
import { ICONS } from '../../web/icons.ts';
import { type Language, say } from '../../web/language.ts';
import { html, NOTHING, type Page, pageAssets, wholePage } from '../../web/layout.ts';
import type { Phrase } from '../../web/phrases/en.ts';
import { reportPath } from '../address.ts';

const ASSETS = pageAssets(FORM_STYLE);

/**
 * The page that shows the destination of a link without following it (`/key+`).
 *
 * @param address `shortLink`, the path that follows it from here, and its destination
 */
export function previewPage(
  link: LinkEntry,
  address: { shortLink: string; path: string; destination: string },
  language: Language,
): Page {
  const title = say(language, 'Where this link leads');
  const name = link.card?.title;
  const isPage = link.page !== undefined;
  const notes = notesOf(link).map((note) => html`<p class="note">${say(language, note)}</p>\n`);
  const body = html`<main>
<header>
<span class="badge">${ICONS.web}</span>
<h1>${title}</h1>
${name === undefined ? NOTHING : html`<p dir="auto">${name}</p>`}
</header>
<dl>
<div><dt>${say(language, 'Short link')}</dt><dd dir="ltr">${address.shortLink.replace(/^https?:\/\//, '')}</dd></div>
${isPage ? NOTHING : html`<div><dt>${say(language, 'Destination')}</dt><dd dir="ltr">${address.destination}</dd></div>`}
</dl>
${notes}<a class="action main" href="${address.path}" rel="nofollow">${say(language, 'Open link')}</a>
<a class="quiet" href="${reportPath(address.shortLink)}" rel="nofollow">${say(language, 'Report this link')}</a>
</main>`;
  return wholePage(200, ASSETS, { language, title, body });
}

function notesOf({ page, before, rules, ios, android, geo }: LinkEntry): Phrase[] {
  const isTargeted = [rules, ios, android, geo].some((one) => one !== undefined);
  return [
    ...(page === undefined ? [] : (['This link shows a page.'] as const)),
    ...(before === undefined ? [] : (['A page is shown before the destination.'] as const)),
    ...(isTargeted
      ? (['Visitors in other places or with other devices may be led elsewhere.'] as const)
      : []),
  ];
}
