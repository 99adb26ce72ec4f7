/*
 * Query keys of the console. A key begins with the noun of its records, so that one invalidation
 * after a write refreshes every list, count and record of the noun. Only this file creates keys, so
 * that a misspelled noun does not compile.
 */

/** Nouns of a workspace, followed by those of the person and of the browser. */
const NOUNS = [
  'analytics',
  'auditLog',
  'bulkChanges',
  'cities',
  'customers',
  'deliveries',
  'destinations',
  'domainChecks',
  'domains',
  'events',
  'exports',
  'folders',
  'fonts',
  'icons',
  'imports',
  'integrations',
  'invitations',
  'keys',
  'links',
  'members',
  'metatags',
  'pages',
  'qrcodes',
  'sharedReports',
  'slugs',
  'tags',
  'templates',
  'trash',
  'utmTemplates',
  'views',
  'webhooks',
  'workspace',
  'admin',
  'authorization',
  'me',
  'methods',
  'notifications',
  'openInvitation',
  'passkeys',
  'reports',
  'secondFactor',
  'sessions',
  'drawings',
  'pictures',
  'places',
] as const;

/** The noun of a query key. */
export type Noun = (typeof NOUNS)[number];

/** A query key. */
export type Key = readonly [noun: Noun, ...parts: readonly unknown[]];

/** Functions that create the keys of one noun. */
interface Family {
  /** Prefix of all keys of the noun, for invalidation. */
  all: Key;
  /**
   * Key of a list, or of another query about several records.
   *
   * @param parts values that the response depends on
   */
  list(...parts: readonly unknown[]): Key;
  /**
   * Key of a count of records.
   *
   * @param parts values that the count depends on
   */
  count(...parts: readonly unknown[]): Key;
  /** Key of a search in the command palette. */
  search(text: string): Key;
  /** Key of one record, or of a part of it. */
  one(id: string, ...parts: readonly unknown[]): Key;
}

const familyOf = (noun: Noun): Family => ({
  all: [noun],
  list: (...parts) => [noun, 'list', ...parts],
  count: (...parts) => [noun, 'count', ...parts],
  search: (text) => [noun, 'search', text],
  one: (id, ...parts) => [noun, 'one', id, ...parts],
});

/** Key functions by noun: `keys.links.one(id)`, `keys.tags.all`. */
export const keys = Object.fromEntries(NOUNS.map((noun) => [noun, familyOf(noun)])) as Readonly<
  Record<Noun, Family>
>;

/** Key of a list loaded page by page, distinct from the key of the same list loaded as a whole. */
export const pagedKey = (key: Key): Key => [...key, 'pages'];
