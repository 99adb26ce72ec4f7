import { Refusal } from '../errors.ts';
import type { Db } from '../infra/db.ts';
import { drawKey } from '../links/key.ts';
import { type LookupChange, linkName } from '../lookup/publish.ts';
import type { TagReference } from '../tags/record.ts';
import { claimNames, releaseName } from './claims.ts';
import type { NewRouted } from './fields.ts';
import type { RecordKind } from './kind.ts';
import type { RoutedRow } from './model.ts';
import { loadReferences, type UsableDomain } from './references.ts';
import { resolve, taken } from './rules.ts';
import type { RecordTables } from './tables.ts';

/** Draws of a random key before we give up: with 62^7 keys a second one is rare. */
const DRAWS = 8;

/** A record on its way into the database. */
interface Draft<Row, Input> {
  input: Input;
  row: Row;
  domain: UsableDomain;
  tags: TagReference[];
  entry: string;
  version?: number;
}

/** What became of each record, in the order given, and what redirect processes must learn. */
export interface Created<Sealed> {
  records: (Sealed | Refusal)[];
  changes: LookupChange[];
}

/**
 * Makes records, each standing alone: one that is refused does not keep the others from being made. Of two that
 * ask for the same key or external id, the first one gets it.
 *
 * @param inputs what is refused already stays so
 */
export async function insertRecords<
  Row extends RoutedRow,
  Changes extends NewRouted,
  Input extends Changes,
  Sealed,
>(
  kind: RecordKind<Row, Changes, Sealed>,
  trx: Db,
  { projectId, userId }: { projectId: string; userId: string },
  inputs: readonly (Input | Refusal)[],
): Promise<Created<Sealed>> {
  const references = await loadReferences(
    trx,
    projectId,
    inputs.filter((input): input is Input => !(input instanceof Refusal)),
  );
  const now = new Date();
  const outcomes = await Promise.all(
    inputs.map(async (input): Promise<Draft<Row, Input> | Refusal> => {
      if (input instanceof Refusal) return input;
      try {
        const { domain = references.mainDomain, tags = [] } = resolve(input, references);
        const ids = { project_id: projectId, id: input.id, user_id: userId, domain_id: domain.id };
        const key = input.key ?? drawKey(input.prefix);
        const blank = kind.blank({ ...ids, key }, now);
        const row = kind.finish(kind.apply(blank, input), domain.slug);
        return { input, row, domain, tags, entry: await kind.entry(row, domain.slug) };
      } catch (thrown) {
        if (thrown instanceof Refusal) return thrown;
        throw thrown;
      }
    }),
  );
  const refused = new Map<string, Refusal>();
  const drafts = outcomes.filter(
    (outcome): outcome is Draft<Row, Input> => !(outcome instanceof Refusal),
  );
  const accepted = () => drafts.filter((draft) => !refused.has(draft.row.id));
  await claimKeys(kind, trx, drafts, refused);
  await insertRows(kind, trx, accepted(), refused);
  const tagged = accepted().flatMap(({ row, tags }) => tagRows(kind, row.project_id, row.id, tags));
  if (tagged.length > 0) await trx(kind.tags.table).insert(tagged);

  const records = outcomes.map((outcome) =>
    outcome instanceof Refusal
      ? outcome
      : (refused.get(outcome.row.id) ??
        kind.toSealed(outcome.row, { domain: outcome.domain.slug, tags: outcome.tags })),
  );
  const changes = accepted().map(({ row, version, entry }) => ({
    name: linkName(row.domain_id, row.key),
    version: version!,
    entry,
    announce: false,
  }));
  return { records, changes };
}

/** Claims domain + key for every draft; a random key that is taken is drawn again. */
async function claimKeys<Row extends RoutedRow, Input extends NewRouted>(
  kind: Pick<RecordKind<Row, never, unknown>, 'entry'>,
  trx: Db,
  drafts: readonly Draft<Row, Input>[],
  refused: Map<string, Refusal>,
): Promise<void> {
  let open = [...drafts];
  for (let draw = 0; draw < DRAWS && open.length > 0; draw += 1) {
    const versions = await claimNames(
      trx,
      open.map(({ row: { project_id, id, domain_id, key }, entry }) => ({
        project_id,
        record_id: id,
        domain_id,
        key,
        entry,
      })),
    );
    const again: Draft<Row, Input>[] = [];
    for (const draft of open) {
      const version = versions.get(draft.row.id);
      if (version !== undefined) {
        draft.version = version;
      } else if (draft.input.key === undefined) {
        draft.row.key = drawKey(draft.input.prefix);
        draft.entry = await kind.entry(draft.row, draft.domain.slug);
        again.push(draft);
      } else {
        refused.set(draft.row.id, taken('key', draft.row.key, `on ${draft.domain.slug}`));
      }
    }
    open = again;
  }
  if (open.length > 0) throw new Error('no free random key was found');
}

async function insertRows<Row extends RoutedRow>(
  { table }: RecordTables,
  trx: Db,
  drafts: readonly { row: Row }[],
  refused: Map<string, Refusal>,
): Promise<void> {
  if (drafts.length === 0) return;
  const { rows } = await trx.raw<{ rows: { id: string }[] }>(
    `INSERT INTO ${table} SELECT * FROM json_populate_recordset(NULL::${table}, ?)
     ON CONFLICT (project_id, external_id) WHERE external_id IS NOT NULL DO NOTHING RETURNING id`,
    [JSON.stringify(drafts.map(({ row }) => row))],
  );
  if (rows.length === drafts.length) return;
  const made = new Set(rows.map(({ id }) => id));
  for (const { row } of drafts.filter(({ row: { id } }) => !made.has(id))) {
    refused.set(row.id, taken('externalId', row.external_id ?? '', 'in this workspace'));
    await releaseName(trx, row);
  }
}

/** Rows that tie tags to a record, in their order. */
export function tagRows(
  { tags: { column } }: RecordTables,
  projectId: string,
  recordId: string,
  tags: readonly TagReference[],
) {
  return tags.map(({ id }, position) => ({
    project_id: projectId,
    [column]: recordId,
    tag_id: id,
    position,
  }));
}
