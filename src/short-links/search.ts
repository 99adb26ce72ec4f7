import { Joi } from '../http/fields.ts';
import { type Db, rows } from '../infra/db.ts';
import { folded } from '../infra/folded.ts';
import { containing } from '../infra/like.ts';
import { trimmedEnd } from '../infra/trim.ts';
import { toAddress, toKey } from './address.ts';
import { claimsNamed, spellingsOf } from './claims.ts';
import { hasDestination, toDestination } from './destination-match.ts';
import type { ShortLinkTables } from './model.ts';
import { loadDomains, type UsableDomain } from './references.ts';

/*
 * Search for people: every word must occur in the title, the short link, the destination, the
 * comments or the name of a tag. All but the tags are in the record's column search_text, which has
 * a trigram index; tags can be renamed, so their own names are searched.
 */

/** Maximum length of the words of a search, in UTF-16 units, and their maximum number. */
export const MAX_SEARCH = { length: 200, words: 16 };

/** Divides a search into words. */
export const words = (query: string): string[] => query.trim().split(/\s+/);

/** Schema of a text to search for: up to `max` UTF-16 units, or a destination of any length. */
export const textOrDestination = (max: number) =>
  Joi.string()
    .min(1)
    .custom((value: string, { error }) =>
      value.length <= max || toDestination(value) !== undefined
        ? value
        : error('string.max', { limit: max }),
    );

/** The query parameter of a search. */
export const searchField = () =>
  textOrDestination(MAX_SEARCH.length)
    .trim()
    .custom((value: string, { error }) =>
      value.length <= MAX_SEARCH.length && words(value).length > MAX_SEARCH.words
        ? error('rule', { rule: `must have at most ${MAX_SEARCH.words} words` })
        : value,
    );

/** A word that matching records contain, in their text or in the name of a tag. */
interface Word {
  /** Pattern for LIKE. */
  pattern: string;
  /** Tags whose names contain the word. */
  tagIds: string[];
}

/** A search, with the tags and records of the workspace that it names. */
export interface Search {
  words: Word[];
  /** The destination that is searched for instead of words. */
  destination?: string | undefined;
  /** Records whose whole short link or slug was searched for, which lists show first. */
  exactIds: string[];
}

/** Reads the tags that a search names, and the records with the searched short link. */
export async function resolveSearch(
  connection: Db,
  projectId: string,
  query: string,
): Promise<Search> {
  const domains = await loadDomains(connection, projectId);
  const isLong = query.length > MAX_SEARCH.length;
  if (isLong && !isShortLink(query, domains)) {
    return { words: [], destination: toDestination(query), exactIds: [] };
  }
  const searchWords = (isLong ? [query] : words(query)).map((word) => readWord(word, domains));
  const patterns = searchWords.flatMap(({ searched }) =>
    searched === '' ? [] : [containing(searched)],
  );
  const tags = await rows<{ at: number; id: string }>(
    connection,
    `SELECT w.at::int AS at, t.id FROM unnest(:patterns::text[]) WITH ORDINALITY AS w (pattern, at)
       JOIN tags t ON t.search_text LIKE w.pattern WHERE t.project_id = :projectId`,
    { patterns, projectId },
  );
  return {
    words: patterns.map((pattern, at) => ({
      pattern,
      tagIds: tags.filter((tag) => tag.at === at + 1).map(({ id }) => id),
    })),
    exactIds:
      searchWords.length === 1
        ? await findExact(connection, projectId, searchWords[0]!.candidates)
        : [],
  };
}

/** The short links that a word could be: a key on certain domains. */
interface Candidates {
  domainIds: string[];
  key: string;
}

/** True for a short link on one of the domains, which may have a long query string. */
function isShortLink(text: string, domains: readonly UsableDomain[]): boolean {
  const address = toAddress(text);
  return (
    address !== undefined &&
    address.key.length <= MAX_SEARCH.length &&
    domains.some(({ slug }) => slug === address.host)
  );
}

/** Parses a word of a search, which may be a short link on one of the domains. */
function readWord(
  word: string,
  domains: readonly UsableDomain[],
): { searched: string; candidates: Candidates } {
  const address = toAddress(word);
  const domain = domains.find(({ slug }) => slug === address?.host);
  if (address === undefined || domain === undefined) {
    const bare = word.replace(/^https?:\/\//i, '');
    const searched = folded(trimmedEnd(bare, /\//) || bare);
    return { searched, candidates: { domainIds: domains.map(({ id }) => id), key: toKey(bare) } };
  }
  const { key } = address;
  const searched = folded(key === '' ? domain.slug : `${domain.slug}/${key}`);
  return { searched, candidates: { domainIds: [domain.id], key } };
}

async function findExact(
  connection: Db,
  projectId: string,
  { domainIds, key }: Candidates,
): Promise<string[]> {
  const claims = await rows<{ id: string }>(
    connection,
    `SELECT c.record_id AS id FROM domains d CROSS JOIN LATERAL ${claimsNamed(':')} AS c
      WHERE c.project_id = :projectId AND d.id = ANY(:domainIds) AND c.free_at IS NULL`,
    { projectId, domainIds, key, ...spellingsOf(key) },
  );
  return claims.map(({ id }) => id);
}

/** Narrows a query to the matching records of a workspace. */
export function applySearch(
  query: { whereRaw(sql: string, bindings?: (string | string[])[]): unknown },
  { table, tags }: ShortLinkTables,
  projectId: string,
  search: Search,
): void {
  if (search.destination !== undefined) {
    query.whereRaw(...hasDestination(table, search.destination));
    return;
  }
  // The text has nothing to compare, such as only invisible characters.
  if (search.words.length === 0) query.whereRaw('false');
  for (const { pattern, tagIds } of search.words) {
    if (tagIds.length === 0) {
      query.whereRaw(`${table}.search_text LIKE ?`, [pattern]);
    } else {
      // A UNION, since with OR Postgres reads all records instead of two indexes.
      query.whereRaw(
        `${table}.id IN (
           SELECT id FROM ${table} WHERE project_id = ? AND search_text LIKE ?
           UNION ALL SELECT ${tags.column} FROM ${tags.table} WHERE project_id = ? AND tag_id = ANY(?))`,
        [projectId, pattern, projectId, tagIds],
      );
    }
  }
}
