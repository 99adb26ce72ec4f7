import { Refusal } from '../errors.ts';
import { type Db, db, execute, preparedRows, rows } from '../infra/db.ts';
import { decodeLink, domainName, encodeDomain, linkName, withKey } from '../lookup/codec.ts';
import { type DomainColumns, domainEntry, type LinkEntry } from '../lookup/entry.ts';
import { bySpelling, withoutCase, withoutSelectors } from '../lookup/key-spelling.ts';
import type { LookupChange } from '../lookup/publish.ts';
import { isWildcard } from './key.ts';
import type { ShortLinkRow } from './model.ts';

/*
 * Links and QR codes share one namespace of domain and key (docs/decisions/0004-claims.md). A claim
 * also holds the record's look-up entry, so that a cache miss costs one indexed read.
 */

/** Time for which a name stays reserved after its record has left it, in hours. */
export const KEPT_HOURS = 24;

export type Name = Pick<ShortLinkRow, 'domain_id' | 'key'>;

/** A name, with the form that its spellings share, and the version of its row. */
export interface Claim extends Name {
  /** Null for a name with one spelling. */
  canonical_key: string | null;
  version: number;
}

/**
 * Returns the look-up entries of a claim: by its key, and by any spelling of it.
 *
 * @param entry `null` if the record has left the name
 */
export function linkChanges(
  { domain_id, key, canonical_key, version }: Claim,
  entry: string | null,
  announce: boolean,
): LookupChange[] {
  const exact = { name: linkName(domain_id, key), version, entry, announce };
  if (canonical_key === null) return [exact];
  const name = linkName(domain_id, bySpelling(canonical_key));
  return [exact, { ...exact, name, entry: entry === null ? null : withKey(entry, key) }];
}

/** Returns the form that all spellings of a key share, with and without distinguishing case. */
export const spellingsOf = (key: string) => ({
  canonical: withoutSelectors(key),
  folded: withoutCase(key),
});

/**
 * SQL expression for the canonical key of a name on a domain `d`.
 *
 * @param name prefix of {@link spellingsOf} in SQL: `:` for bindings, or an alias with a dot
 */
const canonicalKeyOf = (name: string): string =>
  `d.key_version || '/' || CASE WHEN d.case_sensitive THEN CAST(${name}canonical AS text) ELSE ${name}folded END`;

/**
 * SQL query, for a lateral join: the claims of a domain `d` that have a name, in any spelling. Each
 * part has an index of its own; for one condition with OR, Postgres may read all claims of the
 * domain where it has no statistics.
 *
 * @param name as in {@link canonicalKeyOf}; also the prefix of the key
 */
export const claimsNamed = (name: string): string =>
  `(SELECT * FROM claims WHERE domain_id = d.id AND key = ${name}key
    UNION ALL
    SELECT * FROM claims
     WHERE domain_id = d.id AND key <> ${name}key AND canonical_key = ${canonicalKeyOf(name)})`;

/**
 * Returns the distinct domains of names. Where an operator has divided claims by domain, a statement
 * with these ids reads only their partitions.
 */
export const domainIdsOf = (names: readonly Pick<Name, 'domain_id'>[]): string[] => [
  ...new Set(names.map(({ domain_id }) => domain_id)),
];

/**
 * SQL condition: the name of a claim `c` is free for a record of a workspace.
 *
 * @param projectId SQL expression for the workspace
 */
export const isFreeFor = (projectId: string): string =>
  `(c.free_at IS NOT NULL AND (c.free_at <= now() OR (c.is_deleted AND c.project_id = ${projectId}))
    AND NOT EXISTS (SELECT 1 FROM blocked_links b WHERE b.record_id = c.record_id))`;

/**
 * Reads which names no new record of a workspace can have ({@link isFreeFor}).
 *
 * @returns predicate for the given names
 */
export async function takenNames(
  connection: Db,
  projectId: string,
  names: readonly Name[],
): Promise<(name: Name) => boolean> {
  if (names.length === 0) return () => false;
  const taken = await rows<Name>(
    connection,
    `SELECT w.domain_id, w.key
       FROM json_to_recordset(:names) AS w (domain_id text, key text, canonical text, folded text)
       JOIN domains d ON d.id = w.domain_id
       CROSS JOIN LATERAL ${claimsNamed('w.')} AS c
      WHERE c.domain_id = ANY(:domains) AND NOT ${isFreeFor(':projectId')}`,
    {
      names: JSON.stringify(
        names.map(({ domain_id, key }) => ({ domain_id, key, ...spellingsOf(key) })),
      ),
      domains: domainIdsOf(names),
      projectId,
    },
  );
  const unavailable = new Set(taken.map(({ domain_id, key }) => linkName(domain_id, key)));
  return ({ domain_id, key }) => unavailable.has(linkName(domain_id, key));
}

/** A claim to insert. */
export interface NewClaim extends Name {
  project_id: string;
  record_id: string;
  entry: string;
}

/**
 * Claims the names that are free ({@link isFreeFor}) or that the same record has left. Of two equal
 * names, the first one is claimed.
 *
 * @returns the new claims by record id; a record without one found its name taken
 */
