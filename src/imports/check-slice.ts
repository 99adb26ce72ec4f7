import { createHash } from 'node:crypto';
import { Refusal } from '../errors.ts';
import type { ArchiveKind } from '../exports/archive.ts';
import { type Db, rows as select } from '../infra/db.ts';
import { draftLinks } from '../links/commands.ts';
import { takenRefusal } from '../short-links/claims.ts';
import { loadReferences, type References } from '../short-links/references.ts';
import { utmRefusal } from '../short-links/utm-rules.ts';
import { refuseBlocked } from '../short-links/write.ts';
import type { UtmRules } from '../workspaces/utm-rules.ts';
import { type Conflicts, destinationOf, findConflicts, namesOf } from './conflicts.ts';
import { fieldsOf } from './mapping.ts';
import type { Fault, FileRow, Import } from './model.ts';
import { faultsOf, type LinkRow, type RefusedRow, toLinks } from './rows.ts';
import { openOfImport, sealOfImport } from './sealing.ts';
import { missingTags } from './tags.ts';

/** Maximum number of rows in a preview, and of new tags and other domains that it lists. */
export const SHOWN_ROWS = 20;
const SHOWN_NAMES = 100;
/** Maximum length of a preview cell, in characters. */
export const SHOWN_LENGTH = 200;

/** Outcome of importing a row. */
export type RowOutcome = 'created' | 'updated' | 'skipped' | 'refused';

/** A row of a preview. */
export interface PreviewRow {
  row: number;
  outcome: RowOutcome;
  /** Cells by column name. */
  cells: Record<string, string>;
  /** Cells by the field that their column is mapped to. */
  link: Record<string, string>;
  errors: Fault[];
}

/** The first rows of a file with their outcomes. */
export interface Preview {
  rows: PreviewRow[];
  /** Names of the tags that the import would create. */
  newTags: string[];
  /** Domains of short links that do not belong to the workspace. */
  otherDomains: string[];
  /** Domains that the import adds, and those among them that another workspace has verified. */
  newDomains: string[];
  takenDomains: string[];
  /** Number of records per outcome for each kind, for the export of a workspace. */
  kinds: ({ kind: ArchiveKind } & Record<RowOutcome, number>)[];
}

const NO_PREVIEW: Preview = {
  rows: [],
  newTags: [],
  otherDomains: [],
  newDomains: [],
  takenDomains: [],
  kinds: [],
};

export const sealPreview = (projectId: string, preview: Preview): string =>
  sealOfImport(projectId, JSON.stringify(preview));

/** Returns the preview so far. */
export const previewOf = ({ project_id, preview }: Import): Preview =>
  preview === null ? NO_PREVIEW : openPreview(project_id, preview);

/** Adds names to those of a preview. */
export const mergeNames = (previous: readonly string[], added: readonly string[]): string[] =>
  [...new Set([...previous, ...added])].slice(0, SHOWN_NAMES);

export const openPreview = (projectId: string, sealed: string): Preview => ({
  ...NO_PREVIEW,
  ...(JSON.parse(openOfImport(projectId, sealed)) as Partial<Preview>),
});

/** A record of a workspace export. */
interface ArchivedRow {
  row: number;
  cells: string[];
  isRenamed: boolean;
}

/** A row with its outcome. */
export type RowResult =
  | { row: LinkRow | ArchivedRow; outcome: Exclude<RowOutcome, 'refused'> }
  | { row: LinkRow | RefusedRow; outcome: 'refused'; refusal: Refusal };

export const refused = (row: LinkRow | RefusedRow, refusal: Refusal): RowResult => ({
  row,
  outcome: 'refused',
  refusal,
});

/**
 * Decides the outcome of a row whose key or external id a link already has.
 *
 * @param isOther true if it is a different link, so that skipping the row would lose it
 */
export function resolveConflict(importRow: Import, row: LinkRow, isOther: boolean): RowResult {
  const { onConflict } = importRow.options;
  if (onConflict === 'skip' && !isOther) return { row, outcome: 'skipped' };
  if (onConflict === 'update') return { row, outcome: 'updated' };
  const { key, externalId } = row.link;
  return refused(
    row,
    key === undefined
      ? takenRefusal('externalId', externalId ?? '', 'in this workspace')
      : takenRefusal('key', key, 'by another link'),
  );
}

/** Determines the outcomes of a slice of a file without changing links. */
export async function checkSlice(
  trx: Db,
  importRow: Import,
  slice: readonly FileRow[],
): Promise<{ results: RowResult[]; preview: string }> {
  const references = await loadReferences(trx, importRow.project_id, []);
  const read = await toLinks(importRow, slice, references);
  const links = read.filter((row): row is LinkRow => 'link' in row);
  const drafts = await draftsOf(trx, importRow, links, references);
  const conflicts = await findConflicts(trx, importRow.project_id, links, references);
  const duplicateOf = await findDuplicates(trx, importRow, [...drafts.keys()], references);
  const results = read.map((row): RowResult => {
    if (!('link' in row)) return refused(row, row.refusal);
    const { broken, blocked, utmIn } = drafts.get(row)!;
    if (broken !== undefined) return refused(row, broken);
    const result = resultOf(importRow, row, conflicts, duplicateOf);
    const { outcome } = result;
    if (outcome !== 'created' && outcome !== 'updated') return result;
    const refusal = blocked ?? utmIn(outcome);
    return refusal === undefined ? result : refused(row, refusal);
  });
  return { results, preview: await extend(trx, importRow, results) };
}

