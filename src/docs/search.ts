import { LRUCache } from 'lru-cache';
import MiniSearch from 'minisearch';
import type { Guide } from './guides.ts';

/** Something that can be found: a section of a guide, or an operation of the API. */
export interface Found {
  href: string;
  title: string;
  /** The guide, or method and path of the operation. */
  within: string;
  text: string;
}

/** An operation of the reference, as far as it can be searched for. */
interface Operation {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
}

/** The part of an OpenAPI document that is searched. */
export interface SearchedDocument {
  paths: Record<string, Record<string, Operation>>;
}

const MOST_RESULTS = 30;
/** Words of a question that are searched for: each is compared with all words of the documentation. */
const MOST_WORDS = 8;
/** Most words of the documentation begin with some letter: a word of one costs the most and says the least. */
const SHORTEST_WORD = 2;
/** Questions whose results are remembered. */
const REMEMBERED = 500;

/** Finds sections of guides and operations by their words, also misspelt and unfinished ones. */
export class Search {
  readonly #index = new MiniSearch<Found & { id: number }>({
    fields: ['title', 'within', 'text'],
    storeFields: ['href', 'title', 'within', 'text'],
    searchOptions: {
      boost: { title: 4, within: 2 },
      combineWith: 'AND',
      prefix: true,
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
      maxFuzzy: 2,
    },
  });
  readonly #remembered = new LRUCache<string, Found[]>({ max: REMEMBERED });

  private constructor() {}

  /** A search in guides and operations; other work has its turn while they are read. */
  static async of(guides: readonly Guide[], document: SearchedDocument): Promise<Search> {
    const search = new Search();
    const all = [...guides.flatMap(sectionsOf), ...operationsOf(document)];
    await search.#index.addAllAsync(
      all.map((found, id) => ({ ...found, id })),
      { chunkSize: 4 },
    );
    return search;
  }

  /** The best results for the first {@link MOST_WORDS} different words of a question, best first. */
  find(question: string): Found[] {
    const words = wordsOf(question);
    const name = words.join(' ');
    const remembered = this.#remembered.get(name);
    if (remembered !== undefined) return remembered;
    const found = this.#index
      .search(name)
      .slice(0, MOST_RESULTS)
      .map(({ href, title, within, text }) => ({ href, title, within, text }) as Found);
    this.#remembered.set(name, found);
    return found;
  }
}

const tokenize = MiniSearch.getDefault('tokenize') as (text: string) => string[];

function wordsOf(question: string): string[] {
  const words = tokenize(question.toLowerCase()).filter(({ length }) => length >= SHORTEST_WORD);
  return [...new Set(words)].slice(0, MOST_WORDS);
}

function sectionsOf({ name, title: within, sections }: Guide): Found[] {
  return sections.flatMap(({ id, title, text }) =>
    title === '' ? [] : [{ href: `/docs/${name}#${id}`, title, within, text }],
  );
}

function operationsOf({ paths }: SearchedDocument): Found[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { operationId, summary, description, tags }]) => ({
      href: `/docs/api-reference#/${encodeURIComponent(tags[0] ?? '')}/${operationId}`,
      title: summary,
      within: `${method.toUpperCase()} ${path}`,
      // Its Markdown is code alone.
      text: description.replaceAll('`', ''),
    })),
  );
}
