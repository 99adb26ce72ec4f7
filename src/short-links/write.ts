import { mapAccepted, Refusal } from '../errors.ts';
import { type Db, execute, preparedRows } from '../infra/db.ts';
import { searchableParts } from '../infra/folded.ts';
import { currentLimits } from '../infra/limits.ts';
import { divide } from '../infra/packed.ts';
import type { Publish } from '../jobs/run-idempotent.ts';
import type { LookupChange } from '../lookup/publish.ts';
import { type PlacedRecord, publishRecordEvent } from '../webhooks/outbox.ts';
import { refuseOutside } from '../workspaces/limits.ts';
import type { UtmRules } from '../workspaces/utm-rules.ts';
import {
  claimedEntry,
  claimNames,
  linkChanges,
  markWildcards,
  moveClaim,
  refusalsOfBlocked,
  releaseName,
  takenRefusal,
} from './claims.ts';
import { findBlocked, refusalOf, refuseBlockedHosts, requestIcon, urlsOf } from './destination.ts';
import type { Change, Draft, Owner } from './draft.ts';
import type { NewShortLink, SharedChanges } from './fields.ts';
import {
  type Author,
  addingBindings,
  addingSql,
  changesBetween,
  entryOf,
  type HistoryEntry,
} from './history.ts';
import { drawKey } from './key.ts';
import type { RowIds, ShortLinkRow, ShortLinkTables } from './model.ts';
import type { TagReference } from './record-context.ts';
import {
  loadPresentTags,
  loadReferences,
  type References,
  readTags,
  resolve,
} from './references.ts';

/*
 * Stores new links and QR codes and their changes, within the transaction of a command. The command
 * builds the row with the kind-independent parts from here, and passes it to `insert` or `update`.
 */

/** Draws of a random key before giving up; among 62^7 keys even a second draw is rare. */
const DRAWS = 8;

/**
 * Builds the kind-independent parts of a draft: ids and times of the row, domain and tags.
 *
 * @throws Refusal as {@link resolve}
 */
export function placeOf(
  { projectId, userId, now }: Owner & { now: Date },
  input: NewShortLink,
  references: References,
) {
  const { domain = references.mainDomain, tags = [] } = resolve(input, references);
  const draw = () => drawKey(input.prefix);
  return {
    ids: {
      project_id: projectId,
      id: input.id,
      user_id: userId,
      domain_id: domain.id,
      key: input.key ?? draw(),
      folder_id: references.mainFolderId,
      created_at: input.createdAt === undefined ? now : new Date(input.createdAt),
      updated_at: now,
    },
    domain: domain.slug,
    tags,
    drawKey: input.key === undefined ? draw : undefined,
  };
}

/** Builds a row from its defaults, a {@link blankRow}, and ids. */
export const newRow = <Blank extends object>(blank: Blank, ids: RowIds): Blank & RowIds =>
  Object.assign({ ...blank }, ids);

/** Returns drafts, with a refusal in place of each that is outside of the limits of the caller. */
export function refuseOutsideOf<Row extends ShortLinkRow>(
  drafts: readonly (Draft<Row> | Refusal)[],
): readonly (Draft<Row> | Refusal)[] {
  const limits = currentLimits();
  if (limits === undefined) return drafts;
  return mapAccepted(drafts, (draft) => {
    refuseOutside(limits, draft.row.folder_id, draft.domain);
    return draft;
  });
}

/**
 * Stores links or QR codes independently: a refused one does not stop the others. If two have the
 * same key or external id, the first one gets it.
 *
 * @param drafts refusals stay in their places
 * @returns the stored drafts, in the given order
 */
export async function insert<Row extends ShortLinkRow>(
  trx: Db,
  tables: ShortLinkTables,
  drafts: readonly (Draft<Row> | Refusal)[],
  publish: Publish,
): Promise<(Draft<Row> | Refusal)[]> {
  const checked = await refuseBlocked(trx, refuseOutsideOf(drafts));
  const accepted = checked.filter((draft): draft is Draft<Row> => !(draft instanceof Refusal));
  const claimed = await claimKeys(trx, accepted);
  const stored = await insertRows(
    trx,
    tables,
    accepted.filter(({ row }) => claimed.has(row.id)),
  );
  const missed = accepted.flatMap(({ row }) => (claimed.has(row.id) ? [] : [row]));
  const refusalOfName = await refusalsOfBlocked(trx, missed);
  const inserted = checked.map((draft) => {
    if (draft instanceof Refusal) return draft;
    const { row, domain } = draft;
    if (!claimed.has(row.id))
      return refusalOfName(row) ?? takenRefusal('key', row.key, `on ${domain}`);
    if (stored.has(row.id)) return draft;
    return takenRefusal('externalId', row.external_id ?? '', 'in this workspace');
  });
  const tagged = accepted.filter(({ row }) => stored.has(row.id));
  await insertTags(
    trx,
    tables,
    tagged.flatMap(({ row, tags }) => tagRows(tables, row, tags)),
  );
  const wildcards = await markWildcards(
    trx,
    tagged.map(({ row }) => row),
  );
  publish([...tagged.flatMap(({ row }) => claimed.get(row.id)!), ...wildcards]);
  return inserted;
}

