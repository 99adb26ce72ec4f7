import { ICONS } from '../../web/icons.ts';
import { type Language, say } from '../../web/language.ts';
import { BASE_STYLE, html, NOTHING, type Page, pageAssets, wholePage } from '../../web/layout.ts';

const ASSETS = pageAssets(BASE_STYLE);

/** User agents of Office that name the engine of Internet Explorer, which can show the page. */
const ENGINE = /msie|trident/i;

/**
 * The page for Microsoft Office, which then opens the short link itself in a browser. Where another
 * program shows the page, it opens the link at once; Office's own engine would get the page again
 * and again, so there it has a link only.
 *
 * @param path of the short link, with its query
 */
export function officePage(path: string, userAgent: string, language: Language): Page {
  const refresh = ENGINE.test(userAgent)
    ? NOTHING
    : html`<meta http-equiv="refresh" content="0; url=${path}">\n`;
  const title = say(language, 'Short link');
  const body = html`<main class="notice">
<span class="badge">${ICONS.web}</span>
<h1>${title}</h1>
<a class="quiet" href="${path}" rel="nofollow">${say(language, 'Open link')}</a>
</main>`;
  return wholePage(200, ASSETS, { language, title, body, head: refresh });
}