export async function claimNames(
  trx: Db,
  claims: readonly NewClaim[],
): Promise<Map<string, Claim>> {
  const claimed = await insertClaims(trx, claims);
  const missed = claims.filter(({ record_id }) => !claimed.has(record_id));
  if (missed.length === 0) return claimed;
  // Most names are new, so names that records have left are freed only where they are in the way.
  // Without any, another transaction may have freed them between the two statements.
  await freeNames(trx, missed);
  return new Map([...claimed, ...(await insertClaims(trx, missed))]);
}

async function insertClaims(trx: Db, claims: readonly NewClaim[]): Promise<Map<string, Claim>> {
  const claimed = await preparedRows<Pick<Claim, 'canonical_key' | 'version'> & { id: string }>(
    trx,
    'insert claims',
    // The lock waits for a change of the domain's rule, and reads the rule after it.
    `WITH d AS MATERIALIZED (SELECT id, case_sensitive, key_version FROM domains
                              WHERE id = ANY(:domains) ORDER BY id FOR KEY SHARE),
          wanted AS (SELECT w.*, ${canonicalKeyOf('w.')} AS canonical_key
                       FROM ${WANTED} JOIN d ON d.id = w.domain_id)
     INSERT INTO claims (domain_id, key, project_id, record_id, entry, canonical_key)
     SELECT domain_id, key, project_id, record_id, entry, canonical_key FROM wanted
      -- Every transaction claims in the same order, so that two bulk writes cannot deadlock.
      ORDER BY domain_id COLLATE "C", coalesce(canonical_key, key) COLLATE "C", place
     ON CONFLICT DO NOTHING RETURNING record_id AS id, canonical_key, version`,
    wantedBindings(claims),
  );
  const names = new Map(
    claims.map(({ record_id, domain_id, key }) => [record_id, { domain_id, key }]),
  );
  return new Map(claimed.map(({ id, ...claim }) => [id, { ...names.get(id)!, ...claim }]));
}

/**
 * Deletes claims of names that records have left. They are locked in the order in which claims are
 * inserted, so that two bulk writes cannot deadlock.
 */
async function freeNames(trx: Db, wanted: readonly NewClaim[]): Promise<void> {
  const isFree = `c.domain_id = ANY(:domains) AND c.domain_id = w.domain_id
    AND (${isFreeFor('w.project_id')} OR (c.free_at IS NOT NULL AND c.record_id = w.record_id))`;
  await execute(
    trx,
    `WITH wanted AS MATERIALIZED (
            SELECT w.*, ${canonicalKeyOf('w.')} AS canonical_key
              FROM ${WANTED} JOIN domains d ON d.id = w.domain_id),
          left_names AS MATERIALIZED (
            SELECT c.domain_id, c.key FROM wanted w JOIN claims c ON ${isFree} AND c.key = w.key
             UNION
            SELECT c.domain_id, c.key FROM wanted w
              JOIN claims c ON ${isFree} AND c.canonical_key = w.canonical_key),
          locked AS MATERIALIZED (
            SELECT c.domain_id, c.key, c.version FROM claims c JOIN left_names USING (domain_id, key)
             WHERE c.domain_id = ANY(:domains) AND c.free_at IS NOT NULL
             ORDER BY c.domain_id COLLATE "C", coalesce(c.canonical_key, c.key) COLLATE "C"
               FOR UPDATE OF c)
     DELETE FROM claims c USING locked l
      WHERE c.domain_id = ANY(:domains) AND c.domain_id = l.domain_id AND c.key = l.key AND c.version = l.version`,
    wantedBindings(wanted),
  );
}

/** SQL for the rows of {@link wantedBindings}. */
const WANTED = `unnest(:ids::text[], :keys::text[], :canonicals::text[], :folded::text[],
                       :entries::text[], :domainIds::text[], :projects::text[])
                WITH ORDINALITY AS w (record_id, key, canonical, folded, entry, domain_id, project_id, place)`;

function wantedBindings(claims: readonly NewClaim[]) {
  const spellings = claims.map(({ key }) => spellingsOf(key));
  return {
    ids: claims.map(({ record_id }) => record_id),
    keys: claims.map(({ key }) => key),
    canonicals: spellings.map(({ canonical }) => canonical),
    folded: spellings.map(({ folded }) => folded),
    entries: claims.map(({ entry }) => entry),
    domainIds: claims.map(({ domain_id }) => domain_id),
    projects: claims.map(({ project_id }) => project_id),
    domains: domainIdsOf(claims),
  };
}

/** Reads the look-up entry that is stored for a name. */
export async function claimedEntry(trx: Db, { domain_id, key }: Name): Promise<LinkEntry> {
  const claim = (await trx('claims').where({ domain_id, key }).first('entry')) as { entry: string };
  return decodeLink(claim.entry);
}

/**
 * Updates the claim of a changed record: a new entry for the same name, or another name. The old
 * name stays claimed without an entry for a day, so that no other record gets the visitors who
 * still use it.
 *
 * @throws Refusal `conflict` if the new name is taken
 */
