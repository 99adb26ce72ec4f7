import type { Db } from '../infra/db.ts';
import { decodeLink, type LinkEntry } from '../lookup/entry.ts';
import { type LookupChange, linkName } from '../lookup/publish.ts';
import type { RoutedRow } from './model.ts';
import { taken } from './rules.ts';

/*
 * The one space of domain + key that links and QR codes share (docs/decisions/0004-claims.md). A claim also holds
 * the record's look-up entry, so that a cache miss is one indexed read.
 */

type Name = Pick<RoutedRow, 'domain_id' | 'key'>;

/** A claim to be made. */
export interface NewClaim extends Name {
  project_id: string;
  record_id: string;
  entry: string;
}

/**
 * Claims names that are free.
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
  const { rows } = await trx.raw<{ rows: { record_id: string; version: number }[] }>(
    `INSERT INTO claims (domain_id, key, project_id, record_id, entry)
     SELECT domain_id, key, project_id, record_id, entry FROM json_populate_recordset(NULL::claims, ?)
     ON CONFLICT DO NOTHING RETURNING record_id, version`,
    [JSON.stringify(ordered)],
  );
  return new Map(rows.map(({ record_id, version }) => [record_id, version]));
}

/** What redirect processes know of the name of a row. */
export async function claimedEntry(trx: Db, { domain_id, key }: Name): Promise<LinkEntry> {
  const claim = (await trx('claims').where({ domain_id, key }).first('entry')) as { entry: string };
  return decodeLink(claim.entry);
}

/**
 * Keeps the claim of a record in step with it: the same name with a new entry, or another name.
 *
 * @throws Refusal `conflict` when the new name is taken
 */
export async function moveClaim(
  trx: Db,
  before: RoutedRow,
  after: RoutedRow,
  entry: string,
): Promise<LookupChange[]> {
  const old = { domain_id: before.domain_id, key: before.key };
  if (before.domain_id === after.domain_id && before.key === after.key) {
    const { rows } = await trx.raw<{ rows: { version: number }[] }>(
      `UPDATE claims SET entry = ?, version = nextval('lookup_version')
        WHERE domain_id = ? AND key = ? RETURNING version`,
      [entry, old.domain_id, old.key],
    );
    const { version } = rows[0]!;
    return [{ name: linkName(old.domain_id, old.key), version, entry, announce: true }];
  }
  const { project_id, id: record_id, domain_id, key } = after;
  const made = await claimNames(trx, [{ project_id, record_id, domain_id, key, entry }]);
  const version = made.get(record_id);
  if (version === undefined) throw taken('key', key, 'on its domain');
  const gone = (await trx('claims').where(old).delete().returning('version')) as {
    version: number;
  }[];
  return [
    { name: linkName(domain_id, key), version, entry, announce: false },
    {
      name: linkName(old.domain_id, old.key),
      version: gone[0]!.version,
      entry: null,
      announce: true,
    },
  ];
}

/** Gives up the names of rows that are not there after all. */
export async function releaseName(trx: Db, { domain_id, key }: Name): Promise<void> {
  await trx('claims').where({ domain_id, key }).delete();
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
