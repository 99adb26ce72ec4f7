import { newId } from '../ids.ts';
import { canonicalJson } from '../infra/canonical.ts';
import { type Db, execute } from '../infra/db.ts';
import type { Actor } from '../queues/definition.ts';
import type { ShortLinkRow } from './model.ts';
import type { TagReference } from './record-context.ts';

/*
 * The history of links and QR codes: each change is stored with the values before and after it, in
 * the statement that writes the row. Values are those of columns, so that a revert sets exactly
 * what was there; `history-record.ts` converts them to fields.
 */

/** Retention of entries, in days. */
export const KEPT_DAYS = 400;
/** Maximum number of entries of a record; the oldest ones are deleted. */
export const MAX_ENTRIES = 100;
/**
 * Maximum size of the entries before the newest one, in bytes of JSON: a data URI of an image has
 * half a megabyte.
 */
const MAX_BYTES = 2 * 1024 * 1024;

/** Kinds of entries. */
export const CHANGE_ACTIONS = [
  'updated',
  'reverted',
  'imported',
  'previewed',
  'reset',
  'restored',
] as const;

/** Origin of a change. */
export interface Author {
  action: (typeof CHANGE_ACTIONS)[number];
  /** Absent: the service itself. */
  actor?: Actor | undefined;
  /** Id of the entry whose change is taken back. */
  revertedId?: string | undefined;
  /** Id of the entry; absent: a new one. */
  changeId?: string | undefined;
}

/** The author of a change that a request makes. */
export const updatedBy = ({ actor }: { actor?: Actor | undefined }): Author => ({
  action: 'updated',
  actor,
});

/** The author of texts and images of a destination that the service fills in. */
export const PREVIEWED: Author = { action: 'previewed' };

/** A value before and after a change. */
export type Values = readonly [from: unknown, to: unknown];

/**
 * Values by column. Members of `design` are stored one by one, the domain by its name, tags as
 * references, and the password as whether there is one.
 */
export type StoredChanges = Readonly<Record<string, Values>>;

/** Columns that follow from others, that never change, or that are stored in another form. */
const NOT_COMPARED = new Set([
  'project_id',
  'id',
  'user_id',
  'domain_id',
  'design',
  'password',
  'password_fingerprint',
  'frameable',
  'search_text',
  'created_at',
  'updated_at',
]);

/** Columns that a revert sets together: a test, and the content of a QR code. */
const TOGETHER = [
  ['test_variants', 'test_started_at', 'test_completed_at', 'test_winner'],
  ['type', 'content'],
];

/** Members of `design` that are computed from the others. */
const COMPUTED = new Set(['middle', 'frameLetters']);
/** Members of `design` that refer to stored images. */
export const DESIGN_IMAGES = ['srcImage', 'logoImage', 'backgroundImage', 'photoImage'];

type Columns = Readonly<Record<string, unknown>>;

/** Compares two states of a row. @returns the values that differ */
export function changesBetween(
  before: ShortLinkRow,
  after: ShortLinkRow,
  place: {
    domain?: Values | undefined;
    tags?: readonly [readonly TagReference[], readonly TagReference[]] | undefined;
  },
): StoredChanges {
  const [old, next]: [Columns, Columns] = [{ ...before }, { ...after }];
  const changes: Record<string, Values> = {};
  for (const column of Object.keys(next)) {
    if (!NOT_COMPARED.has(column)) compare(changes, column, [old[column], next[column]]);
  }
  for (const columns of TOGETHER) {
    if (!columns.some((column) => column in changes)) continue;
    for (const column of columns) {
      if (column in next) changes[column] ??= [old[column], next[column]];
    }
  }
  compareDesigns(changes, old['design'], next['design']);
  if (before.password_fingerprint !== after.password_fingerprint) {
    changes['password'] = [before.password !== null, after.password !== null];
  }
  if (place.domain !== undefined) changes['domain'] = place.domain;
  if (place.tags !== undefined) compareTags(changes, place.tags);
  return changes;
}