export async function moveClaim(
  trx: Db,
  before: ShortLinkRow,
  after: ShortLinkRow,
  entry: string,
): Promise<LookupChange[]> {
  const old = { domain_id: before.domain_id, key: before.key };
  if (before.domain_id === after.domain_id) {
    const claim = await respellClaim(trx, old, after.key, entry);
    if (claim !== undefined) {
      const changes = linkChanges(claim, entry, true);
      return claim.key === old.key
        ? changes
        : [...changes, ...linkChanges({ ...claim, ...old, canonical_key: null }, null, true)];
    }
  }
  const { project_id, id: record_id, domain_id, key } = after;
  const claims = await claimNames(trx, [{ project_id, record_id, domain_id, key, entry }]);
  const claim = claims.get(record_id);
  if (claim === undefined) {
    throw (
      (await refusalsOfBlocked(trx, [after]))(after) ?? takenRefusal('key', key, 'on its domain')
    );
  }
  const [oldClaim] = await rows<Claim>(
    trx,
    `UPDATE claims SET entry = '', version = nextval('lookup_version'), free_at = now() + make_interval(hours => ?)
      WHERE domain_id = ? AND key = ? RETURNING domain_id, key, canonical_key, version`,
    [KEPT_HOURS, old.domain_id, old.key],
  );
  return [...linkChanges(claim, entry, false), ...linkChanges(oldClaim!, null, true)];
}

/**
 * Changes the entry of a claim, and the spelling of its key.
 *
 * @param key the same key, in the same or another spelling
 * @returns `undefined` if it is another key, or another claim has this spelling
 */
async function respellClaim(
  trx: Db,
  { domain_id, key: oldKey }: Name,
  key: string,
  entry: string,
): Promise<Claim | undefined> {
  const isSame =
    key === oldKey
      ? 'true'
      : `c.canonical_key = (SELECT ${canonicalKeyOf(':')} FROM domains d WHERE d.id = :domain_id)
         AND NOT EXISTS (SELECT 1 FROM claims o WHERE o.domain_id = :domain_id AND o.key = :key)`;
  const [claim] = await rows<Claim>(
    trx,
    `UPDATE claims c SET key = :key, entry = :entry, version = nextval('lookup_version')
      WHERE c.domain_id = :domain_id AND c.key = :oldKey AND ${isSame}
     RETURNING domain_id, key, canonical_key, version`,
    { domain_id, oldKey, entry, key, ...(key === oldKey ? {} : spellingsOf(key)) },
  );
  return claim;
}

/**
 * Turns on the look-up of wildcards for the domains of new wildcard links; other domains save it.
 *
 * @returns look-up entries of the domains that it was off for
 */
export async function markWildcards(
  trx: Db,
  stored: readonly Pick<ShortLinkRow, 'domain_id' | 'key'>[],
): Promise<LookupChange[]> {
  const ids = stored.filter(({ key }) => isWildcard(key)).map(({ domain_id }) => domain_id);
  if (ids.length === 0) return [];
  const marked = await rows<DomainColumns & { slug: string; verified: boolean; version: number }>(
    trx,
    `WITH unmarked AS MATERIALIZED (
       SELECT id FROM domains WHERE id = ANY(?) AND NOT has_wildcards ORDER BY id FOR UPDATE)
     UPDATE domains AS d SET has_wildcards = true, version = nextval('lookup_version')
       FROM unmarked WHERE d.id = unmarked.id
     RETURNING d.*`,
    [ids],
  );
  return marked
    .filter(({ verified }) => verified)
    .map((row) => ({
      name: domainName(row.slug),
      version: row.version,
      entry: encodeDomain(domainEntry(row)),
      announce: true,
    }));
}

/**
 * Reads which names are reserved because their record was blocked. @returns the refusal for such a
 * name, `undefined` for any other
 */
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
  const reserved = new Set(blocked.map(({ domain_id, key }) => linkName(domain_id, key)));
  return ({ domain_id, key }) =>
    reserved.has(linkName(domain_id, key))
      ? new Refusal(
          'conflict',
          `The key "${key}" cannot be used: the operator of this service has blocked the link that had it`,
        )
      : undefined;
}

/** Reads the id of the record that has a key of a domain in another spelling. */
export async function findBySpelling(
  projectId: string,
  domain: string,
  key: string,
): Promise<string | undefined> {
  const [claim] = await rows<{ record_id: string }>(
    db(),
    `SELECT c.record_id FROM domains d JOIN claims c ON c.domain_id = d.id
      WHERE d.slug = :domain AND (d.project_id = :projectId OR d.project_id IS NULL)
        AND c.project_id = :projectId AND c.free_at IS NULL AND c.canonical_key = ${canonicalKeyOf(':')}`,
    { projectId, domain, ...spellingsOf(key) },
  );
  return claim?.record_id;
}

/** Releases the claim of a row that could not be inserted. */
export async function releaseName(trx: Db, { domain_id, key }: Name): Promise<void> {
  await trx('claims').where({ domain_id, key }).delete();
}

export const takenRefusal = (what: string, value: string, where: string): Refusal =>
  new Refusal('conflict', `The ${what} "${value}" is taken ${where}`);
