/*
 * Keys of the answers that the console keeps. A key begins with the noun of its records, so that one invalidation after a
 * write refreshes every list, count and record of the noun. Only this file writes keys: a misspelt noun does not compile.
 */

/** Records and other answers of a workspace, then those of a person and of the browser. */
const NOUNS = [
  'analytics',
  'auditLog',
  'customers',
  'deliveries',
  'domains',
  'events',
  'folders',
  'imports',
  'invitations',
  'keys',
  'links',
  'members',
  'metatags',
  'pages',
  'qrcodes',
  'slugs',
  'tags',
  'templates',
  'utmTemplates',
  'views',
  'webhooks',
  'workspace',
  'admin',
  'me',
  'methods',
  'notifications',
  'openInvitation',
  'reports',
  'sessions',
  'drawings',
  'pictures',
  'places',
] as const;

/** A kind of answers. */
export type Noun = (typeof NOUNS)[number];

/** The key of an answer. */
export type Key = readonly [noun: Noun, ...parts: readonly unknown[]];

/** The keys of one noun. */
interface Family {
  /** Prefix of all keys of the noun, by which its answers are invalidated. */
  all: Key;
  /** A list, or another answer about several records. @param parts values that the answer depends on */
  list(...parts: readonly unknown[]): Key;
  /** A number of records. @param parts values that the number depends on */
  count(...parts: readonly unknown[]): Key;
  /** Records that a text finds in the command palette. */
  search(text: string): Key;
  /** One record, or a part of it. */
  one(id: string, ...parts: readonly unknown[]): Key;
}

const familyOf = (noun: Noun): Family => ({
  all: [noun],
  list: (...parts) => [noun, 'list', ...parts],
  count: (...parts) => [noun, 'count', ...parts],
  search: (text) => [noun, 'search', text],
  one: (id, ...parts) => [noun, 'one', id, ...parts],
});

/** All keys: `keys.links.one(id)`, `keys.tags.all`. */
export const keys = Object.fromEntries(NOUNS.map((noun) => [noun, familyOf(noun)])) as Readonly<
  Record<Noun, Family>
>;

/** The key of a list that is loaded page by page, apart from that of the same list as a whole. */
export const pagedKey = (key: Key): Key => [...key, 'pages'];
