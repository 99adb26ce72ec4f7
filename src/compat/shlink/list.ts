import type { Query } from '../../http/input.ts';
import { type Answer, ok } from '../../http/route.ts';
import { MAX_SEARCH, words } from '../../short-links/search.ts';
import { LINK_PAGE, sliceOfLinks } from '../links.ts';
import { type Call, type CallQuery, joinLists, type LinkRecord, lastValue } from '../peer.ts';
import { invalid } from './problem.ts';
import {
  namedDomain,
  type Page,
  paginated,
  paginationOf,
  toFlag,
  toShortUrl,
} from './short-url.ts';

const DEFAULT_SIZE = 10;
/** Position of the last short URL that this API lists without filters. */
const MAX_ROW = 100_000;

/** Sort fields of this API, by those of Shlink. */
const SORTS: ReadonlyMap<string, string> = new Map([
  ['dateCreated', 'createdAt'],
  ['shortCode', 'key'],
  ['longUrl', 'url'],
  ['title', 'title'],
  ['visits', 'clicks'],
  ['nonBotVisits', 'clicks'],
]);

/** Filters of this API for tags, by the mode in which Shlink combines several. */
const TAG_FILTERS = {
  tags: { any: 'tagNames', all: 'allTagNames' },
  excludeTags: { any: 'withoutTagNames', all: 'notAllTagNames' },
} as const;

/**
 * Answers with a page of the short URLs that a query selects. As in Shlink, a page may have any
 * size; a large one is sent while it is read.
 *
 * @throws Problem
 */
export async function answerList(sent: Query, main: string, call: Call): Promise<Answer> {
  const query = joinLists(sent);
  const filters = fromListQuery(query, main);
  const order = orderOf(query);
  const { page, size: requestedSize } = pageOf(query);
  const { body: total } = await call<number>('countLinks', { query: filters });
  // Below 1, it has all.
  const size = requestedSize < 1 ? Math.max(total, 1) : requestedSize;
  const isLarge = size > LINK_PAGE;
  const end = isLarge ? Math.min(page * size, total) : page * size;
  if (end > MAX_ROW) {
    throw invalid('page', `must not reach further than short URL ${MAX_ROW}: use filters`);
  }
  const links = { ...filters, ...order };
  if (isLarge) return inParts(links, { page, size }, { total, main, call });
  const { body } = await call<LinkRecord[]>('listLinks', {
    query: { ...links, page: String(page), pageSize: String(size) },
  });
  const data = body.map((link) => toShortUrl(link, main));
  return ok({ shortUrls: paginated(data, { page, size }, total) });
}

/** Answers with a page whose text is produced while it is sent. */
function inParts(
  links: CallQuery,
  { page, size }: Page,
  { total, main, call }: { total: number; main: string; call: Call },
): Answer {
  const start = (page - 1) * size;
  const length = Math.max(Math.min(size, total - start), 0);
  async function* parts(): AsyncGenerator<string> {
    let count = 0;
    yield '{"shortUrls":{"data":[';
    for await (const slice of sliceOfLinks(call, links, start, length)) {
      if (slice.length === 0) continue;
      const texts = slice.map((link) => JSON.stringify(toShortUrl(link, main)));
      yield (count === 0 ? '' : ',') + texts.join(',');
      count += slice.length;
    }
    const pagination = paginationOf(count, { page, size }, total);
    yield `],"pagination":${JSON.stringify(pagination)}}}`;
  }
  const headers = { 'Content-Type': 'application/json; charset=utf-8' };
  return { status: 200, headers, body: parts() };
}

/** @throws Problem for a page that Shlink refuses too */
function pageOf(query: Query): Page {
  const wholeNumber = (name: string, absent: number, rule: string, least: number): number => {
    const value = Number(lastValue(query, name) || absent);
    if (Number.isSafeInteger(value) && value >= least) return value;
    throw invalid(name, `must be ${rule}`);
  };
  return {
    page: wholeNumber('page', 1, 'a whole number from 1', 1),
    size: wholeNumber('itemsPerPage', DEFAULT_SIZE, 'a whole number from 1, or -1 for all', -1),
  };
}

/** @throws Problem */
function fromListQuery(query: Query, main: string): CallQuery {
  if (lastValue(query, 'apiKeyName') !== undefined) {
    throw invalid('apiKeyName', 'is not a filter of this service');
  }
  const isOn = (name: string) => toFlag(lastValue(query, name) ?? '') === true;
  return {
    showArchived: 'true',
    ...searchOf(lastValue(query, 'searchTerm')?.trim() ?? ''),
    ...tagsOf(query, 'tags', 'tagsMode'),
    ...tagsOf(query, 'excludeTags', 'excludeTagsMode'),
    domain: lastValue(query, 'domain') === undefined ? undefined : (namedDomain(query) ?? main),
    createdAfter: lastValue(query, 'startDate') || undefined,
    createdBefore: lastValue(query, 'endDate') || undefined,
    isUsedUp: isOn('excludeMaxVisitsReached') ? 'false' : undefined,
    isExpired: isOn('excludePastValidUntil') ? 'false' : undefined,
  };
}

/** Searches where Shlink does, or in short code and destination if the text is too long for that. */
function searchOf(term: string): CallQuery {
  if (term === '') return {};
  const isShort = term.length <= MAX_SEARCH.length && words(term).length <= MAX_SEARCH.words;
  return isShort ? { query: term } : { search: term };
}

function tagsOf(query: Query, name: keyof typeof TAG_FILTERS, modeName: string): CallQuery {
  const mode = lastValue(query, modeName) || 'any';
  if (mode !== 'any' && mode !== 'all') throw invalid(modeName, 'must be any or all');
  const tags = [query[name] ?? []].flat().filter((tag) => tag !== '');
  return tags.length === 0 ? {} : { [TAG_FILTERS[name][mode]]: tags };
}

/** Converts an order such as `title-ASC`, which ascends without a direction. @throws Problem */
function orderOf(query: Query): CallQuery {
  const [field = '', direction = 'ASC', ...rest] = (
    lastValue(query, 'orderBy') || 'dateCreated-DESC'
  ).split('-');
  const sort = SORTS.get(field);
  if (sort === undefined || !['ASC', 'DESC'].includes(direction) || rest.length > 0) {
    const fields = [...SORTS.keys()].join(', ');
    throw invalid('orderBy', `must be one of ${fields}, with -ASC or -DESC`);
  }
  return { sort, sortOrder: direction.toLowerCase() };
}
