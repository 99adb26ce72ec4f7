import { config } from '../config.ts';
import { Refusal } from '../errors.ts';
import { domainField } from '../http/domain-name.ts';
import { id, Joi, list } from '../http/fields.ts';
import { type Db, execute, rows } from '../infra/db.ts';

/*
 * The scope of a webhook selects the links and QR codes whose events it receives.
 */

export const WEBHOOK_SCOPES = ['links', 'all', 'domain', 'folder', 'tag'] as const;

export type WebhookScope = (typeof WEBHOOK_SCOPES)[number];

/** Fields of the API that list the members of a scope. */
const LISTS = { domain: 'domains', folder: 'folderIds', tag: 'tagIds' } as const;

type ListedScope = keyof typeof LISTS;
const LISTED = Object.keys(LISTS) as ListedScope[];

/** The fields of a body that set the scope. */
export interface ScopeFields {
  scope?: WebhookScope | undefined;
  domains?: string[] | null | undefined;
  folderIds?: string[] | null | undefined;
  tagIds?: string[] | null | undefined;
}

/** Columns of a webhook's row that hold its scope. */
export interface ScopeColumns {
  scope: WebhookScope;
  /** Names of domains, or ids of folders or tags; `null` for scopes without a list. */
  scope_values: string[] | null;
}

const members = (what: string, item = id()) =>
  list(item).min(1).allow(null).description(`${what} of the scope; 1 to 100.`);

/** Schemas of the fields of a body that set the scope. */
export const scopeFields = {
  scope: Joi.string()
    .valid(...WEBHOOK_SCOPES)
    .description(
      'Links and QR codes whose events it receives. `all`: all; `domain`, `folder`, `tag`: those on, ' +
        'in or with one of the listed ones. `links`: visits of those that name it in `webhookIds`, ' +
        'whatever its kinds, and other events of all. Default: `links`.',
    ),
  domains: members('Domains', domainField()),
  folderIds: members('Ids of the folders'),
  tagIds: members('Ids of the tags'),
};

const shownList = (what: string, item: string) =>
  Joi.array()
    .items(Joi.string())
    .allow(null)
    .required()
    .description(`${what} of the scope, without deleted ones; null for other scopes.`)
    .example([item]);

/** Schemas of the fields of a record that show the scope. */
export const shownScope = {
  scope: Joi.string()
    .valid(...WEBHOOK_SCOPES)
    .required()
    .description('Links and QR codes whose events it receives.'),
  domains: shownList('Domains', 'go.example.com'),
  folderIds: shownList('Ids of the folders', 'fold_2Kq9vWx3Yz'),
  tagIds: shownList('Ids of the tags', 'tag_4Rt6yUi8Op'),
};

/** Builds the fields of a record that show the scope. */
export function toScope({ scope, scope_values }: ScopeColumns) {
  const listOf = (owner: ListedScope) => (scope === owner ? scope_values : null);
  return {
    scope,
    domains: listOf('domain'),
    folderIds: listOf('folder'),
    tagIds: listOf('tag'),
  };
}

/**
 * Converts the scope in a body to columns.
 *
 * @param before the present scope of the webhook, whose list an update may leave out
 * @throws Refusal `unprocessable_entity` for a missing list, one of another scope, or names that do
 *   not exist in the workspace
 */
export async function scopeColumns(
  trx: Db,
  projectId: string,
  fields: ScopeFields,
  before: ScopeColumns = { scope: 'links', scope_values: null },
): Promise<ScopeColumns> {
  const { scope = before.scope } = fields;
  const other = LISTED.find((one) => one !== scope && fields[LISTS[one]]);
  if (other !== undefined) {
    throw new Refusal(
      'unprocessable_entity',
      `${LISTS[other]} must be set with the scope "${other}" only`,
    );
  }
  if (!isListed(scope)) return { scope, scope_values: null };
  const field = LISTS[scope];
  const values = fields[field] ?? undefined;
  if (values === undefined) {
    if (before.scope === scope) return before;
    throw new Refusal('unprocessable_entity', `${field} is required with the scope "${scope}"`);
  }
  const existing = await existingMembers(trx, projectId, scope, values);
  const unknown = values.find((value) => !existing.has(value));
  if (unknown !== undefined) {
    throw new Refusal('unprocessable_entity', `${field}: there is no ${scope} "${unknown}"`);
  }
  return { scope, scope_values: values };
}

const isListed = (scope: WebhookScope): scope is ListedScope => scope in LISTS;

async function existingMembers(
  trx: Db,
  projectId: string,
  scope: ListedScope,
  values: readonly string[],
): Promise<ReadonlySet<string>> {
  const sql = {
    domain: `SELECT slug AS value FROM domains WHERE slug = ANY(:values)
                AND (project_id = :projectId OR (project_id IS NULL AND slug = :shared))`,
    folder: 'SELECT id AS value FROM folders WHERE project_id = :projectId AND id = ANY(:values)',
    tag: 'SELECT id AS value FROM tags WHERE project_id = :projectId AND id = ANY(:values)',
  }[scope];
  const shared = config().DEFAULT_SHORT_DOMAIN;
  const existing = await rows<{ value: string }>(trx, sql, { projectId, values, shared });
  return new Set(existing.map(({ value }) => value));
}

/**
 * Removes a deleted domain, folder or tag from the scopes of webhooks. A webhook whose list is then
 * empty receives no event of links: its scope must not become wider by a deletion.
 *
 * @param value name of the domain, or id of the folder or tag
 */
export async function removeFromScopes(
  trx: Db,
  projectId: string,
  scope: ListedScope,
  value: string,
): Promise<void> {
  await execute(
    trx,
    `UPDATE webhooks SET scope_values = array_remove(scope_values, :value), updated_at = now()
      WHERE project_id = :projectId AND scope = :scope AND :value = ANY(scope_values)`,
    { projectId, scope, value },
  );
}

/** Place of a link or QR code in the workspace, which scopes select. */
export interface Place {
  /** Name of the domain. */
  domain: string;
  folderId: string | null;
  tagIds: readonly string[];
}

/** Returns true if a scope with a list contains a place; `links` and `all` contain every place. */
export function isInScope({ scope, scope_values }: ScopeColumns, place: Place): boolean {
  if (!isListed(scope)) return true;
  const values = scope_values ?? [];
  if (scope === 'tag') return values.some((tagId) => place.tagIds.includes(tagId));
  const value = scope === 'domain' ? place.domain : place.folderId;
  return value !== null && values.includes(value);
}
