import { config } from '../config.ts';
import { Refusal } from '../errors.ts';
import { type Db, rows, type SqlValue } from '../infra/db.ts';
import type { Limits } from '../infra/limits.ts';
import type { Role } from './roles.ts';
import { includesScope, type Scope, scopeBeyond } from './scopes.ts';

/*
 * Limits of API keys and members to some links and QR codes of their workspace
 * (docs/decisions/0018-limits.md):
 *
 *   authentication ─▶ `caller.limits` ─▶ current limits of the request
 *     ─▶ `actor.limits` of its jobs ─▶ current limits of the command
 *
 * Models of records read the current limits, so that no query has to pass them on. An endpoint
 * refuses limited callers unless its route says otherwise (`limits` in http/route.ts).
 */

/** Limits as they are stored; a record must be inside of all that are set. */
export interface StoredLimits {
  folderIds?: string[] | undefined;
  /** Names of domains. */
  domains?: string[] | undefined;
  /** True: only records that the person of the key or session created. */
  own?: true | undefined;
}

/** Scopes that limited callers can have: others concern the whole workspace. */
const LIMITED_SCOPES = [
  'links.read',
  'links.write',
  'qrcodes.read',
  'qrcodes.write',
  'tags.read',
  'folders.read',
  'domains.read',
  'analytics.read',
  'events.read',
  'jobs.read',
  'workspace.read',
] as const satisfies Scope[];

/** Returns the scopes that remain to a limited caller. */
export const limitedScopes = (scopes: readonly string[]): Scope[] =>
  LIMITED_SCOPES.filter((scope) => includesScope(scopes, scope));

/** SQL: limits of a member `m`; owners have none. */
export const memberLimitsSql = `CASE WHEN m.role <> 'owner' THEN m.limits END`;

/**
 * Combines the stored limits of a caller, those of their key and their own: a record must be inside
 * of all of them.
 *
 * @param userId the person of the key or session
 * @returns `undefined` for none
 */
export function limitsOf(
  userId: string,
  stored: readonly (StoredLimits | null)[],
): Limits | undefined {
  const set = stored.filter((limits) => limits !== null);
  if (set.length === 0) return undefined;
  return {
    folderIds: common(set.map(({ folderIds }) => folderIds)),
    domains: common(set.map(({ domains }) => domains)),
    userId: set.some(({ own }) => own === true) ? userId : undefined,
  };
}

/** Returns the values that all of some lists have, sorted; `undefined` without any list. */
function common(lists: readonly (readonly string[] | undefined)[]): string[] | undefined {
  const set = lists.filter((list) => list !== undefined);
  const [first, ...others] = set;
  return first?.filter((value) => others.every((list) => list.includes(value))).toSorted();
}

/** Columns of records that limits compare. */
type PlaceColumn = 'folder_id' | 'domain_id' | 'user_id';

/**
 * Builds the SQL condition of records inside of the limits, with its bindings. This is the only
 * place that translates limits.
 *
 * @param columnOf SQL of a column of the record
 */
export function insideSql(
  { folderIds, domains, userId }: Limits,
  columnOf: (column: PlaceColumn) => string,
): [sql: string, bindings: SqlValue[]] {
  const conditions = ['true'];
  const bindings: SqlValue[] = [];
  if (folderIds !== undefined) {
    // Only a single value keeps the order of an index in all versions of Postgres.
    const [only, ...others] = folderIds;
    const isOne = only !== undefined && others.length === 0;
    conditions.push(`${columnOf('folder_id')} = ${isOne ? '?' : 'ANY(?)'}`);
    bindings.push(isOne ? only : folderIds);
  }
  if (domains !== undefined) {
    const ids = 'ARRAY(SELECT id FROM domains WHERE slug = ANY(?))';
    conditions.push(`${columnOf('domain_id')} = ANY(${ids})`);
    bindings.push(domains);
  }
  if (userId !== undefined) {
    conditions.push(`${columnOf('user_id')} = ?`);
    bindings.push(userId);
  }
  return [conditions.join(' AND '), bindings];
}

/** Returns the folder and the domain of new records that name none, if limits leave one of each. */
export function onlyPlace({ folderIds = [], domains = [] }: Limits) {
  return {
    folderId: folderIds.length === 1 ? folderIds[0] : undefined,
    domain: domains.length === 1 ? domains[0] : undefined,
  };
}

/**
 * Refuses a record that would be outside of limits.
 *
 * @throws Refusal `unprocessable_entity` naming the field
 */
export function refuseOutside(
  { folderIds, domains }: Limits,
  folderId: string | null,
  domain: string,
): void {
  const faults = [
    folderIds?.includes(folderId ?? '') === false &&
      `folderId must be one of the folders to which the caller is limited: ${folderIds.join(', ')}`,
    domains?.includes(domain) === false &&
      `domain must be one of the domains to which the caller is limited: ${domains.join(', ')}`,
  ].filter((fault) => fault !== false);
  if (faults.length > 0) throw new Refusal('unprocessable_entity', faults.join('; '));
}

/**
 * Refuses limits of an owner.
 *
 * @throws Refusal `unprocessable_entity`
 */
export function refuseOwnersLimits(role: Role, limits: StoredLimits | null | undefined): void {
  if (role !== 'owner' || !limits) return;
  throw new Refusal('unprocessable_entity', 'limits must be null where role is "owner"');
}

/**
 * Refuses to change the limits of a key or a person with rights that the caller lacks.
 *
 * @param present limits before the change; setting the first ones gives nothing
 * @param scopes those of the key or person
 * @throws Refusal `forbidden`
 */
export function refuseLiftedLimits(
  callerScopes: readonly string[],
  present: StoredLimits | null,
  scopes: readonly string[],
): void {
  const scope = present === null ? undefined : scopeBeyond(callerScopes, scopes);
  if (scope === undefined) return;
  throw new Refusal(
    'forbidden',
    `limits must not change: they limit the scope "${scope}", which the caller lacks`,
  );
}

/**
 * Refuses limits to folders and domains that the workspace does not have.
 *
 * @throws Refusal `unprocessable_entity`
 */
export async function refuseUnknownPlaces(
  trx: Db,
  projectId: string,
  limits: StoredLimits | null | undefined,
): Promise<void> {
  const { folderIds = [], domains = [] } = limits ?? {};
  const present = await rows<{ name: string }>(
    trx,
    `SELECT id AS name FROM folders WHERE project_id = :projectId AND id = ANY(:folderIds)
      UNION ALL SELECT slug FROM domains
       WHERE slug = ANY(:domains) AND (project_id = :projectId OR (project_id IS NULL AND slug = :default))`,
    { projectId, folderIds, domains, default: config().DEFAULT_SHORT_DOMAIN },
  );
  const names = new Set(present.map(({ name }) => name));
  const faults = [
    ...folderIds.map((id) => !names.has(id) && `limits.folderIds: there is no folder "${id}"`),
    ...domains.map((name) => !names.has(name) && `limits.domains: there is no domain "${name}"`),
  ].filter((fault) => fault !== false);
  if (faults.length > 0) throw new Refusal('unprocessable_entity', faults.join('; '));
}
