import { setImmediate as turn } from 'node:timers/promises';
import { type ExampleDocument, examplesOf } from './examples/index.ts';
import { type Guides, readGuides } from './guides.ts';
import { type DocsPage, filePage, layoutOf } from './layout.ts';
import { guidePage, indexPage, searchPage } from './pages.ts';
import { errorsPage, referencePage } from './reference.ts';
import { Search, type SearchedDocument } from './search.ts';
import { textsOf } from './texts.ts';

/** The rendered documentation. */
export interface Documentation {
  /** Pages, and their texts for programs, by address. */
  pages: ReadonlyMap<string, DocsPage>;
  pictures: Guides['pictures'];
  search(question: string): DocsPage;
}

/**
 * Reads and renders the documentation: guides, the reference of an OpenAPI document, and a search
 * in both. Other requests run after each page.
 *
 * @param baseUrl URL of the API, for links in texts for programs
 */
export async function makeDocumentation(
  document: SearchedDocument & ExampleDocument,
  baseUrl: string,
): Promise<Documentation> {
  const { guides, pictures } = await readGuides();
  const makePage = layoutOf(guides);
  const search = await Search.of(guides, document);
  const pages = new Map([
    ...textsOf(guides, document, baseUrl),
    ['/docs', indexPage(makePage, guides)],
    ['/docs/api-reference', referencePage(makePage)],
    ['/docs/examples.json', filePage('application/json', JSON.stringify(examplesOf(document)))],
    ['/docs/api-reference/errors', errorsPage(makePage)],
  ]);
  for (const guide of guides) {
    pages.set(`/docs/${guide.name}`, guidePage(makePage, guide));
    await turn();
  }
  return { pages, pictures, search: (question) => searchPage(makePage, search, question) };
}
