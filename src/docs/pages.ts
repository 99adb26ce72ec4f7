import { Html, html } from '../web/layout.ts';
import type { Guide } from './guides.ts';
import type { DocsPage, MakePage } from './layout.ts';
import type { Search } from './search.ts';

/** Text of a result, in characters. */
const SHOWN = 200;

/** The page of a guide. */
export const guidePage = (makePage: MakePage, { name, title, html: text }: Guide): DocsPage =>
  makePage({ title, href: `/docs/${name}`, main: new Html(text) });

/** The first page: what there is to read. */
export const indexPage = (makePage: MakePage, guides: readonly Guide[]): DocsPage =>
  makePage({
    title: 'Overview',
    href: '/docs',
    main: html`<h1>Short links and QR codes</h1>
<p>How to make short links and QR codes, see who opens them, and run the service.</p>
<ul class="cards">${guides
      .filter(({ name }) => !name.startsWith('decisions/'))
      .map(
        ({ name, title, summary }) => html`<li><a href="/docs/${name}"><b>${title}</b>
${beginning(summary.replace(/:$/, '.'), 110)}</a></li>`,
      )}</ul>`,
  });

/** The results of a search. */
export function searchPage(makePage: MakePage, search: Search, question: string): DocsPage {
  const found = search.find(question);
  const count = found.length === 1 ? 'One result' : `${found.length} results`;
  return makePage({
    title: 'Search',
    href: '/docs/search',
    question,
    main: html`<h1>Search</h1>
<p role="status">${
      found.length === 0
        ? `Nothing was found for “${question}”. Try another word, such as the name of a field, or choose a guide.`
        : `${count} for “${question}”.`
    }</p>
<ul class="results">${found.map(
      ({
        href,
        title,
        within,
        text,
      }) => html`<li><a href="${href}">${title}</a><small>${within}</small>
<p>${beginning(text, SHOWN)}</p></li>`,
    )}</ul>`,
  });
}

function beginning(text: string, length: number): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= length ? line : `${line.slice(0, line.lastIndexOf(' ', length))} …`;
}
