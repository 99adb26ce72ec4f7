import { memoize } from '../../infra/memoize.ts';
import { type Language, say } from '../../web/language.ts';
import { BASE_STYLE, html, pageAssets, wholePage } from '../../web/layout.ts';

const ASSETS = pageAssets(`${BASE_STYLE}
.notice .action{flex:none;margin-top:.75rem}
.notice p+.action{margin-top:1.5rem}`);

/**
 * The root of the service's own short domain, where no workspace has content: links to the console
 * and the documentation.
 *
 * @param baseUrl address of the API, under which the console is
 */
export const homePage = (baseUrl: string, docsUrl: string) =>
  memoize((language: Language) => {
    const title = say(language, 'Short links');
    const body = html`<main class="notice">
<h1>${title}</h1>
<p>${say(language, 'Each short link of this site leads to another page.')}</p>
<a class="action main" href="${baseUrl}/">${say(language, 'Manage links')}</a>
<a class="action" href="${docsUrl}">${say(language, 'Documentation')}</a>
</main>`;
    return wholePage(200, ASSETS, { language, title, body });
  }, new Map());
