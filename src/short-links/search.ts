import { toHostName } from '../http/domain-name.ts';
import { text } from '../http/fields.ts';
import { type Db, rows } from '../infra/db.ts';
import { folded } from '../infra/folded.ts';
import { containing } from '../infra/like.ts';
import { normalizeKey } from '../lookup/short-link.ts';
import { hasName, spellingsOf } from './claims.ts';
import type { ShortLinkTables } from './model.ts';
import { loadDomains, type UsableDomain } from './references.ts';

/*
 * Search for people: every word must occur in the title, the short link, the destination, the
 * comments or the name of a tag. All but the tags are in the record's column search_text, which has
 * a trigram index; tags can be renamed, so their own names are searched.
 */

const MAX_WORDS = 16;

const words = (query: string): string[] => query.trim().split(/\s+/);

/** The query parameter of a search. */
export const searchField = () =>
  text(200)
    .trim()
    .custom((value: string, { error }) =>
      words(value).length > MAX_WORDS
        ? error('rule', { rule: `must have at most ${MAX_WORDS} words` })
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
  const searchWords = words(query).map((word) => readWord(word, domains));
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
        ? await findExact(connection, projectId, searchWords[0]!.address)
        : [],
  };
}

/** The short links that a word could be: a key on certain domains. */
interface Address {
  domainIds: string[];
  key: string;
}

/**
 * Parses a word of a search. Pasted short links may have a scheme, a slash at the end, or a query
 * string.
 */
function readWord(
  word: string,
  domains: readonly UsableDomain[],
): { searched: string; address: Address } {
  const bare = word.replace(/^https?:\/\//i, '');
  const [, host = '', path = ''] = /^([^/?#]*)([^?#]*)/.exec(bare)!;
  const name = toHostName(host.replace(/:\d+$/, ''));
  const domain = domains.find(({ slug }) => slug === name);
  if (domain === undefined) {
    const searched = folded(withoutEndSlashes(bare) || bare);
    return { searched, address: { domainIds: domains.map(({ id }) => id), key: keyIn(bare) } };
  }
  const key = keyIn(path);
  const searched = folded(key === '' ? domain.slug : `${domain.slug}/${key}`);
  return { searched, address: { domainIds: [domain.id], key } };
}

/** A loop, since a regular expression takes quadratic time on a long run of slashes. */
function withoutEndSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end -= 1;
  return path.slice(0, end);
}

/** Returns the key in a path. */
function keyIn(path: string): string {
  const bare = withoutEndSlashes(path.replace(/^\/+/, ''));
  try {
    return normalizeKey(decodeURIComponent(bare));
  } catch {
    return normalizeKey(bare);
  }
}

async function findExact(
  connection: Db,
  projectId: string,
  { domainIds, key }: Address,
): Promise<string[]> {
  const claims = await rows<{ id: string }>(
    connection,
    `SELECT c.record_id AS id FROM domains d JOIN claims c ON c.domain_id = d.id AND ${hasName(':')}
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