function compare(changes: Record<string, Values>, name: string, [from, to]: Values): void {
  if (from === to || textOf(from) === textOf(to)) return;
  changes[name] = [from ?? null, to ?? null];
}

/** Postgres sorts the members of stored objects. */
const textOf = (value: unknown): string =>
  value instanceof Date ? value.toISOString() : canonicalJson(value ?? null);

function compareDesigns(changes: Record<string, Values>, before: unknown, after: unknown): void {
  if (before === after) return;
  const [old, next] = [before ?? {}, after ?? {}] as [Columns, Columns];
  for (const name of new Set([...Object.keys(old), ...Object.keys(next)])) {
    if (!COMPUTED.has(name)) compare(changes, `design.${name}`, [old[name], next[name]]);
  }
}

function compareTags(
  changes: Record<string, Values>,
  [old, next]: readonly [readonly TagReference[], readonly TagReference[]],
): void {
  const idsOf = (tags: readonly TagReference[]) => tags.map(({ id }) => id).join();
  const referencesOf = (tags: readonly TagReference[]) =>
    tags.map(({ id, name }) => ({ id, name }));
  if (idsOf(old) !== idsOf(next)) changes['tags'] = [referencesOf(old), referencesOf(next)];
}

/** An entry to add. */
export interface HistoryEntry extends Author {
  row: Pick<ShortLinkRow, 'project_id' | 'id' | 'password'>;
  changes: StoredChanges;
}

/**
 * Builds the entry of a change.
 *
 * @param row the row before it
 * @returns `undefined` if nothing has changed
 */
export const entryOf = (
  row: HistoryEntry['row'],
  changes: StoredChanges,
  author: Author,
): HistoryEntry | undefined =>
  Object.keys(changes).length === 0 ? undefined : { ...author, row, changes };

/**
 * SQL, before the main statement: adds an entry, and deletes the oldest ones beyond
 * {@link MAX_ENTRIES} and {@link MAX_BYTES}. The row of the record is locked, so no other transaction
 * adds one. The transaction may have waited for this lock since now(), so its time is later.
 */
export const addingSql = `
  WITH added AS (
    INSERT INTO record_changes (project_id, record_id, id, at, action, user_id, api_key_id,
                                reverted_id, changes, password, image_ids)
    VALUES (:projectId, :id, :changeId, clock_timestamp(), :action, :userId, :apiKeyId, :revertedId,
            :changes::jsonb, :passwordBefore, :imageIds)),
  dropped AS (
    DELETE FROM record_changes WHERE project_id = :projectId AND record_id = :id
       AND id <= (SELECT id FROM (
                    SELECT id, row_number() OVER newest AS number,
                           sum(octet_length(changes::text)) OVER newest AS bytes
                      FROM record_changes WHERE project_id = :projectId AND record_id = :id
                    WINDOW newest AS (ORDER BY id DESC)) AS earlier
                   WHERE number >= ${MAX_ENTRIES} OR bytes > ${MAX_BYTES} ORDER BY id DESC LIMIT 1))`;

/** Bindings of {@link addingSql}. */
export function addingBindings({
  row,
  changes,
  action,
  actor,
  revertedId,
  changeId = newId('recordChange'),
}: HistoryEntry) {
  const images = DESIGN_IMAGES.flatMap((name) => {
    const image = changes[`design.${name}`]?.[0] as { id: string } | null | undefined;
    return image?.id ?? [];
  });
  return {
    projectId: row.project_id,
    id: row.id,
    changeId,
    action,
    userId: actor?.userId ?? null,
    apiKeyId: actor?.apiKeyId ?? null,
    revertedId: revertedId ?? null,
    changes: JSON.stringify(changes),
    passwordBefore: changes['password'] === undefined ? null : row.password,
    imageIds: images.length === 0 ? null : images,
  };
}

/** Adds an entry for a change that writes no columns of the row. */
export async function addToHistory(trx: Db, entry: HistoryEntry | undefined): Promise<void> {
  if (entry !== undefined) await execute(trx, `${addingSql} SELECT`, addingBindings(entry));
}
