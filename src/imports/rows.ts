import { Refusal } from '../errors.ts';
import { toHostName } from '../http/domain-name.ts';
import { dateTime, Joi } from '../http/fields.ts';
import { checkSparse, mapInSlices } from '../http/input.ts';
import { newId } from '../ids.ts';
import { parseUrl } from '../infra/url.ts';
import { type LinkBody, type NewLink, newLinkBody } from '../links/schema.ts';
import type { References } from '../short-links/references.ts';
import { toSharedChanges } from '../short-links/schema.ts';
import { type FieldName, readCell } from './fields.ts';
import type { ColumnFormat } from './formats.ts';
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
  /** Rules that values break which were left out, because the link does not depend on them. */
  leftOut: Fault[];
}

/** A row that is no valid link. */
export interface RefusedRow {
  row: number;
  cells: string[];
  refusal: Refusal;
}

type RowBody = LinkBody & { createdAt?: string; importedClicks?: number };
type Body = Partial<Record<FieldName | 'tagIds', unknown>>;

/** Fields that only describe a link: a value that breaks a rule does not cost the link. */
const REMARKS: ReadonlySet<string> = new Set<FieldName>([
  'title',
  'description',
  'image',
  'tagNames',
  'comments',
  'createdAt',
  'importedClicks',
  'status',
]);
/** Fields that only imports have, each true or false. */
const FLAGS = ['hasPassword', 'disabled', 'active', 'hasSecret'] as const;
/** Number that a spreadsheet program has rounded. */
const ROUNDED = /^\d(?:[.,]\d{1,20})?E\+\d{2,3}$/;

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
  { project_id: projectId, file, options }: Pick<Import, 'project_id' | 'file' | 'options'>,
  references: References,
): Omit<LinkRow, 'row' | 'cells'> {
  const { domain, folderId, tagIds } = options;
  const { shortLink, ...body } = bodyOf(fields, cells, file.formats ?? []);
  const place = takePlace(body, shortLink, references);
  // The export of this service repeats the domain of the short link; one of another workspace does
  // not count as requested.
  if (place?.domain === body.domain && references.domain(place?.domain ?? '') === undefined) {
    delete body.domain;
  }
  const named = body.domain ?? (place && references.domain(place.domain)?.slug);
  const { row, leftOut } = checkRow({
    folderId: folderId || undefined,
    tagIds: tagIds && tagIds.length > 0 ? tagIds : undefined,
    key: place?.key,
    ...body,
    ...definedDomain(named ?? domain ?? undefined),
  });
  return {
    link: { ...toSharedChanges(projectId, row), id: newId('link') },
    hasDomain: named !== undefined,
    isRenamed:
      place !== undefined &&
      (place.key !== row.key || place.domain !== (row.domain ?? references.mainDomain.slug)),
    otherDomain:
      place === undefined || references.domain(place.domain) !== undefined
        ? undefined
        : place.domain,
    leftOut: leftOut.map((message) => faultOf(fields, file.columns, message)),
  };
}

/**
 * Returns the address that a row names. A column of keys may have whole short links, and a column
 * of short links only their keys.
 */
function takePlace(
  body: Body,
  shortLink: unknown,
  references: References,
): { domain: string; key: string } | undefined {
  const { key } = body;
  if (typeof key === 'string') {
    if (ROUNDED.test(key)) {
      throw refusal(`key must not be a number that a spreadsheet has rounded, such as ${key}`);
    }
    const host = /^[^/]{1,253}(?=\/[^/])/.exec(key)?.[0];
    const isWhole = /^https?:\/\//i.test(key) || (host !== undefined && isOwn(host, references));
    if (isWhole) {
      delete body.key;
      return placeOf(key);
    }
  }
  if (typeof shortLink !== 'string') return undefined;
  const bare = shortLink.replace(/^\//, '').replace(/\/$/, '');
  if (/[.:/]/.test(bare) || bare === '') return placeOf(shortLink);
  body.key ??= bare;
  return undefined;
}

const isOwn = (host: string, references: References): boolean =>
  references.domain(toHostName(host) ?? '') !== undefined;

/**
 * Checks a row. Values of {@link REMARKS} that break a rule are left out.
 *
 * @throws Refusal for any other value that breaks a rule
 */
function checkRow(body: Body): { row: RowBody; leftOut: string[] } {
  const { status, ...rest } = withoutFlags(body);
  const leftOut =
    typeof status === 'string' ? ['status must be a word such as active or disabled'] : [];
  for (let left: Body = rest; ; ) {
    try {
      return { row: checkSparse<RowBody>(rowBody, left, 'row'), leftOut };
    } catch (thrown) {
      if (!(thrown instanceof Refusal)) throw thrown;
      const remarks = thrown.message.split('; ').filter((message) => {
        const field = fieldIn(message) ?? '';
        return REMARKS.has(field) && field in left;
      });
      if (remarks.length === 0) throw thrown;
      leftOut.push(...remarks);
      const names = new Set(remarks.map(fieldIn));
      left = Object.fromEntries(Object.entries(left).filter(([name]) => !names.has(name)));
    }
  }
}

/**
 * Applies the fields that only imports have. A link that the other service does not answer becomes
 * an archived link that has expired.
 *
 * @throws Refusal for a password that is missing, because visitors would not be asked for it
 */
function withoutFlags(body: Body): Body {
  const wrong = FLAGS.filter((name) => body[name] !== undefined && typeof body[name] !== 'boolean');
  if (wrong.length > 0) throw refusal(wrong.map((name) => `${name} must be a boolean`).join('; '));
  const { hasPassword, disabled, active, hasSecret, ...rest } = body;
  if (hasPassword === true && rest.password === undefined) {
    throw refusal(
      'password must be filled in: the link has one, but the other service does not export it',
    );
  }
  const isOff =
    disabled === true || hasSecret === true || active === false || rest.status === false;
  if (!isOff) return rest;
  const { startsAt: _, expiredUrl: __, ...ended } = rest;
  const ends = [rest.expiresAt, rest.createdAt].find(
    (time) => typeof time === 'string' && Date.parse(time) < Date.now(),
  );
  return { ...ended, archived: true, expiresAt: ends ?? new Date(0).toISOString() };
}

const definedDomain = (domain: unknown) => (domain === undefined ? {} : { domain });

/** Returns the non-empty cells by field. */
function bodyOf(
  fields: readonly (FieldName | null)[],
  cells: readonly string[],
  formats: readonly ColumnFormat[],
): Body {
  const body: Body = {};
  for (const [at, name] of fields.entries()) {
    const value = name === null ? undefined : readCell(name, cells[at] ?? '', formats[at]);
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
  return message.split('; ').map((each) => faultOf(fields, importRow.file.columns, each));
}

/** Returns the field with which a message begins. */
const fieldIn = (message: string): string | undefined => /^(?:The )?(\w+)/.exec(message)?.[1];

function faultOf(
  fields: readonly (FieldName | null)[],
  columns: readonly string[],
  message: string,
): Fault {
  const field = fieldIn(message);
  const at = fields.findIndex((name) => name !== null && name === field);
  return { column: columns[at] ?? null, message };
}
