import { type Language, say } from '../../web/language.ts';
import { html, type Page, pageAssets, wholePage } from '../../web/layout.ts';

const ASSETS = pageAssets(`
:root{color-scheme:light dark}
html,body,main{margin:0;height:100%;overflow:hidden}
iframe{display:block;width:100%;height:100%;border:0;background:Canvas}
p{position:absolute;inset:0;z-index:-1;display:grid;place-items:center;margin:0;font:1rem/1.5 system-ui,sans-serif}
p:focus-within{inset:0 auto auto 0;z-index:1;padding:1rem;background:Canvas}`);

/** Permissions of every frame. */
const RIGHTS = ['autoplay', 'fullscreen', 'picture-in-picture'];
/**
 * Further permissions of frames on domains of one workspace. Browsers grant permissions to the
 * origin of the window: on a shared domain, the frames of all workspaces would get them.
 */
const RIGHTS_ON_OWN = ['clipboard-write', 'encrypted-media', 'geolocation'];

/**
 * The destination in a frame that fills the window, so that the address bar keeps the short link.
 * The frame can navigate to wherever its own links lead.
 *
 * @param isShared the domain is shared by all workspaces
 */
export function framePage(
  {
    destination,
    title,
    isShared,
  }: { destination: string; title: string | undefined; isShared: boolean },
  shortLink: string,
  language: Language,
  isIndexed = false,
): Page {
  const framesMay = isShared ? RIGHTS : [...RIGHTS, ...RIGHTS_ON_OWN];
  const name = title ?? shortLink.replace(/^https?:\/\//, '');
  const body = html`<main>
<p><a href="${destination}" rel="noopener noreferrer">${say(language, 'Open {}', new URL(destination).host)}</a></p>
<iframe src="${destination}" title="${name}" allow="${framesMay.join('; ')}" referrerpolicy="no-referrer-when-downgrade"></iframe>
</main>`;
  return wholePage(200, ASSETS, {
    language,
    title: name,
    body,
    isIndexed,
    allow: { frames: 'http: https:' },
    framesMay,
  });
}
