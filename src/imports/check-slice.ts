import { createHash } from 'node:crypto';
import { Refusal } from '../errors.ts';
import type { ArchiveKind } from '../exports/archive.ts';
import { type Db, rows as select } from '../infra/db.ts';
import { draftLinks } from '../links/commands.ts';
import { takenRefusal } from '../short-links/claims.ts';
import { loadReferences, type References } from '../short-links/references.ts';
import { refuseBlocked } from '../short-links/write.ts';
import { type Conflicts, destinationOf, findConflicts, namesOf } from './conflicts.ts';
import { fieldsOf } from './mapping.ts';
import type { Fault, FileRow, Import } from './model.ts';
import { faultsOf, type LinkRow, type RefusedRow, toLinks } from './rows.ts';
import { openOfImport, sealOfImport } from './sealing.ts';
import { missingTags } from './tags.ts';

/** Rows that a preview shows, and new tags and other domains that it names. */
export const SHOWN_ROWS = 20;
export const SHOWN_NAMES = 100;
/** Longest cell of a preview, in characters. */
export const SHOWN_LENGTH = 200;

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
  /** Domains of short links that are not the workspace's. */
  otherDomains: string[];
  /** Domains that the import adds; of these, those that another workspace has verified. */
  newDomains: string[];
  takenDomains: string[];
  /** Outcomes of the records of a workspace, by kinds. */
  kinds: ({ kind: ArchiveKind } & Record<RowOutcome, number>)[];
}

export const NO_PREVIEW: Preview = {
  rows: [],
  newTags: [],
  otherDomains: [],
  newDomains: [],
  takenDomains: [],
  kinds: [],
};

export const sealPreview = (projectId: string, preview: Preview): string =>
  sealOfImport(projectId, JSON.stringify(preview));

export const openPreview = (projectId: string, sealed: string): Preview => ({
  ...NO_PREVIEW,
  ...(JSON.parse(openOfImport(projectId, sealed)) as Partial<Preview>),
});

/** A record of the export of a workspace. */
interface ArchivedRow {
  row: number;
  cells: string[];
  isRenamed: boolean;
}

/** A row with its outcome. */
export type Judged =
  | { row: LinkRow | ArchivedRow; outcome: Exclude<RowOutcome, 'refused'> }
  | { row: LinkRow | RefusedRow; outcome: 'refused'; refusal: Refusal };

export const refused = (row: LinkRow | RefusedRow, refusal: Refusal): Judged => ({
  row,
  outcome: 'refused',
  refusal,
});

/**
 * The outcome of a row whose key or external id a link has.
 *
 * @param isOther the link is another one, and the row would be lost if it was skipped
 */
export function meet(one: Import, row: LinkRow, isOther: boolean): Judged {
  const { onConflict } = one.options;
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
  const meetingOf = await meetAgain(trx, one, [...drafts.keys()], references);
  const judged = read.map((row): Judged => {
    if (!('link' in row)) return refused(row, row.refusal);
    const { broken, blocked } = drafts.get(row)!;
    if (broken !== undefined) return refused(row, broken);
    const outcome = judge(one, row, conflicts, meetingOf);
    const isWritten = outcome.outcome === 'created' || outcome.outcome === 'updated';
    return isWritten && blocked !== undefined ? refused(row, blocked) : outcome;
  });
  return { judged, preview: await extend(trx, one, judged) };
}

/** What a row breaks of the rules that need the database, but for taken keys. */
interface DraftFaults {
  broken: Refusal | undefined;
  /** It leads to a blocked host, which matters where it is written. */
  blocked: Refusal | undefined;
}

async function draftsOf(
  trx: Db,
  { project_id, user_id }: Import,
  links: readonly LinkRow[],
): Promise<Map<LinkRow, DraftFaults>> {
  const owner = { projectId: project_id, userId: user_id };
  // Tags that are missing will be made.
  const bare = links.map(({ link: { tags, ...link } }) =>
    tags === undefined ? link : { ...link, tags: { ids: tags.ids, names: [] } },
  );
  const drafts = await draftLinks(trx, owner, bare);
  const checked = await refuseBlocked(trx, drafts);
  const refusalIn = (draft: unknown) => (draft instanceof Refusal ? draft : undefined);
  return new Map(
    links.map((row, at) => [
      row,
      { broken: refusalIn(drafts[at]), blocked: refusalIn(checked[at]) },
    ]),
  );
}

/** An earlier row of the file with the key or external id of a row: none, one of the same link, or one of another. */
type Meeting = 'none' | 'same' | 'other';

/** Notes the keys and external ids of rows. @returns how a row meets an earlier one that has one of them */
async function meetAgain(
  trx: Db,
  { project_id, id }: Import,
  rows: readonly LinkRow[],
  references: References,
): Promise<(row: LinkRow) => Meeting> {
  const names = rows.map((row) => namesOf(row, references));
  const destinations = rows.map((row, at) => destinationName(row, names[at]!));
  const noted = await select<{ name: string }>(
    trx,
    `INSERT INTO import_names (project_id, import_id, name) SELECT ?, ?, unnest(?::text[])
     ON CONFLICT DO NOTHING RETURNING name`,
    [project_id, id, [...new Set([...names.flat(), ...destinations])]],
  );
  const free = new Set(noted.map(({ name }) => name));
  const meetings = new Map<LinkRow, Meeting>();
  for (const [at, row] of rows.entries()) {
    const isFree = (name: string) => free.has(name);
    const isKnown = names[at]!.some((name) => name.startsWith('e ') && !isFree(name));
    if (!names[at]!.every(isFree)) {
      const isOther = row.isRenamed && !isKnown && isFree(destinations[at]!);
      meetings.set(row, isOther ? 'other' : 'same');
    }
    // The first row that has a name takes it.
    for (const name of [...names[at]!, destinations[at]!]) free.delete(name);
  }
  return (row) => meetings.get(row) ?? 'none';
}

/** The key of a row with its destination, in few characters. */
function destinationName(row: LinkRow, names: readonly string[]): string {
  const place = names.find((name) => name.startsWith('k ')) ?? '';
  return `d ${createHash('sha256')
    .update(`${place} ${destinationOf(row)}`)
    .digest('base64url')}`;
}

function judge(
  one: Import,
  row: LinkRow,
  conflicts: Conflicts,
  meetingOf: (row: LinkRow) => Meeting,
): Judged {
  if (conflicts.twinOf(row) !== undefined) return meet(one, row, conflicts.isOther(row));
  if (conflicts.isTaken(row))
    return refused(row, takenRefusal('key', row.link.key ?? '', 'on its domain'));
  const meeting = meetingOf(row);
  return meeting === 'none' ? { row, outcome: 'created' } : meet(one, row, meeting === 'other');
}

/** The preview with what this slice adds to it, sealed. */
async function extend(trx: Db, one: Import, judged: readonly Judged[]): Promise<string> {
  const preview = one.preview === null ? NO_PREVIEW : openPreview(one.project_id, one.preview);
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
  const named = (known: readonly string[], added: readonly string[]) =>
    [...new Set([...known, ...added])].slice(0, SHOWN_NAMES);
  const extended: Preview = {
    ...preview,
    rows: [...preview.rows, ...added],
    newTags: named(preview.newTags, tags),
    otherDomains: named(
      preview.otherDomains,
      written.flatMap(({ otherDomain }) => otherDomain ?? []),
    ),
  };
  return sealPreview(one.project_id, extended);
}
