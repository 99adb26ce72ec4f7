import { config } from '../config.ts';
import { errorBody, Refusal, type RefusalData } from '../errors.ts';
import { forgetEvents } from '../events/forget.ts';
import type { Db } from '../infra/db.ts';
import { externalIdIn } from '../infra/fields.ts';
import type { Effects } from '../jobs/once.ts';
import { type LookupChange, linkName } from '../lookup/publish.ts';
import { claimedEntry, moveClaim } from './claims.ts';
import type { RoutedChanges } from './fields.ts';
import { type Created, tagRows } from './insert.ts';
import type { RecordKind } from './kind.ts';
import type { RoutedRow } from './model.ts';
import type { BulkItem } from './record.ts';
import { loadReferences } from './references.ts';
import { resolve, taken } from './rules.ts';

/** A record of a bulk request: checked and ready, or already refused by its schema. */
export type BulkInput<Input> =
  | { input: Input; sent: unknown }
  | { refused: RefusalData; sent: unknown };

/** Inputs of a bulk request as an insertion takes them. */
export function bulkInputs<Input>(items: readonly BulkInput<Input>[]): (Input | Refusal)[] {
  return items.map((item) =>
    'input' in item ? item.input : new Refusal(item.refused.code, item.refused.message),
  );
}

/** The only record of an insertion. @throws Refusal why it was not made */
export function onlyOne<Sealed>({ records, changes }: Created<Sealed>): Effects<Sealed> {
  const made = records[0]!;
  if (made instanceof Refusal) throw made;
  return { result: made, changes };
}

/**
 * The answer to a bulk creation, in the order of the request.
 *
 * @param noun under which an item that failed shows what was sent
 * @throws Refusal the first one, where all fail
 */
export function bulkResult<Sealed>(
  noun: string,
  { records, changes }: Created<Sealed>,
  items: readonly { sent: unknown }[],
): Effects<BulkItem<Sealed>[]> {
  if (records[0] instanceof Refusal && records.every((record) => record instanceof Refusal)) {
    throw records[0];
  }
  const result = records.map((record, index) =>
    record instanceof Refusal ? refusedItem(noun, record, items[index]!.sent) : record,
  );
  return { result, changes };
}

const refusedItem = (noun: string, refusal: Refusal, sent: unknown) => ({
  ...errorBody(refusal, config().DOCS_URL),
  [noun]: sent,
});

/**
 * Makes changes to many records; each stands alone.
 *
 * @param changeOne makes them to one, in a transaction of its own
 */
export async function changeEach<Sealed>(
  trx: Db,
  noun: string,
  refs: readonly string[],
  changeOne: (trx: Db, ref: string) => Promise<Effects<Sealed>>,
): Promise<Effects<BulkItem<Sealed>[]>> {
  const result: BulkItem<Sealed>[] = [];
  const changes: LookupChange[] = [];
  for (const ref of refs) {
    try {
      const done = await trx.transaction((inner) => changeOne(inner, ref));
      result.push(done.result);
      changes.push(...done.changes);
    } catch (thrown) {
      if (!(thrown instanceof Refusal)) throw thrown;
      result.push(refusedItem(noun, thrown, ref));
    }
  }
  return { result, changes };
}

/** The row of a record, locked until the transaction ends. @throws Refusal `not_found` */
export async function lockRow<Row extends RoutedRow>(
  { rows, noun }: Pick<RecordKind<Row, never, unknown>, 'rows' | 'noun'>,
  trx: Db,
  projectId: string,
  ref: string,
): Promise<Row> {
  const externalId = externalIdIn(ref);
  const row = await rows(projectId, trx)
    .where(externalId === undefined ? { id: ref } : { external_id: externalId })
    .forUpdate()
    .first();
  if (row === undefined) throw new Refusal('not_found', `There is no ${noun} "${ref}"`);
  return row.$toJson() as unknown as Row;
}

/**
 * Changes a record.
 *
 * @param read reads it as it is afterwards
 * @throws Refusal `not_found`, or what the rules of the kind say
 */
export async function changeRecord<Row extends RoutedRow, Changes extends RoutedChanges, Sealed>(
  kind: RecordKind<Row, Changes, Sealed>,
  trx: Db,
  { projectId, ref, changes }: { projectId: string; ref: string; changes: Changes },
  read: (projectId: string, id: string, trx: Db) => Promise<Sealed | undefined>,
): Promise<Effects<Sealed>> {
  const before = await lockRow<Row>(kind, trx, projectId, ref);
  const references = await loadReferences(trx, projectId, [changes]);
  const { domain, tags } = resolve(changes, references);
  const changed = {
    ...kind.apply(before, changes),
    domain_id: domain?.id ?? before.domain_id,
    key: changes.key ?? before.key,
    updated_at: new Date(),
  };
  kind.refuseFixed(before, changed);
  const slug = domain?.slug ?? (await slugOf(trx, before.domain_id));
  const after = kind.finish(changed, slug);

  const known = before.password === after.password ? await claimedEntry(trx, before) : undefined;
  const lookups = await moveClaim(trx, before, after, await kind.entry(after, slug, known));
  await refuseTakenExternalId(kind, trx, before, after);
  await writeRow(kind, trx, after);
  const { id } = after;
  if (tags !== undefined) {
    await trx(kind.tags.table)
      .where({ project_id: projectId, [kind.tags.column]: id })
      .delete();
    const rows = tagRows(kind, projectId, id, tags);
    if (rows.length > 0) await trx(kind.tags.table).insert(rows);
  }
  const result = await read(projectId, id, trx);
  if (result === undefined) throw new Error(`${kind.noun} ${id} vanished from its own transaction`);
  return { result, changes: lookups };
}