/** Violations of rules that need the database, other than taken keys. */
interface DraftFaults {
  broken: Refusal | undefined;
  /**
   * Refusal because the destination's host is blocked, which counts only where the destination is
   * written.
   */
  blocked: Refusal | undefined;
  /** Refusal because of UTM parameters. An update has no required ones, since others stay. */
  utmIn(outcome: 'created' | 'updated'): Refusal | undefined;
}

async function draftsOf(
  trx: Db,
  { project_id, user_id }: Import,
  links: readonly LinkRow[],
  { utmRules }: References,
): Promise<Map<LinkRow, DraftFaults>> {
  const owner = { projectId: project_id, userId: user_id };
  // Missing tags are created later, so they are not checked.
  const bare = links.map(({ link: { tags, ...link } }) =>
    tags === undefined ? link : { ...link, tags: { ids: tags.ids, names: [] } },
  );
  const drafts = draftLinks(owner, bare, await loadReferences(trx, project_id, bare));
  const checked = await refuseBlocked(trx, drafts);
  const refusalIn = (draft: unknown) => (draft instanceof Refusal ? draft : undefined);
  const utmOf = (draft: (typeof drafts)[number], rules: UtmRules | null) =>
    draft instanceof Refusal ? undefined : utmRefusal(draft.row, rules);
  const ofUpdates = utmRules && { ...utmRules, required: [] };
  return new Map(
    links.map((row, at) => [
      row,
      {
        broken: refusalIn(drafts[at]),
        blocked: refusalIn(checked[at]),
        utmIn: (outcome) => utmOf(drafts[at]!, outcome === 'created' ? utmRules : ofUpdates),
      },
    ]),
  );
}

/**
 * Relation of a row to earlier rows of the file with its key or external id: none exists, it is the
 * same link, or another one.
 */
type Duplicate = 'none' | 'same' | 'other';

/**
 * Records the keys and external ids of rows.
 *
 * @returns the relation of each row to earlier rows of the file
 */
async function findDuplicates(
  trx: Db,
  { project_id, id }: Import,
  rows: readonly LinkRow[],
  references: References,
): Promise<(row: LinkRow) => Duplicate> {
  const names = rows.map((row) => namesOf(row, references));
  const destinations = rows.map((row, at) => destinationName(row, names[at]!));
  const inserted = await select<{ name: string }>(
    trx,
    `INSERT INTO import_names (project_id, import_id, name) SELECT ?, ?, unnest(?::text[])
     ON CONFLICT DO NOTHING RETURNING name`,
    [project_id, id, [...new Set([...names.flat(), ...destinations])]],
  );
  const free = new Set(inserted.map(({ name }) => name));
  const duplicates = new Map<LinkRow, Duplicate>();
  for (const [at, row] of rows.entries()) {
    const isFree = (name: string) => free.has(name);
    const isKnown = names[at]!.some((name) => name.startsWith('e ') && !isFree(name));
    if (!names[at]!.every(isFree)) {
      const isOther = row.isRenamed && !isKnown && isFree(destinations[at]!);
      duplicates.set(row, isOther ? 'other' : 'same');
    }
    // The first row with a name claims it.
    for (const name of [...names[at]!, destinations[at]!]) free.delete(name);
  }
  return (row) => duplicates.get(row) ?? 'none';
}

/** Shortens the key of a row and its destination to one name. */
function destinationName(row: LinkRow, names: readonly string[]): string {
  const place = names.find((name) => name.startsWith('k ')) ?? '';
  return `d ${createHash('sha256')
    .update(`${place} ${destinationOf(row)}`)
    .digest('base64url')}`;
}

function resultOf(
  importRow: Import,
  row: LinkRow,
  conflicts: Conflicts,
  duplicateOf: (row: LinkRow) => Duplicate,
): RowResult {
  if (conflicts.twinOf(row) !== undefined)
    return resolveConflict(importRow, row, conflicts.isOther(row));
  if (conflicts.isTaken(row))
    return refused(row, takenRefusal('key', row.link.key ?? '', 'on its domain'));
  const duplicate = duplicateOf(row);
  return duplicate === 'none'
    ? { row, outcome: 'created' }
    : resolveConflict(importRow, row, duplicate === 'other');
}

/** Adds a slice to the preview, and seals it. */
async function extend(trx: Db, importRow: Import, results: readonly RowResult[]): Promise<string> {
  const preview = previewOf(importRow);
  const fields = fieldsOf(importRow);
  const shown = results.slice(0, SHOWN_ROWS - preview.rows.length).map((each): PreviewRow => {
    const { row, cells } = each.row;
    const merged = importRow.file.columns.map((column, at) => {
      const field = fields[at];
      const text = (cells[at] ?? '').slice(0, SHOWN_LENGTH);
      return { column, field, text: field === 'password' && text !== '' ? '••••••••' : text };
    });
    return {
      row,
      outcome: each.outcome,
      cells: Object.fromEntries(merged.map(({ column, text }) => [column, text])),
      link: Object.fromEntries(
        merged.flatMap(({ field, text }) => (field && text !== '' ? [[field, text]] : [])),
      ),
      errors: each.outcome === 'refused' ? faultsOf(importRow, each.refusal) : [],
    };
  });
  const written = results.flatMap(({ row, outcome }) =>
    'link' in row && (outcome === 'created' || outcome === 'updated') ? [row] : [],
  );
  const tags = await missingTags(trx, importRow.project_id, written);
  const extended: Preview = {
    ...preview,
    rows: [...preview.rows, ...shown],
    newTags: mergeNames(preview.newTags, tags),
    otherDomains: mergeNames(
      preview.otherDomains,
      written.flatMap(({ otherDomain }) => otherDomain ?? []),
    ),
  };
  return sealPreview(importRow.project_id, extended);
}
