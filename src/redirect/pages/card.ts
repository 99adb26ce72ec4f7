import type { LinkCard } from '../../lookup/entry.ts';
import { FORM_STYLE } from '../../web/form-style.ts';
import { type Language, say } from '../../web/language.ts';
import { type Html, html, NOTHING, type Page, pageAssets, wholePage } from '../../web/layout.ts';

const ASSETS = pageAssets(FORM_STYLE);

/** The link of a card page. */
export interface CardContext {
  shortLink: string;
  destination: string;
  language: Language;
  isIndexed: boolean;
}

/**
 * The page for link-preview crawlers: the owner's title, description, image and video as Open Graph
 * and Twitter tags. A person mistaken for a crawler can continue from here.
 */
export function cardPage(card: LinkCard, context: CardContext): Page {
  const { shortLink, destination, language, isIndexed } = context;
  const { description } = card;
  const title = card.title ?? new URL(shortLink).host;
  const body = html`<main>
<header>
<h1 dir="auto">${title}</h1>
${description === undefined ? NOTHING : html`<p dir="auto">${description}</p>`}
</header>
<a class="action main" href="${destination}" rel="noopener noreferrer">${say(language, 'Open link')}</a>
</main>`;
  const head = html`${tags(card, title, shortLink)}`;
  return wholePage(200, ASSETS, { language, title, body, head, isIndexed });
}

function tags({ description, image, video }: LinkCard, title: string, shortLink: string): Html[] {
  const picture = webAddress(image);
  const film = webAddress(video);
  return [
    ...property('og:type', film === undefined ? 'website' : 'video.other'),
    ...property('og:url', shortLink),
    ...property('og:title', title),
    ...name('twitter:title', title),
    ...name('twitter:card', picture === undefined ? 'summary' : 'summary_large_image'),
    ...name('description', description),
    ...property('og:description', description),
    ...name('twitter:description', description),
    ...property('og:image', picture),
    ...name('twitter:image', picture),
    ...property('og:video', film),
    ...property('og:video:secure_url', film?.startsWith('https:') === true ? film : undefined),
    ...property('og:video:type', film === undefined ? undefined : typeOf(film)),
  ];
}

const property = (key: string, value: string | undefined): Html[] =>
  value === undefined ? [] : [html`<meta property="${key}" content="${value}">\n`];
const name = (key: string, value: string | undefined): Html[] =>
  value === undefined ? [] : [html`<meta name="${key}" content="${value}">\n`];

/** Crawlers fetch these URLs, so anything but a web address is omitted. */
const webAddress = (text: string | undefined): string | undefined =>
  text !== undefined && /^https?:\/\/[^/\s]/i.test(text) ? text : undefined;

/** Media type of a video file; any other URL is a page with a player. */
function typeOf(video: string): string {
  const ending = /\.(mp4|webm|ogv|mov)(?:[?#]|$)/i.exec(video)?.[1]?.toLowerCase();
  const types = { mp4: 'video/mp4', webm: 'video/webm', ogv: 'video/ogg', mov: 'video/quicktime' };
  return ending === undefined ? 'text/html' : types[ending as keyof typeof types];
}
