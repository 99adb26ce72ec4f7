import { Refusal } from '../errors.ts';
import { toHostName } from '../http/domain-name.ts';
import { dateTime, Joi } from '../http/fields.ts';
import { check, mapInSlices } from '../http/input.ts';
import { newId } from '../ids.ts';
import { parseUrl } from '../infra/url.ts';
import { type LinkBody, type NewLink, newLinkBody } from '../links/schema.ts';
import type { References } from '../short-links/references.ts';
import { toSharedChanges } from '../short-links/schema.ts';
import { type FieldName, readCell } from './fields.ts';
import { fieldsOf } from './mapping.ts';
import type { Fault, FileRow, Import } from './model.ts';

/** A row of a file, read as a link. */
export interface LinkRow {
  row: number;
  cells: string[];
  link: NewLink;
  /**
   * True if the row names its domain; otherwise the domain of the options or the workspace applies.
   */
  hasDomain: boolean;
  /**
   * True if the row names a short link that it does not get, because the domain does not belong to
   * the workspace.
   */
  isRenamed: boolean;
  /** Domain in the row that does not belong to the workspace. */
  otherDomain?: string | undefined;
}

/** A row that is no valid link. */
export interface RefusedRow {
  row: number;
  cells: string[];
  refusal: Refusal;
}

type RowBody = LinkBody & { createdAt?: string; importedClicks?: number };

/** Body of a link that another service has created. */
export const rowBody = newLinkBody.keys({
  // Links that expired before the import may be imported.
  expiresAt: dateTime(),
  importedClicks: Joi.number().strict().integer().min(0).max(Number.MAX_SAFE_INTEGER),
  createdAt: dateTime().custom((value: string, { error }) =>
    Date.parse(value) > Date.now() ? error('rule', { rule: 'must not be in the future' }) : value,
  ),
});

/**
 * Reads rows as links, and lets other work of the process run in between.
 *
 * @param references the domains of the workspace
 */
export function toLinks(
  importRow: Pick<Import, 'project_id' | 'file' | 'options'>,
  rows: readonly FileRow[],
  references: References,
): Promise<(LinkRow | RefusedRow)[]> {
  const fields = fieldsOf(importRow);
  return mapInSlices(rows, ([row, ...cells]): LinkRow | RefusedRow => {
    try {
      if (cells.slice(fields.length).some((cell) => cell.trim() !== '')) {
        throw refusal('The row must not have more cells than the header');
      }
      return { row, cells, ...toLink(fields, cells, importRow, references) };
    } catch (thrown) {
      if (!(thrown instanceof Refusal)) throw thrown;
      return { row, cells, refusal: thrown };
    }
  });
}

const refusal = (message: string): Refusal => new Refusal('unprocessable_entity', message);

function toLink(
  fields: readonly (FieldName | null)[],
  cells: readonly string[],
  { project_id: projectId, options }: Pick<Import, 'project_id' | 'options'>,
  references: References,
): Pick<LinkRow, 'link' | 'hasDomain' | 'isRenamed' | 'otherDomain'> {
  const { domain, folderId, tagIds } = options;
  const { shortLink, hasPassword, disabled, ...linkFields } = bodyOf(fields, cells);
  refuseUnsafe({ hasPassword, disabled }, linkFields.password);
  const place = typeof shortLink === 'string' ? placeOf(shortLink) : undefined;
  // The export of this service repeats the domain of the short link; one of another workspace does
  // not count as requested.
  if (place?.domain === linkFields.domain && references.domain(place?.domain ?? '') === undefined) {
    delete linkFields.domain;
  }
  const named = linkFields['domain'] ?? (place && references.domain(place.domain)?.slug);
  const checked = check<RowBody>(
    rowBody,
    {
      folderId: folderId || undefined,
      tagIds: tagIds && tagIds.length > 0 ? tagIds : undefined,
      key: place?.key,
      ...linkFields,
      ...definedDomain(named ?? domain ?? undefined),
    },
    'row',
  );
  return {
    link: { ...toSharedChanges(projectId, checked), id: newId('link') },
    hasDomain: named !== undefined,
    isRenamed:
      place !== undefined &&
      (place.key !== checked.key ||
        place.domain !== (checked.domain ?? references.mainDomain.slug)),
    otherDomain:
      place === undefined || references.domain(place.domain) !== undefined
        ? undefined
        : place.domain,
  };
}

/**
 * @throws Refusal for a link that visitors would reach although the original service blocks them
 */
function refuseUnsafe(
  { hasPassword, disabled }: { hasPassword: unknown; disabled: unknown },
  password: unknown,
): void {
  if (hasPassword === true && password === undefined) {
    throw refusal(
      'password must be filled in: the link has one, but the other service does not export it',
    );
  }
  if (disabled === true) {
    throw refusal('disabled must be false: the other service has disabled the link');
  }
}

const definedDomain = (domain: unknown) => (domain === undefined ? {} : { domain });

/** Returns the non-empty cells by field. */
function bodyOf(
  fields: readonly (FieldName | null)[],
  cells: readonly string[],
): Partial<Record<FieldName, unknown>> {
  const body: Partial<Record<FieldName, unknown>> = {};
  for (const [at, name] of fields.entries()) {
    const value = name === null ? undefined : readCell(name, cells[at] ?? '');
    if (name !== null && value !== undefined) body[name] = value;
  }
  return body;
}

/**
 * Splits a short link into domain and key. The domain of another service does not belong to the
 * workspace.
 */
function placeOf(shortLink: string): { domain: string; key: string } {
  const url = parseUrl(/^https?:\/\//i.test(shortLink) ? shortLink : `https://${shortLink}`);
  const domain = url && toHostName(url.hostname);
  const path = url?.pathname.slice(1).replace(/\/$/, '') ?? '';
  if (domain === undefined || path === '') {
    throw refusal('shortLink must be a short link such as https://go.example.com/spring');
  }
  try {
    return { domain, key: decodeURIComponent(path) };
  } catch {
    throw refusal('shortLink must be well percent-encoded');
  }
}

/**
 * Converts a refusal to the violated rules of a row, with the column of each field. Messages begin
 * with the field name.
 */
export function faultsOf(
  importRow: Pick<Import, 'file' | 'options'>,
  { message }: Refusal,
): Fault[] {
  const fields = fieldsOf(importRow);
  return message.split('; ').map((message) => {
    const field = /^(?:The )?(\w+)/.exec(message)?.[1];
    const at = fields.findIndex((name) => name !== null && name === field);
    return { column: importRow.file.columns[at] ?? null, message };
  });
}
