import { Refusal } from '../errors.ts';
import type { Db } from '../infra/db.ts';
import { passwordFingerprint, refuseReversedTimes } from './apply-changes.ts';
import type { Framing } from './destination.ts';
import type { Field } from './field.ts';
import { fields, type SharedChanges } from './fields.ts';
import type { StoredChanges } from './history.ts';
import { findChange, type RevertedEntry } from './history-queries.ts';
import type { ShortLinkRow, ShortLinkTables } from './model.ts';
import type { TagReference } from './record-context.ts';
import { existingIds } from './references.ts';
import { placeAfter } from './write.ts';

/*
 * A revert sets the fields of one change back to the values before it. Fields that later changes
 * set are set back as well; other fields stay. What no longer exists stays away: deleted tags,
 * folders, pages, webhooks and templates are left out.
 */

/** The data of a job that reverts a change. */
export interface Revert {
  /** Id of the record, or `ext_` and its external id. */
  ref: string;
  changeId: string;
  /** Destinations that may be shown in a frame, if the revert can change that. */
  frameable?: string[] | undefined;
}

/** Columns of instants, which JSON holds as texts. */
export const TIMES = new Set(
  Object.values<Field>(fields).flatMap(({ column, isTime }) =>
    isTime === true && column !== undefined ? [column] : [],
  ),
);

/** Values that are not columns of the row, or need more than their column. */
const PLACE = new Set(['domain', 'key', 'tags', 'password']);

/**
 * Reads the entry to revert.
 *
 * @throws Refusal `not_found`, or `unprocessable_entity` if its change cannot be reverted
 */
export async function readReverted(
  trx: Db,
  { noun }: ShortLinkTables,
  { project_id: projectId, id: recordId }: ShortLinkRow,
  changeId: string,
): Promise<RevertedEntry> {
  const entry = await findChange({ projectId, recordId, changeId }, trx);
  if (entry === undefined) {
    throw new Refusal(
      'not_found',
      `There is no entry "${changeId}" in the history of this ${noun}`,
    );
  }
  if (entry.action !== 'reset' && entry.action !== 'restored') return entry;
  throw new Refusal(
    'unprocessable_entity',
    entry.action === 'reset'
      ? 'changeId must not name a reset: it has deleted the events of the counts'
      : 'changeId must not name the restoration of a deleted record',
  );
}

/**
 * Builds the row before a change from the present one, with its domain and tags.
 *
 * @throws Refusal `forbidden` if the workspace no longer has the domain; `unprocessable_entity` if
 *   the record would end before it begins
 */
export async function placeBefore<Row extends ShortLinkRow>(
  trx: Db,
  tables: ShortLinkTables,
  present: Row,
  { changes, password }: RevertedEntry,
  frameable: string[] | undefined,
): Promise<{ row: Row; domain: string; tags: TagReference[] | undefined }> {
  const projectId = present.project_id;
  const place = await placeAfter(trx, tables, present, {
    ...textsBefore(changes),
    tags: await tagsBefore(trx, projectId, changes),
  });
  const row: Row = { ...place.row, ...columnsBefore(changes) };
  const design = designBefore(present, changes);
  if (design !== undefined) Object.assign(row, { design });
  if (changes['password'] !== undefined) {
    row.password = password;
    row.password_fingerprint = password === null ? null : passwordFingerprint(projectId, password);
  }
  if (frameable !== undefined) row.frameable = frameable;
  await leaveOutDeleted(trx, row, changes);
  refuseReversedTimes(row);
  return { ...place, row };
}

const textsBefore = ({ domain, key }: StoredChanges): SharedChanges => ({
  domain: domain?.[0] as string | undefined,
  key: key?.[0] as string | undefined,
});

async function tagsBefore(
  trx: Db,
  projectId: string,
  { tags }: StoredChanges,
): Promise<SharedChanges['tags']> {
  if (tags === undefined) return undefined;
  const ids = (tags[0] as TagReference[]).map(({ id }) => id);
  const present = await existingIds(trx, 'tags', projectId, ids);
  return { ids: ids.filter((id) => present.has(id)), names: [] };
}

function columnsBefore(changes: StoredChanges): object {
  const columns = Object.entries(changes).filter(
    ([name]) => !PLACE.has(name) && !name.startsWith('design.'),
  );
  return Object.fromEntries(
    columns.map(([name, [from]]) => [
      name,
      TIMES.has(name) && typeof from === 'string' ? new Date(from) : from,
    ]),
  );
}

function designBefore(present: object, changes: StoredChanges): object | undefined {
  const members = Object.entries(changes).filter(([name]) => name.startsWith('design.'));
  if (members.length === 0) return undefined;
  const design = { ...(present as { design: Record<string, unknown> }).design };
  for (const [name, [from]] of members) {
    const member = name.slice('design.'.length);
    // Only some members can be null, and all can be absent.
    if (from === null) delete design[member];
    else design[member] = from;
  }
  return design;
}

/**
 * Clears the references to deleted records.
 *
 * @param changes the references to check by column; absent: all
 */
export async function leaveOutDeleted(
  trx: Db,
  row: ShortLinkRow & { template_id?: string | null },
  changes?: StoredChanges,
): Promise<void> {
  const isSet = (column: string) => changes === undefined || column in changes;
  const isPresent = async (table: 'folders' | 'pages' | 'templates', id: string) =>
    (await existingIds(trx, table, row.project_id, [id])).has(id);
  const { folder_id, page_id, template_id = null, webhook_ids } = row;
  if (isSet('folder_id') && folder_id !== null && !(await isPresent('folders', folder_id))) {
    row.folder_id = null;
  }
  if (isSet('page_id') && page_id !== null && !(await isPresent('pages', page_id))) {
    row.page_id = null;
  }
  if (isSet('template_id') && template_id !== null) {
    if (!(await isPresent('templates', template_id))) row.template_id = null;
  }
  if (isSet('webhook_ids') && webhook_ids !== null) {
    const present = await existingIds(trx, 'webhooks', row.project_id, webhook_ids);
    const kept = webhook_ids.filter((id) => present.has(id));
    row.webhook_ids = kept.length === 0 && webhook_ids.length > 0 ? null : kept;
  }
}

/** Names of the fields that decide about frames, by column. */
const FRAMING = {
  rewrite: 'rewrite',
  url: 'url',
  ios: 'ios',
  android: 'android',
  geo: 'geo',
  rules: 'rules',
  testVariants: 'test_variants',
} as const satisfies Record<Exclude<keyof Framing, 'frameable'>, string>;

/** Returns the fields that decide about frames, as they were before a change. */
export const framingBefore = (changes: StoredChanges): Framing =>
  Object.fromEntries(
    Object.entries(FRAMING).flatMap(([name, column]) =>
      changes[column] === undefined ? [] : [[name, changes[column][0]]],
    ),
  );
