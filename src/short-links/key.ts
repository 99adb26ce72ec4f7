import { customAlphabet } from 'nanoid';
import { config } from '../config.ts';
import { Refusal } from '../errors.ts';
import { Joi } from '../http/fields.ts';
import { type Db, rows } from '../infra/db.ts';
import { normalize } from '../infra/normalize.ts';
import { decodeLink, linkName } from '../lookup/codec.ts';
import type { LinkEntry } from '../lookup/entry.ts';
import type { LookupChange } from '../lookup/publish.ts';
import type { ShortLinkRow } from './model.ts';

const MAX_LENGTH = 190;
/** Letters, digits, `-`, `_`, `.`, `/`, any other Unicode letter (with its marks), and emoji with what joins them. */
const ALLOWED =
  /^[\p{L}\p{M}\p{N}\-_./\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}\u200d]+$/u;
const RANDOM_LENGTH = 7;

/** End of the key of a link that answers every path below. */
const WILDCARD = '/*';

/** True for the key of a link that answers every path below. */
export const isWildcard = (key: string): boolean => key.endsWith(WILDCARD);

/** @throws Refusal `unprocessable_entity`: paths of a domain that workspaces share are not one workspace's */
export function refuseSharedWildcard(key: string, domain: string): void {
  if (!isWildcard(key) || domain !== config().DEFAULT_SHORT_DOMAIN) return;
  throw new Refusal(
    'unprocessable_entity',
    `key must not end in /* on ${domain}, which all workspaces share: use your own domain`,
  );
}

/** A random key: 7 characters of letters and digits, 41 bits. */
export const randomKey = customAlphabet(
  '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
  RANDOM_LENGTH,
);

/** A random key under a prefix, if there is one. */
export function drawKey(prefix: string | undefined): string {
  return prefix === undefined ? randomKey() : `${prefix}/${randomKey()}`;
}

/** The rule that a text breaks as a key, if any; completes the sentence "key …". */
export function keyFault(key: string): string | undefined {
  // A character has one or two UTF-16 units.
  if (key.length > 2 * MAX_LENGTH || Array.from(key).length > MAX_LENGTH)
    return `must not be longer than ${MAX_LENGTH} characters`;
  const named = key.endsWith(WILDCARD) ? key.slice(0, -WILDCARD.length) : key;
  if (named.includes('*')) return 'must have * only at its end, after a /';
  if (!ALLOWED.test(named)) return 'must contain only letters, digits, -, _, ., / and emoji';
  if (key.startsWith('/') || key.endsWith('/')) return 'must not start or end with /';
  // Browsers and proxies take such segments out of a path: the link could not be reached.
  if (key.split('/').some((part) => part === '' || part === '.' || part === '..')) {
    return 'must not contain empty, "." or ".." segments';
  }
  if (isReservedKey(key)) return `must not be "${key}": the name is reserved`;
  return undefined;
}

/** Names that belong to the server itself on every domain. */
export function isReservedKey(key: string): boolean {
  const first = key.split('/')[0];
  return first === '_' || first === '.well-known' || key === 'robots.txt' || key === 'favicon.ico';
}

/** A key as a field, normalized (NFC). */
export const keyField = () =>
  Joi.string().custom((value: string, { error }) => {
    const key = normalize(value, 'NFC');
    const rule = keyFault(key);
    return rule === undefined ? key : error('rule', { rule });
  });