/** Returns the drafts, with a refusal in place of each that leads to a blocked host. */
export async function refuseBlocked<Row extends ShortLinkRow>(
  trx: Db,
  drafts: readonly (Draft<Row> | Refusal)[],
): Promise<(Draft<Row> | Refusal)[]> {
  const urls = drafts.map((draft) => (draft instanceof Refusal ? [] : urlsOf(draft.row)));
  const isBlocked = await findBlocked(
    trx,
    urls.flatMap((own) => own.map(([, url]) => url)),
  );
  return drafts.map((draft, at) =>
    draft instanceof Refusal ? draft : (refusalOf(urls[at]!, isBlocked) ?? draft),
  );
}

/**
 * Claims the names of drafts; a taken random key is drawn again.
 *
 * @returns look-up entries of the claims by row id; a row without one found its key taken
 */
async function claimKeys(
  trx: Db,
  drafts: readonly Draft<ShortLinkRow>[],
): Promise<Map<string, LookupChange[]>> {
  const claimed = new Map<string, LookupChange[]>();
  let open = drafts;
  for (let draw = 0; draw < DRAWS && open.length > 0; draw += 1) {
    const claims = await Promise.all(
      open.map(async ({ row: { project_id, id, domain_id, key }, entry }) => ({
        project_id,
        record_id: id,
        domain_id,
        key,
        entry: await entry(),
      })),
    );
    const made = await claimNames(trx, claims);
    for (const { record_id, entry } of claims) {
      const claim = made.get(record_id);
      if (claim !== undefined) claimed.set(record_id, linkChanges(claim, entry, false));
    }
    open = open.filter(({ row, drawKey }) => {
      if (claimed.has(row.id) || drawKey === undefined) return false;
      row.key = drawKey();
      return true;
    });
  }
  if (open.length > 0) throw new Error('no free random key was found');
  return claimed;
}

/** Builds the text of a record that searches match against; see search.ts. */
const searchTextOf = (
  { title, key, url = null, comments }: ShortLinkRow & { url?: string | null },
  domain: string,
): string => searchableParts([title, `${domain}/${key}`, url, comments]);

/**
 * Inserts rows, and releases the claims of those whose external id is taken. @returns ids of the
 * inserted rows
 */
async function insertRows(
  trx: Db,
  { table }: ShortLinkTables,
  drafts: readonly Draft<ShortLinkRow>[],
): Promise<Set<string>> {
  if (drafts.length === 0) return new Set();
  for (const { row, domain } of drafts) row.search_text = searchTextOf(row, domain);
  // Most columns have the same value in all rows, which Postgres then parses only once.
  const { common, own: differing } = divide(drafts.map(({ row }) => row));
  const inserted = await preparedRows<{ id: string }>(
    trx,
    `insert ${table}`,
    `INSERT INTO ${table}
     SELECT * FROM json_populate_recordset(json_populate_record(NULL::${table}, ?), ?)
     ON CONFLICT (project_id, external_id) WHERE external_id IS NOT NULL DO NOTHING RETURNING id`,
    [JSON.stringify(common), JSON.stringify(differing)],
  );
  const stored = new Set(inserted.map(({ id }) => id));
  for (const { row } of drafts) if (!stored.has(row.id)) await releaseName(trx, row);
  return stored;
}

/**
 * Returns the record of a single insertion, and publishes its webhook event.
 *
 * @throws Refusal if it was refused
 */
export async function publishCreated<Sealed extends PlacedRecord>(
  trx: Db,
  { kind }: ShortLinkTables,
  projectId: string,
  [made]: readonly (Sealed | Refusal)[],
): Promise<Sealed> {
  if (made instanceof Refusal) throw made;
  requestIcon(trx, projectId, (made as { url?: unknown }).url);
  await publishRecordEvent(trx, projectId, `${kind}.created`, made!);
  return made!;
}

/** Rows of the table that joins tags to links or QR codes, in the order of the tags. */
export const tagRows = (
  { tags: { column } }: ShortLinkTables,
  { project_id, id }: Pick<ShortLinkRow, 'project_id' | 'id'>,
  tags: readonly TagReference[],
) => tags.map((tag, position) => ({ project_id, [column]: id, tag_id: tag.id, position }));