async function slugOf(trx: Db, domainId: string): Promise<string> {
  return ((await trx('domains').where({ id: domainId }).first('slug')) as { slug: string }).slug;
}

async function refuseTakenExternalId<Row extends RoutedRow>(
  { rows }: Pick<RecordKind<Row, never, unknown>, 'rows'>,
  trx: Db,
  before: Row,
  { project_id, external_id }: Row,
): Promise<void> {
  if (external_id === null || external_id === before.external_id) return;
  const other = await rows(project_id, trx).where({ external_id }).select('id').first();
  if (other !== undefined) throw taken('externalId', external_id, 'in this workspace');
}

/** As JSON, so that Postgres takes each value as its column's type has it. */
async function writeRow({ table }: { table: string }, trx: Db, row: RoutedRow): Promise<void> {
  const columns = Object.keys(row).filter(
    (name) => !['project_id', 'id', 'created_at'].includes(name),
  );
  await trx.raw(
    `UPDATE ${table} AS old SET (${columns.join(', ')}) = (SELECT ${columns.map((name) => `new.${name}`).join(', ')})
       FROM json_populate_record(NULL::${table}, :row) AS new
      WHERE old.project_id = :projectId AND old.id = :id`,
    { row: JSON.stringify(row), projectId: row.project_id, id: row.id },
  );
}

/** What becomes of the events of a record that is deleted. */
export type EventsFate = 'keep' | 'remove';

/** Deletes records with their claims, tags and counters. */
export async function removeRecords(
  { table }: { table: string },
  trx: Db,
  projectId: string,
  ids: readonly string[],
  events: EventsFate,
): Promise<LookupChange[]> {
  if (events === 'remove') await forgetEvents(trx, projectId, ids);
  const { rows } = await trx.raw<{ rows: { domain_id: string; key: string; version: number }[] }>(
    `WITH gone AS (DELETE FROM ${table} WHERE project_id = :projectId AND id = ANY(:ids) RETURNING id, domain_id, key),
          counted AS (DELETE FROM counters c USING gone WHERE c.project_id = :projectId AND c.record_id = gone.id),
          rolled AS (DELETE FROM record_rollups r USING gone WHERE r.project_id = :projectId AND r.record_id = gone.id)
     DELETE FROM claims USING gone
      WHERE claims.domain_id = gone.domain_id AND claims.key = gone.key AND claims.record_id = gone.id
     RETURNING claims.domain_id, claims.key, claims.version`,
    { projectId, ids: ids as string[] },
  );
  return rows.map(({ domain_id, key, version }) => ({
    name: linkName(domain_id, key),
    version,
    entry: null,
    announce: true,
  }));
}

/** Deletes one record. @throws Refusal `not_found` */
export async function removeOne<Row extends RoutedRow>(
  kind: Pick<RecordKind<Row, never, unknown>, 'rows' | 'noun' | 'table'>,
  trx: Db,
  projectId: string,
  ref: string,
  events: EventsFate = 'keep',
): Promise<Effects<{ id: string }>> {
  const { id } = await lockRow<Row>(kind, trx, projectId, ref);
  return { result: { id }, changes: await removeRecords(kind, trx, projectId, [id], events) };
}

/** Deletes many records; those that are not there are passed over. */
export async function removeMany<Row extends RoutedRow>(
  kind: Pick<RecordKind<Row, never, unknown>, 'rows' | 'table'>,
  trx: Db,
  projectId: string,
  refs: readonly string[],
  events: EventsFate = 'keep',
): Promise<Effects<{ deletedCount: number }>> {
  const externalIds = refs.map(externalIdIn).filter((id) => id !== undefined);
  const rows = await kind
    .rows(projectId, trx)
    .whereRaw('(id = ANY(?) OR external_id = ANY(?))', [refs as string[], externalIds])
    .orderBy('id')
    .forUpdate()
    .select('id');
  const ids = rows.map((row) => row.id);
  const changes = await removeRecords(kind, trx, projectId, ids, events);
  return { result: { deletedCount: ids.length }, changes };
}
