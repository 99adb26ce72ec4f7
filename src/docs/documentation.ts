import { type Guides, readGuides } from './guides.ts';
import { type DocsPage, layoutOf } from './layout.ts';
import { guidePage, indexPage, searchPage } from './pages.ts';
import { errorsPage, referencePage } from './reference.ts';
import { Search, type SearchedDocument } from './search.ts';

/** The documentation, rendered. */
export interface Documentation {
  /** By their addresses. */
  pages: ReadonlyMap<string, DocsPage>;
  pictures: Guides['pictures'];
  search(question: string): DocsPage;
}

/** Reads and renders the documentation: guides, the reference of an OpenAPI document, and a search in both. */
export function makeDocumentation(document: SearchedDocument): Documentation {
  const { guides, pictures } = readGuides();
  const makePage = layoutOf(guides);
  const search = new Search(guides, document);
  return {
    pages: new Map([
      ['/docs', indexPage(makePage, guides)],
      ['/docs/api-reference', referencePage(makePage)],
      ['/docs/api-reference/errors', errorsPage(makePage)],
      ...guides.map((guide) => [`/docs/${guide.name}`, guidePage(makePage, guide)] as const),
    ]),
    pictures,
    search: (question) => searchPage(makePage, search, question),
  };
}
