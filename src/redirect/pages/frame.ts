import { type Language, say } from '../../web/language.ts';
import { html, type Page, pageAssets, wholePage } from '../../web/layout.ts';

const ASSETS = pageAssets(`
:root{color-scheme:light dark}
html,body,main{margin:0;height:100%;overflow:hidden}
iframe{display:block;width:100%;height:100%;border:0;background:Canvas}
p{position:absolute;inset:0;z-index:-1;display:grid;place-items:center;margin:0;font:1rem/1.5 system-ui,sans-serif}
p:focus-within{inset:0 auto auto 0;z-index:1;padding:1rem;background:Canvas}`);

/**
 * The destination in a frame that fills the window, so that the short address stays in sight. The frame may go
 * wherever its own links lead.
 */
export function framePage(
  { destination, title }: { destination: string; title: string | undefined },
  shortLink: string,
  language: Language,
  isIndexed = false,
): Page {
  const name = title ?? shortLink.replace(/^https?:\/\//, '');
  const body = html`<main>
<p><a href="${destination}" rel="noopener noreferrer">${say(language, 'Open {}', new URL(destination).host)}</a></p>
<iframe src="${destination}" title="${name}" allow="autoplay; clipboard-write; encrypted-media; fullscreen; geolocation; picture-in-picture" referrerpolicy="no-referrer-when-downgrade"></iframe>
</main>`;
  return wholePage(200, ASSETS, {
    language,
    title: name,
    body,
    isIndexed,
    allow: { frames: 'http: https:' },
  });
}