export async function insertTags(
  trx: Db,
  { tags: { table, column } }: ShortLinkTables,
  rows: ReturnType<typeof tagRows>,
): Promise<void> {
  if (rows.length === 0) return;
  const columns = ['project_id', column, 'tag_id', 'position'] as const;
  await preparedRows(
    trx,
    `insert ${table}`,
    `INSERT INTO ${table} (${columns.join(', ')})
     SELECT * FROM unnest(?::text[], ?::text[], ?::text[], ?::smallint[])`,
    columns.map((name) => rows.map((row) => row[name]!)),
  );
}

/** The kind-independent parts of a change. */
interface Placed<Row extends ShortLinkRow> extends Omit<Change<Row>, 'entry'> {
  utmRules: UtmRules | null;
}

/**
 * Builds the kind-independent parts of a change: the row with its name, the name of its domain, and
 * tags.
 *
 * @throws Refusal as {@link resolve}
 */
export async function placeAfter<Row extends ShortLinkRow>(
  trx: Db,
  tables: ShortLinkTables,
  before: Row,
  changes: SharedChanges,
): Promise<Placed<Row>> {
  const references = await loadReferences(trx, before.project_id, [changes]);
  const present = await loadPresentTags(trx, tables, before, changes);
  const { domain, tags } = resolve(changes, references, present);
  const row = {
    ...before,
    domain_id: domain?.id ?? before.domain_id,
    key: changes.key ?? before.key,
    updated_at: new Date(),
  };
  const slug = domain?.slug ?? (await slugOf(trx, before.domain_id));
  return { row, domain: slug, tags, utmRules: references.utmRules };
}

async function slugOf(trx: Db, domainId: string): Promise<string> {
  return ((await trx('domains').where({ id: domainId }).first('slug')) as { slug: string }).slug;
}

/**
 * Stores a change.
 *
 * @returns the look-up entries to publish
 * @throws Refusal `conflict` if the key or the external id is taken; `unprocessable_entity` if a
 *   new URL leads to a blocked host, or the record would be outside of the limits of the caller
 */
export async function update<Row extends ShortLinkRow>(
  trx: Db,
  tables: ShortLinkTables,
  before: Row,
  { row, domain, tags, entry }: Change<Row>,
  author: Author,
): Promise<LookupChange[]> {
  const limits = currentLimits();
  if (limits !== undefined) refuseOutside(limits, row.folder_id, domain);
  const present = new Set(urlsOf(before).map(([, url]) => url));
  await refuseBlockedHosts(
    trx,
    urlsOf(row).filter(([, url]) => !present.has(url)),
  );
  requestIcon(trx, row.project_id, urlIn(row), urlIn(before));
  const previous = before.password === row.password ? await claimedEntry(trx, before) : undefined;
  const lookups = await moveClaim(trx, before, row, await entry(previous));
  await refuseTakenExternalId(trx, tables, before, row);
  lookups.push(...(await markWildcards(trx, [row])));
  const place = {
    domain:
      before.domain_id === row.domain_id
        ? undefined
        : ([await slugOf(trx, before.domain_id), domain] as const),
    tags: tags === undefined ? undefined : ([await readTags(trx, tables, row), tags] as const),
  };
  const changes = changesBetween(before, row, place);
  const next = { ...row, search_text: searchTextOf(row, domain) };
  await writeRow(trx, tables, next, entryOf(before, changes, author));
  if (tags !== undefined) {
    const { table, column } = tables.tags;
    await trx(table)
      .where({ project_id: row.project_id, [column]: row.id })
      .delete();
    await insertTags(trx, tables, tagRows(tables, row, tags));
  }
  return lookups;
}

const urlIn = (row: ShortLinkRow & { url?: string | null }) => row.url;

async function refuseTakenExternalId(
  trx: Db,
  { table }: ShortLinkTables,
  before: ShortLinkRow,
  { project_id, external_id }: ShortLinkRow,
): Promise<void> {
  if (external_id === null || external_id === before.external_id) return;
  const other = (await trx(table).where({ project_id, external_id }).first('id')) as unknown;
  if (other !== undefined) throw takenRefusal('externalId', external_id, 'in this workspace');
}

/**
 * Updates a row from JSON, so that Postgres converts each value to the type of its column, and adds
 * the entry of its history.
 */
async function writeRow(
  trx: Db,
  { table }: ShortLinkTables,
  row: ShortLinkRow,
  entry: HistoryEntry | undefined,
): Promise<void> {
  const columns = Object.keys(row).filter(
    (name) => !['project_id', 'id', 'created_at'].includes(name),
  );
  await execute(
    trx,
    `${entry === undefined ? '' : addingSql}
     UPDATE ${table} AS old SET (${columns.join(', ')}) = (SELECT ${columns.map((name) => `new.${name}`).join(', ')})
       FROM json_populate_record(NULL::${table}, :row) AS new
      WHERE old.project_id = :projectId AND old.id = :id`,
    {
      ...(entry === undefined ? {} : addingBindings(entry)),
      row: JSON.stringify(row),
      projectId: row.project_id,
      id: row.id,
    },
  );
}
