import { Refusal } from '../errors.ts';
import { type Db, rows } from '../infra/db.ts';
import { decodeLink, domainName, encodeDomain, linkName } from '../lookup/codec.ts';
import { type DomainColumns, domainEntry, type LinkEntry } from '../lookup/entry.ts';
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

/** A claim to insert. */
export interface NewClaim extends Name {
  project_id: string;
  record_id: string;
  entry: string;
}

/**
 * Claims the names that are free ({@link isFreeFor}) or that the same record has left.
 *
 * @returns versions of the new claims by record id; a record without one found its name taken
 */
export async function claimNames(
  trx: Db,
  claims: readonly NewClaim[],
): Promise<Map<string, number>> {
  // Every transaction claims in the same order, so that two bulk writes cannot deadlock.
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
    { wanted: JSON.stringify(ordered), domains: domainIdsOf(ordered) },
  );
  return new Map(claimed.map(({ record_id, version }) => [record_id, version]));
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
  const versions = await claimNames(trx, [{ project_id, record_id, domain_id, key, entry }]);
  const version = versions.get(record_id);
  if (version === undefined) {
    throw (
      (await refusalsOfBlocked(trx, [after]))(after) ?? takenRefusal('key', key, 'on its domain')
    );
  }
  const [oldClaim] = await rows<{ version: number }>(
    trx,
    `UPDATE claims SET entry = '', version = nextval('lookup_version'), free_at = now() + make_interval(hours => ?)
      WHERE domain_id = ? AND key = ? RETURNING version`,
    [KEPT_HOURS, old.domain_id, old.key],
  );
  return [
    { name: linkName(domain_id, key), version, entry, announce: false },
    {
      name: linkName(old.domain_id, old.key),
      version: oldClaim!.version,
      entry: null,
      announce: true,
    },
  ];
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

/** Releases the claim of a row that could not be inserted. */
export async function releaseName(trx: Db, { domain_id, key }: Name): Promise<void> {
  await trx('claims').where({ domain_id, key }).delete();
}

export const takenRefusal = (what: string, value: string, where: string): Refusal =>
  new Refusal('conflict', `The ${what} "${value}" is taken ${where}`);

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
