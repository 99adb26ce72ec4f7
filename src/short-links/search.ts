import { toHostName } from '../http/domain-name.ts';
import { text } from '../http/fields.ts';
import { type Db, rows } from '../infra/db.ts';
import { folded } from '../infra/folded.ts';
import { containing } from '../infra/like.ts';
import { normalize } from '../infra/normalize.ts';
import type { ShortLinkTables } from './model.ts';
import { loadDomains, type UsableDomain } from './references.ts';

/*
 * The search of people: every word must be in the title, the short link, the destination, the comments or the name of a
 * tag. All but the tags are in the column search_text of the record, which an index of trigrams answers; a tag may be
 * renamed, so its own text is searched.
 */

const MOST_WORDS = 16;

const words = (query: string): string[] => query.trim().split(/\s+/);

/** The query parameter of a search. */
export const searchField = () =>
  text(200)
    .trim()
    .custom((value: string, { error }) =>
      words(value).length > MOST_WORDS
        ? error('rule', { rule: `must have at most ${MOST_WORDS} words` })
        : value,
    );

/** A word that records must have: in their text, or in one of their tags. */
interface Word {
  /** For LIKE. */
  pattern: string;
  /** Tags that have it in their names. */
  tagIds: string[];
}

/** A search, with what it names in its workspace. */
export interface Search {
  words: Word[];
  /** Records whose whole short link or slug was searched. Lists have them first. */
  exactIds: string[];
}

/** Reads the tags that a search names, and the records whose address it is. */
export async function resolveSearch(
  connection: Db,
  projectId: string,
  query: string,
): Promise<Search> {
  const domains = await loadDomains(connection, projectId);
  const read = words(query).map((word) => readWord(word, domains));
  const patterns = read.flatMap(({ searched }) => (searched === '' ? [] : [containing(searched)]));
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
    exactIds: read.length === 1 ? await findExact(connection, projectId, read[0]!.address) : [],
  };
}

/** The short links that a word may be: a key on some domains. */
interface Address {
  domainIds: string[];
  key: string;
}

/**
 * A word as it is searched. What people paste has a scheme and perhaps a slash at its end; a short link may have been
 * visited with a query.
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

/** By hand: a regular expression looks at every slash of a long run again and again. */
function withoutEndSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end -= 1;
  return path.slice(0, end);
}

/** The key in a path. */
function keyIn(path: string): string {
  const bare = withoutEndSlashes(path.replace(/^\/+/, ''));
  try {
    return normalize(decodeURIComponent(bare), 'NFC');
  } catch {
    return normalize(bare, 'NFC');
  }
}

async function findExact(
  connection: Db,
  projectId: string,
  { domainIds, key }: Address,
): Promise<string[]> {
  const found = await rows<{ id: string }>(
    connection,
    `SELECT record_id AS id FROM claims
      WHERE project_id = ? AND domain_id = ANY(?) AND key = ? AND free_at IS NULL`,
    [projectId, domainIds, key],
  );
  return found.map(({ id }) => id);
}

/** Narrows a query to the records of a workspace that a search finds. */
export function applySearch(
  query: { whereRaw(sql: string, bindings?: (string | string[])[]): unknown },
  { table, tags }: ShortLinkTables,
  projectId: string,
  search: Search,
): void {
  // Nothing that could be compared: a text of invisible characters.
  if (search.words.length === 0) query.whereRaw('false');
  for (const { pattern, tagIds } of search.words) {
    if (tagIds.length === 0) {
      query.whereRaw(`${table}.search_text LIKE ?`, [pattern]);
    } else {
      // With OR, Postgres would read all records instead of two indexes.
      query.whereRaw(
        `${table}.id IN (
           SELECT id FROM ${table} WHERE project_id = ? AND search_text LIKE ?
           UNION ALL SELECT ${tags.column} FROM ${tags.table} WHERE project_id = ? AND tag_id = ANY(?))`,
        [projectId, pattern, projectId, tagIds],
      );
    }
  }
}
