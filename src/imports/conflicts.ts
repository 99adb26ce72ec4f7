import { type Db, rows as select } from '../infra/db.ts';
import { spellingKey } from '../lookup/key-spelling.ts';
import { claimsNamed, domainIdsOf, isFreeFor, spellingsOf } from '../short-links/claims.ts';
import { writeUtm } from '../short-links/destination.ts';
import type { References } from '../short-links/references.ts';
import type { LinkRow } from './rows.ts';

/** Address of a link: its domain and requested key. */
interface Place {
  domain_id: string;
  key: string;
  /** Text that is the same for all spellings of the address. */
  name: string;
}

/**
 * Returns the address that a row requests; `undefined` for a random key, or a domain outside the
 * workspace.
 */
export function placeOfRow({ link }: LinkRow, references: References): Place | undefined {
  const domain = link.domain === undefined ? references.mainDomain : references.domain(link.domain);
  if (domain === undefined || link.key === undefined) return undefined;
  const { key } = link;
  const canonical = spellingKey(key, { ignoresCase: domain.caseSensitive ? undefined : true });
  return { domain_id: domain.id, key, name: `k ${domain.id} ${canonical ?? key}` };
}

/** Lists what only one link can have, as texts: its external id, and its domain with its key. */
export function namesOf(row: LinkRow, references: References): string[] {
  const place = placeOfRow(row, references);
  const { externalId } = row.link;
  return [
    ...(typeof externalId === 'string' ? [`e ${externalId}`] : []),
    ...(place === undefined ? [] : [place.name]),
  ];
}

/** Returns the destination of a row as it will be stored. */
export const destinationOf = ({ link }: LinkRow): string => writeUtm(link.url, link);

/** Existing links with the keys or external ids of rows, and keys that are not available. */
export interface Conflicts {
  /** Returns the id of the link with the row's external id, otherwise of the link with its key. */
  twinOf(row: LinkRow): string | undefined;
  /**
   * Returns true if the link with the row's key had another address and has another destination:
   * the two used one key on different domains.
   */
  isOther(row: LinkRow): boolean;
  /** Returns true if the row's key belongs to a QR code or another workspace. */
  isTaken(row: LinkRow): boolean;
}

/** Finds links by the external ids and keys of rows. */
export async function findConflicts(
  trx: Db,
  projectId: string,
  rows: readonly LinkRow[],
  references: References,
): Promise<Conflicts> {
  const externalIds = rows.flatMap(({ link: { externalId } }) =>
    typeof externalId === 'string' ? [externalId] : [],
  );
  const places = rows.flatMap((row) => placeOfRow(row, references) ?? []);
  const byExternalId = await select<{ id: string; external_id: string }>(
    trx,
    'SELECT id, external_id FROM links WHERE project_id = ? AND external_id = ANY(?)',
    [projectId, externalIds],
  );
  const claims = await select<Pick<Place, 'name'> & { id: string | null; url: string }>(
    trx,
    `SELECT w.name, l.id, l.url
       FROM json_to_recordset(:places) AS w (domain_id text, key text, name text, canonical text, folded text)
       JOIN domains d ON d.id = w.domain_id
       CROSS JOIN LATERAL ${claimsNamed('w.')} AS c
       LEFT JOIN links l ON l.project_id = :projectId AND l.id = c.record_id AND c.project_id = l.project_id
                        AND l.domain_id = c.domain_id AND l.key = c.key
      WHERE c.domain_id = ANY(:domains) AND NOT ${isFreeFor(':projectId')}`,
    {
      places: JSON.stringify(places.map((place) => ({ ...place, ...spellingsOf(place.key) }))),
      domains: domainIdsOf(places),
      projectId,
    },
  );
  const twins = new Map<string, string>([
    ...claims.flatMap(({ name, id }) => (id === null ? [] : [[name, id] as const])),
    ...byExternalId.map(({ id, external_id }) => [`e ${external_id}`, id] as const),
  ]);
  const unavailable = new Set<string>(
    claims.flatMap(({ name, id }) => (id === null ? [name] : [])),
  );
  const urls = new Map(claims.flatMap(({ id, url }) => (id === null ? [] : [[id, url] as const])));
  const twinOf = (row: LinkRow) =>
    namesOf(row, references).flatMap((name) => twins.get(name) ?? [])[0];
  const isKnown = ({ link: { externalId } }: LinkRow) => twins.has(`e ${externalId ?? ''}`);
  return {
    twinOf,
    isOther: (row) =>
      row.isRenamed && !isKnown(row) && urls.get(twinOf(row) ?? '') !== destinationOf(row),
    isTaken: (row) => namesOf(row, references).some((name) => unavailable.has(name)),
  };
}
