import { LRUCache } from 'lru-cache';
import { Refusal } from '../../errors.ts';
import { ARCHIVE_KINDS, type ArchiveKind } from '../../exports/archive.ts';
import { type Db, rows } from '../../infra/db.ts';
import { PassphraseKey } from '../../infra/passphrase.ts';
import type { Publish } from '../../jobs/run-idempotent.ts';
import { loadReferences } from '../../short-links/references.ts';
import {
  mergeNames,
  type Preview,
  previewOf,
  type RowOutcome,
  type RowResult,
  SHOWN_LENGTH,
  SHOWN_ROWS,
  sealPreview,
} from '../check-slice.ts';
import type { FileRow, Import } from '../model.ts';
import { openOfImport } from '../sealing.ts';
import type { ArchiveContext, Archived, RecordOutcome } from './context.ts';
import { importEvents } from './events.ts';
import { importDomains, importSimple } from './records.ts';
import { importLinks, importQrCodes } from './short-links.ts';

/** Maximum length of a refused record in the error report, in characters. */
const KEPT_LENGTH = 10_000;

/** Cache of passphrase keys, because their derivation is slow. */
const keys = new LRUCache<string, PassphraseKey>({ max: 20 });

/**
 * Imports a slice of a workspace export. Records are independent: one that is refused or already
 * exists does not prevent the others.
 */
export async function importArchiveSlice(
  trx: Db,
  importRow: Import,
  slice: readonly FileRow[],
  publish: Publish,
): Promise<{ results: RowResult[]; preview: string }> {
  const context = await contextOf(trx, importRow, publish);
  const results: RowResult[] = [];
  for (const kind of ARCHIVE_KINDS) {
    const records = slice.flatMap(([row, recordKind, json]): Archived[] =>
      recordKind === kind
        ? [{ row, cells: [recordKind, json!], data: JSON.parse(json!) as Record<string, unknown> }]
        : [],
    );
    if (records.length === 0) continue;
    const outcomes = await take(context, kind, records);
    results.push(...records.map((record, at) => toResult(record, outcomes[at]!)));
  }
  return { results, preview: await extend(context, results) };
}

async function contextOf(trx: Db, importRow: Import, publish: Publish): Promise<ArchiveContext> {
  const { project_id, file, state, token } = importRow;
  const archive = file.archive!;
  return {
    trx,
    importRow,
    archive,
    isCheck: state === 'checking',
    key: token === null ? undefined : await keyOf(openOfImport(project_id, token), archive),
    references: await loadReferences(trx, project_id, []),
    publish,
  };
}

/**
 * Derives the key of an archive's passwords; `undefined` if the passphrase is wrong or the archive
 * has none.
 */
export async function keyOf(
  passphrase: string,
  { passwords }: NonNullable<Import['file']['archive']>,
): Promise<PassphraseKey | undefined> {
  if (passwords === null) return undefined;
  const name = `${passwords.salt} ${passwords.check} ${passphrase}`;
  const cached = keys.get(name);
  if (cached !== undefined) return cached;
  const key = await PassphraseKey.find(passphrase, passwords);
  if (key !== undefined) keys.set(name, key);
  return key;
}

function take(
  context: ArchiveContext,
  kind: ArchiveKind,
  records: readonly Archived[],
): Promise<RecordOutcome[]> {
  if (kind === 'link') return importLinks(context, records);
  if (kind === 'qrcode') return importQrCodes(context, records);
  if (kind === 'domain') return importDomains(context, records);
  if (kind === 'event') return importEvents(context, records);
  return importSimple(context, kind, records);
}

function toResult({ row, cells }: Archived, outcome: RecordOutcome): RowResult {
  if (outcome instanceof Refusal) {
    const shortened = cells.map((cell) => cell.slice(0, KEPT_LENGTH));
    return {
      row: { row, cells: shortened, refusal: outcome },
      outcome: 'refused',
      refusal: outcome,
    };
  }
  const isRenamed = outcome === 'renamed';
  return { row: { row, cells, isRenamed }, outcome: isRenamed ? 'created' : outcome };
}

/** Adds a slice to the preview, and seals it. */
async function extend(context: ArchiveContext, results: readonly RowResult[]): Promise<string> {
  const { importRow, archive } = context;
  const preview = previewOf(importRow);
  const shown = results.slice(0, SHOWN_ROWS - preview.rows.length).map((each) => ({
    row: each.row.row,
    outcome: each.outcome,
    cells: Object.fromEntries(
      importRow.file.columns.map((name, at) => [name, each.row.cells[at]!.slice(0, SHOWN_LENGTH)]),
    ),
    link: {},
    errors: each.outcome === 'refused' ? [{ column: null, message: each.refusal.message }] : [],
  }));
  const createdNames = (kind: ArchiveKind, field: string) =>
    results.flatMap(({ row, outcome }) => {
      const [recordKind, json] = row.cells;
      return recordKind === kind && outcome === 'created'
        ? [String((JSON.parse(json!) as Record<string, unknown>)[field])]
        : [];
    });
  const domains = createdNames('domain', 'slug');
  const isRenamed = results.some(({ row }) => 'isRenamed' in row && row.isRenamed);
  const extended: Preview = {
    rows: [...preview.rows, ...shown],
    newTags: mergeNames(preview.newTags, createdNames('tag', 'name')),
    otherDomains: mergeNames(preview.otherDomains, isRenamed ? [archive.defaultDomain] : []),
    newDomains: mergeNames(preview.newDomains, domains),
    takenDomains: mergeNames(preview.takenDomains, await takenElsewhere(context, domains)),
    kinds: countKinds(preview.kinds, results),
  };
  return sealPreview(importRow.project_id, extended);
}

/** Finds domains that another workspace has verified. */
async function takenElsewhere(
  { trx, importRow }: ArchiveContext,
  domains: readonly string[],
): Promise<string[]> {
  if (domains.length === 0) return [];
  const verified = await rows<{ slug: string }>(
    trx,
    'SELECT slug FROM domains WHERE verified AND slug = ANY(?) AND project_id <> ?',
    [domains, importRow.project_id],
  );
  return verified.map(({ slug }) => slug);
}

function countKinds(previous: Preview['kinds'], results: readonly RowResult[]): Preview['kinds'] {
  const counts = new Map(previous.map((each) => [each.kind, { ...each }]));
  for (const { row, outcome } of results) {
    const kind = row.cells[0] as ArchiveKind;
    const none: Record<RowOutcome, number> = { created: 0, updated: 0, skipped: 0, refused: 0 };
    const count = counts.get(kind) ?? { kind, ...none };
    count[outcome] += 1;
    counts.set(kind, count);
  }
  return [...counts.values()];
}
