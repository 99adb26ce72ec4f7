import { Html, html } from '../web/layout.ts';
import type { Guide } from './guides.ts';
import type { DocsPage, MakePage } from './layout.ts';
import type { Search } from './search.ts';

/** Maximum text length of a search result, in characters. */
const MAX_TEXT = 200;

/** Makes the page of a guide. */
export const guidePage = (makePage: MakePage, { name, title, html: text }: Guide): DocsPage =>
  makePage({
    title,
    href: `/docs/${name}`,
    main: new Html(text),
    extra: {
      head: html`<link rel="alternate" type="text/markdown" href="/docs/${name}.md">
`,
    },
  });

/** Makes the first page, which lists all guides. */
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

/** Makes the page of search results. */
export function searchPage(makePage: MakePage, search: Search, question: string): DocsPage {
  const results = search.find(question);
  const count = results.length === 1 ? 'One result' : `${results.length} results`;
  return makePage({
    title: 'Search',
    href: '/docs/search',
    question,
    main: html`<h1>Search</h1>
<p role="status">${
      results.length === 0
        ? `Nothing was found for “${question}”. Try another word, such as the name of a field, or choose a guide.`
        : `${count} for “${question}”.`
    }</p>
<ul class="results">${results.map(
      ({
        href,
        title,
        within,
        text,
      }) => html`<li><a href="${href}">${title}</a><small>${within}</small>
<p>${beginning(text, MAX_TEXT)}</p></li>`,
    )}</ul>`,
  });
}

/** Shortens a text to whole words, with an ellipsis, and puts it on one line. */
export function beginning(text: string, length: number): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= length ? line : `${line.slice(0, line.lastIndexOf(' ', length))} …`;
}
