import { LRUCache } from 'lru-cache';
import MiniSearch from 'minisearch';
import type { Guide } from './guides.ts';

/** A search result: a section of a guide, or an operation of the API. */
export interface SearchResult {
  href: string;
  title: string;
  /** The guide, or method and path of the operation. */
  within: string;
  text: string;
}

/** An operation of the reference, limited to the fields that are searched. */
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

const MAX_RESULTS = 30;
/**
 * Maximum number of query words that are searched; each is compared with all words of the
 * documentation.
 */
const MAX_WORDS = 8;
/**
 * Minimum length of a query word. A single letter matches most words: it costs the most and selects
 * the least.
 */
const MIN_WORD_LENGTH = 2;
/** Number of queries whose results are cached. */
const MAX_CACHED = 500;

/**
 * Finds sections of guides and operations by their words, with tolerance for typos and unfinished
 * words.
 */
export class Search {
  readonly #index = new MiniSearch<SearchResult & { id: number }>({
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
  readonly #cache = new LRUCache<string, SearchResult[]>({ max: MAX_CACHED });

  private constructor() {}

  /** Builds a search over guides and operations; other work runs while they are read. */
  static async of(guides: readonly Guide[], document: SearchedDocument): Promise<Search> {
    const search = new Search();
    const entries = [...guides.flatMap(sectionsOf), ...operationsOf(document)];
    await search.#index.addAllAsync(
      entries.map((entry, id) => ({ ...entry, id })),
      { chunkSize: 4 },
    );
    return search;
  }

  /** Finds results for the first {@link MAX_WORDS} different words of a query, best first. */
  find(query: string): SearchResult[] {
    const words = wordsOf(query);
    const name = words.join(' ');
    const remembered = this.#cache.get(name);
    if (remembered !== undefined) return remembered;
    const results = this.#index
      .search(name)
      .slice(0, MAX_RESULTS)
      .map(({ href, title, within, text }) => ({ href, title, within, text }) as SearchResult);
    this.#cache.set(name, results);
    return results;
  }
}

const tokenize = MiniSearch.getDefault('tokenize') as (text: string) => string[];

function wordsOf(query: string): string[] {
  const words = tokenize(query.toLowerCase()).filter(({ length }) => length >= MIN_WORD_LENGTH);
  return [...new Set(words)].slice(0, MAX_WORDS);
}

function sectionsOf({ name, title: within, sections }: Guide): SearchResult[] {
  return sections.flatMap(({ id, title, text }) =>
    title === '' ? [] : [{ href: `/docs/${name}#${id}`, title, within, text }],
  );
}

function operationsOf({ paths }: SearchedDocument): SearchResult[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { operationId, summary, description, tags }]) => ({
      href: `/docs/api-reference#/${encodeURIComponent(tags[0] ?? '')}/${operationId}`,
      title: summary,
      within: `${method.toUpperCase()} ${path}`,
      // Its only Markdown is code.
      text: description.replaceAll('`', ''),
    })),
  );
}
