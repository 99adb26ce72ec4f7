import { Refusal } from '../errors.ts';
import { type Db, rows as select } from '../infra/db.ts';
import { seal, unseal } from '../infra/secrets.ts';
import { draftLinks } from '../links/commands.ts';
import { taken } from '../short-links/key.ts';
import { loadReferences, type References } from '../short-links/references.ts';
import { type Conflicts, findConflicts, namesOf } from './conflicts.ts';
import { fieldsOf } from './mapping.ts';
import type { Fault, FileRow, Import } from './model.ts';
import { faultsOf, type LinkRow, type RefusedRow, toLinks } from './rows.ts';
import { missingTags } from './tags.ts';

/** Rows that a preview shows, and new tags that it names. */
const SHOWN_ROWS = 20;
const SHOWN_TAGS = 100;
/** Longest cell of a preview, in characters. */
const SHOWN_LENGTH = 200;

/** The outcome of a row. */
export type RowOutcome = 'created' | 'updated' | 'skipped' | 'refused';

/** A row of a preview. */
export interface PreviewRow {
  row: number;
  outcome: RowOutcome;
  /** Cells by the names of their columns. */
  cells: Record<string, string>;
  /** Cells by the fields that they are mapped to. */
  link: Record<string, string>;
  errors: Fault[];
}

/** The first rows of a file as they would be imported. */
export interface Preview {
  rows: PreviewRow[];
  /** Names of tags that the import would make. */
  newTags: string[];
}

export const openPreview = (sealed: string): Preview => JSON.parse(unseal(sealed)) as Preview;

/** A row with its outcome. */
export type Judged =
  | { row: LinkRow; outcome: Exclude<RowOutcome, 'refused'> }
  | { row: LinkRow | RefusedRow; outcome: 'refused'; refusal: Refusal };

export const refused = (row: LinkRow | RefusedRow, refusal: Refusal): Judged => ({
  row,
  outcome: 'refused',
  refusal,
});

/** The outcome of a row whose key or external id a link has. */
export function meet(one: Import, row: LinkRow): Judged {
  const { onConflict } = one.options;
  if (onConflict === 'skip') return { row, outcome: 'skipped' };
  if (onConflict === 'update') return { row, outcome: 'updated' };
  const { key, externalId } = row.link;
  return refused(
    row,
    key === undefined
      ? taken('externalId', externalId ?? '', 'in this workspace')
      : taken('key', key, 'by another link'),
  );
}

/** Finds out what would become of a slice of a file, and changes no link. */
export async function checkSlice(
  trx: Db,
  one: Import,
  slice: readonly FileRow[],
): Promise<{ judged: Judged[]; preview: string }> {
  const references = await loadReferences(trx, one.project_id, []);
  const read = await toLinks(one, slice, references);
  const links = read.filter((row): row is LinkRow => 'link' in row);
  const drafts = await draftsOf(trx, one, links);
  const conflicts = await findConflicts(trx, one.project_id, links, references);
  const isRepeat = await meetAgain(trx, one, [...drafts.keys()], references);
  const judged = read.map((row): Judged => {
    if (!('link' in row)) return refused(row, row.refusal);
    const draft = drafts.get(row);
    if (draft instanceof Refusal) return refused(row, draft);
    return judge(one, row, conflicts, isRepeat);
  });
  return { judged, preview: await extend(trx, one, judged) };
}

/** What the rows break of the rules that need the database, but for taken keys; `true` for nothing. */
async function draftsOf(
  trx: Db,
  { project_id, user_id }: Import,
  links: readonly LinkRow[],
): Promise<Map<LinkRow, Refusal | true>> {
  const owner = { projectId: project_id, userId: user_id };
  // Tags that are missing will be made.
  const bare = links.map(({ link: { tags, ...link } }) =>
    tags === undefined ? link : { ...link, tags: { ids: tags.ids, names: [] } },
  );
  const drafts = await draftLinks(trx, owner, bare);
  return new Map(
    links.map((row, at) => [row, drafts[at] instanceof Refusal ? drafts[at] : (true as const)]),
  );
}

/** Notes the keys and external ids of rows. @returns which rows have one that an earlier row has */
async function meetAgain(
  trx: Db,
  { project_id, id }: Import,
  rows: readonly LinkRow[],
  references: References,
): Promise<(row: LinkRow) => boolean> {
  const names = rows.map((row) => namesOf(row, references));
  const noted = await select<{ name: string }>(
    trx,
    `INSERT INTO import_names (project_id, import_id, name) SELECT ?, ?, unnest(?::text[])
     ON CONFLICT DO NOTHING RETURNING name`,
    [project_id, id, [...new Set(names.flat())]],
  );
  const free = new Set(noted.map(({ name }) => name));
  const repeats = new Set<LinkRow>();
  for (const [at, row] of rows.entries()) {
    // The first row that has a name takes it.
    if (names[at]!.some((name) => !free.has(name))) repeats.add(row);
    for (const name of names[at]!) free.delete(name);
  }
  return (row) => repeats.has(row);
}

function judge(
  one: Import,
  row: LinkRow,
  conflicts: Conflicts,
  isRepeat: (row: LinkRow) => boolean,
): Judged {
  if (conflicts.twinOf(row) !== undefined) return meet(one, row);
  if (conflicts.isTaken(row))
    return refused(row, taken('key', row.link.key ?? '', 'on its domain'));
  return isRepeat(row) ? meet(one, row) : { row, outcome: 'created' };
}

/** The preview with what this slice adds to it, sealed. */
async function extend(trx: Db, one: Import, judged: readonly Judged[]): Promise<string> {
  const preview = one.preview === null ? { rows: [], newTags: [] } : openPreview(one.preview);
  const fields = fieldsOf(one);
  const added = judged.slice(0, SHOWN_ROWS - preview.rows.length).map((each): PreviewRow => {
    const { row, cells } = each.row;
    const named = one.file.columns.map((column, at) => {
      const field = fields[at];
      const text = (cells[at] ?? '').slice(0, SHOWN_LENGTH);
      return { column, field, text: field === 'password' && text !== '' ? '••••••••' : text };
    });
    return {
      row,
      outcome: each.outcome,
      cells: Object.fromEntries(named.map(({ column, text }) => [column, text])),
      link: Object.fromEntries(
        named.flatMap(({ field, text }) => (field && text !== '' ? [[field, text]] : [])),
      ),
      errors: each.outcome === 'refused' ? faultsOf(one, each.refusal) : [],
    };
  });
  const written = judged.flatMap(({ row, outcome }) =>
    'link' in row && (outcome === 'created' || outcome === 'updated') ? [row] : [],
  );
  const tags = await missingTags(trx, one.project_id, written);
  const newTags = [...new Set([...preview.newTags, ...tags])].slice(0, SHOWN_TAGS);
  return seal(JSON.stringify({ rows: [...preview.rows, ...added], newTags }));
}
