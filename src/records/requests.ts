import { Refusal } from '../errors.ts';
import type { Db } from '../infra/db.ts';
import { externalIdIn } from '../infra/fields.ts';
import type { RoutedFilters } from './filters.ts';
import type { RoutedRow } from './model.ts';
import type { RecordQueries } from './queries.ts';

/*
 * What the endpoints of links and of QR codes do alike between a checked request and its query.
 */

/** @throws Refusal `not_found` when `projectSlug` names another workspace than the key's */
export function refuseOtherWorkspace(
  { projectSlug }: { projectSlug?: string },
  { workspaceSlug }: { workspaceSlug: string },
): void {
  if (projectSlug !== undefined && projectSlug !== workspaceSlug) {
    throw new Refusal('not_found', `There is no workspace "${projectSlug}" for this key`);
  }
}

/** How an info endpoint names a record. */
export interface RecordInfo {
  domain?: string;
  key?: string;
  id?: string;
  externalId?: string;
}

type Queries<Sealed> = Pick<
  RecordQueries<RoutedRow, Sealed, RoutedFilters>,
  'find' | 'findByExternalId' | 'findByKey'
>;

/** A record by its id, or by the caller's own id after `ext_`. */
export function findByRef<Sealed>(
  queries: Queries<Sealed>,
  projectId: string,
  ref: string,
  connection?: Db,
): Promise<Sealed | undefined> {
  const externalId = externalIdIn(ref);
  return externalId === undefined
    ? queries.find(projectId, ref, connection)
    : queries.findByExternalId(projectId, externalId, connection);
}

/** A record by id, else by external id, else by domain and key. */
export function findByInfo<Sealed>(
  queries: Queries<Sealed>,
  projectId: string,
  { domain, key, id, externalId }: RecordInfo,
): Promise<Sealed | undefined> {
  if (id !== undefined) return findByRef(queries, projectId, id);
  if (externalId !== undefined) {
    return queries.findByExternalId(projectId, externalIdIn(externalId) ?? externalId);
  }
  return queries.findByKey(projectId, domain!, key!.normalize('NFC'));
}

/** @throws Refusal `not_found` */
export function found<Sealed>(record: Sealed | undefined, what: string): Sealed {
  if (record === undefined) throw new Refusal('not_found', `There is no ${what}`);
  return record;
}