/** Prefix of random keys as a field; one slash at either end is ignored. */
export const prefixField = () =>
  Joi.string().custom((value: string, { error }) => {
    const prefix = normalize(value, 'NFC').replace(/^\//, '').replace(/\/$/, '');
    const rule = keyFault(`${prefix}/${'x'.repeat(RANDOM_LENGTH)}`);
    return rule === undefined ? prefix : error('rule', { rule });
  });

/*
 * The one space of domain + key that links and QR codes share (docs/decisions/0004-claims.md). A claim also holds
 * the record's look-up entry, so that a cache miss is one indexed read.
 */

/** Time for which the name that a record has left is kept, in hours. */
export const KEPT_HOURS = 24;

export type Name = Pick<ShortLinkRow, 'domain_id' | 'key'>;

/** The domains of names, each once. A statement that names them reads only their partitions of claims. */
export const domainIdsOf = (names: readonly Pick<Name, 'domain_id'>[]): string[] => [
  ...new Set(names.map(({ domain_id }) => domain_id)),
];

/**
 * SQL: true for a claim `c` whose name is free for a record of a workspace.
 *
 * @param projectId expression of the workspace
 */
export const isFreeFor = (projectId: string): string =>
  `(c.free_at IS NOT NULL AND (c.free_at <= now() OR (c.is_deleted AND c.project_id = ${projectId}))
    AND NOT EXISTS (SELECT 1 FROM blocked_links b WHERE b.record_id = c.record_id))`;

/** A claim to be made. */
export interface NewClaim extends Name {
  project_id: string;
  record_id: string;
  entry: string;
}

/**
 * Claims names that are free ({@link isFreeFor}), or that the same record has left.
 *
 * @returns versions of the claims that were made, by record; a record that is missing found its name taken
 */
export async function claimNames(
  trx: Db,
  claims: readonly NewClaim[],
): Promise<Map<string, number>> {
  // Everybody claims in the same order, so that two bulk writes can't wait for each other.
  const ordered = claims.toSorted(
    (a, b) => compare(a.domain_id, b.domain_id) || compare(a.key, b.key),
  );
  const claimed = await rows<{ record_id: string; version: number }>(
    trx,
    `WITH wanted AS (SELECT * FROM json_populate_recordset(NULL::claims, :wanted)),
          freed AS (DELETE FROM claims c USING wanted w
                     WHERE c.domain_id = ANY(:domains) AND c.domain_id = w.domain_id AND c.key = w.key
                       AND (${isFreeFor('w.project_id')} OR (c.free_at IS NOT NULL AND c.record_id = w.record_id))
                    RETURNING c.key)
     INSERT INTO claims (domain_id, key, project_id, record_id, entry)
     SELECT domain_id, key, project_id, record_id, entry FROM wanted
      -- Names are freed before they are claimed.
      WHERE (SELECT count(*) FROM freed) >= 0
     ON CONFLICT DO NOTHING RETURNING record_id, version`,
    {
      wanted: JSON.stringify(ordered),
      domains: domainIdsOf(ordered),
    },
  );
  return new Map(claimed.map(({ record_id, version }) => [record_id, version]));
}

/** Look-up entry that is stored for the name of a row. */
export async function claimedEntry(trx: Db, { domain_id, key }: Name): Promise<LinkEntry> {
  const claim = (await trx('claims').where({ domain_id, key }).first('entry')) as { entry: string };
  return decodeLink(claim.entry);
}

/**
 * Keeps the claim of a record in step with it: the same name with a new entry, or another name. The old name stays
 * claimed for a day without an entry, so that no other record gets the visitors who still use it.
 *
 * @throws Refusal `conflict` when the new name is taken
 */
export async function moveClaim(
  trx: Db,
  before: ShortLinkRow,
  after: ShortLinkRow,
  entry: string,
): Promise<LookupChange[]> {
  const old = { domain_id: before.domain_id, key: before.key };
  if (before.domain_id === after.domain_id && before.key === after.key) {
    const [row] = await rows<{ version: number }>(
      trx,
      `UPDATE claims SET entry = ?, version = nextval('lookup_version')
        WHERE domain_id = ? AND key = ? RETURNING version`,
      [entry, old.domain_id, old.key],
    );
    const { version } = row!;
    return [{ name: linkName(old.domain_id, old.key), version, entry, announce: true }];
  }
  const { project_id, id: record_id, domain_id, key } = after;
  const made = await claimNames(trx, [{ project_id, record_id, domain_id, key, entry }]);
  const version = made.get(record_id);
  if (version === undefined) {
    throw (await refusalsOfBlocked(trx, [after]))(after) ?? taken('key', key, 'on its domain');
  }
  const [left] = await rows<{ version: number }>(
    trx,
    `UPDATE claims SET entry = '', version = nextval('lookup_version'), free_at = now() + make_interval(hours => ?)
      WHERE domain_id = ? AND key = ? RETURNING version`,
    [KEPT_HOURS, old.domain_id, old.key],
  );
  return [
    { name: linkName(domain_id, key), version, entry, announce: false },
    {
      name: linkName(old.domain_id, old.key),
      version: left!.version,
      entry: null,
      announce: true,
    },
  ];
}

/** Why a name cannot be taken, of those that a blocked record has left; others have no entry. */
export async function refusalsOfBlocked(
  trx: Db,
  names: readonly Name[],
): Promise<(name: Name) => Refusal | undefined> {
  if (names.length === 0) return () => undefined;
  const blocked = await rows<Name>(
    trx,
    `SELECT c.domain_id, c.key FROM json_to_recordset(:names) AS n (domain_id text, key text)
       JOIN claims c ON c.domain_id = n.domain_id AND c.key = n.key AND c.free_at IS NOT NULL
       JOIN blocked_links b ON b.record_id = c.record_id
      WHERE c.domain_id = ANY(:domains)`,
    {
      names: JSON.stringify(names.map(({ domain_id, key }) => ({ domain_id, key }))),
      domains: domainIdsOf(names),
    },
  );
  const found = new Set(blocked.map(({ domain_id, key }) => linkName(domain_id, key)));
  return ({ domain_id, key }) =>
    found.has(linkName(domain_id, key))
      ? new Refusal(
          'conflict',
          `The key "${key}" cannot be used: the operator of this service has blocked the link that had it`,
        )
      : undefined;
}

/** Releases the claim of a row that could not be inserted. */
export async function releaseName(trx: Db, { domain_id, key }: Name): Promise<void> {
  await trx('claims').where({ domain_id, key }).delete();
}

export const taken = (what: string, value: string, where: string): Refusal =>
  new Refusal('conflict', `The ${what} "${value}" is taken ${where}`);

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
