import { LRUCache } from 'lru-cache';
import { Refusal } from '../../errors.ts';
import { ARCHIVE_KINDS, type ArchiveKind } from '../../exports/archive.ts';
import { type Db, rows } from '../../infra/db.ts';
import { PassphraseKey } from '../../infra/passphrase.ts';
import type { Publish } from '../../jobs/run-idempotent.ts';
import { loadReferences } from '../../short-links/references.ts';
import {
  type Judged,
  NO_PREVIEW,
  openPreview,
  type Preview,
  type RowOutcome,
  SHOWN_LENGTH,
  SHOWN_NAMES,
  SHOWN_ROWS,
  sealPreview,
} from '../check-slice.ts';
import type { FileRow, Import } from '../model.ts';
import { openOfImport } from '../sealing.ts';
import type { Archived, TakeContext, Taken } from './context.ts';
import { takeEvents } from './events.ts';
import { takeDomains, takeSimple } from './records.ts';
import { takeLinks, takeQrCodes } from './short-links.ts';

/** Longest part of a refused record that is kept for the report, in characters. */
const KEPT_LENGTH = 10_000;

/** Keys by what their derivation, which takes a while, depends on. */
const keys = new LRUCache<string, PassphraseKey>({ max: 20 });

/**
 * Takes a slice of the export of a workspace, each record on its own: one that is refused, or that is there already, does
 * not keep the others from being made.
 */
export async function takeSlice(
  trx: Db,
  one: Import,
  slice: readonly FileRow[],
  publish: Publish,
): Promise<{ judged: Judged[]; preview: string }> {
  const context = await contextOf(trx, one, publish);
  const judged: Judged[] = [];
  for (const kind of ARCHIVE_KINDS) {
    const records = slice.flatMap(([row, of, json]): Archived[] =>
      of === kind
        ? [{ row, cells: [of, json!], data: JSON.parse(json!) as Record<string, unknown> }]
        : [],
    );
    if (records.length === 0) continue;
    const taken = await take(context, kind, records);
    judged.push(...records.map((record, at) => judge(record, taken[at]!)));
  }
  return { judged, preview: await extend(context, judged) };
}

async function contextOf(trx: Db, one: Import, publish: Publish): Promise<TakeContext> {
  const { project_id, file, state, token } = one;
  const archive = file.archive!;
  return {
    trx,
    one,
    archive,
    isCheck: state === 'checking',
    key: token === null ? undefined : await keyOf(openOfImport(project_id, token), archive),
    references: await loadReferences(trx, project_id, []),
    publish,
  };
}

/** The key of the passwords of an archive; `undefined` for another passphrase, or where it has none. */
export async function keyOf(
  passphrase: string,
  { passwords }: NonNullable<Import['file']['archive']>,
): Promise<PassphraseKey | undefined> {
  if (passwords === null) return undefined;
  const name = `${passwords.salt} ${passwords.check} ${passphrase}`;
  const known = keys.get(name);
  if (known !== undefined) return known;
  const key = await PassphraseKey.find(passphrase, passwords);
  if (key !== undefined) keys.set(name, key);
  return key;
}

function take(
  context: TakeContext,
  kind: ArchiveKind,
  records: readonly Archived[],
): Promise<Taken[]> {
  if (kind === 'link') return takeLinks(context, records);
  if (kind === 'qrcode') return takeQrCodes(context, records);
  if (kind === 'domain') return takeDomains(context, records);
  if (kind === 'event') return takeEvents(context, records);
  return takeSimple(context, kind, records);
}

function judge({ row, cells }: Archived, taken: Taken): Judged {
  if (taken instanceof Refusal) {
    const kept = cells.map((cell) => cell.slice(0, KEPT_LENGTH));
    return { row: { row, cells: kept, refusal: taken }, outcome: 'refused', refusal: taken };
  }
  const isRenamed = taken === 'renamed';
  return { row: { row, cells, isRenamed }, outcome: isRenamed ? 'created' : taken };
}

/** The preview with what this slice adds to it, sealed. */
async function extend(context: TakeContext, judged: readonly Judged[]): Promise<string> {
  const { one, archive } = context;
  const preview = one.preview === null ? NO_PREVIEW : openPreview(one.project_id, one.preview);
  const added = judged.slice(0, SHOWN_ROWS - preview.rows.length).map((each) => ({
    row: each.row.row,
    outcome: each.outcome,
    cells: Object.fromEntries(
      one.file.columns.map((name, at) => [name, each.row.cells[at]!.slice(0, SHOWN_LENGTH)]),
    ),
    link: {},
    errors: each.outcome === 'refused' ? [{ column: null, message: each.refusal.message }] : [],
  }));
  const named = (known: readonly string[], more: readonly string[]) =>
    [...new Set([...known, ...more])].slice(0, SHOWN_NAMES);
  const made = (kind: ArchiveKind, field: string) =>
    judged.flatMap(({ row, outcome }) => {
      const [of, json] = row.cells;
      return of === kind && outcome === 'created'
        ? [String((JSON.parse(json!) as Record<string, unknown>)[field])]
        : [];
    });
  const domains = made('domain', 'slug');
  const isRenamed = judged.some(({ row }) => 'isRenamed' in row && row.isRenamed);
  const extended: Preview = {
    rows: [...preview.rows, ...added],
    newTags: named(preview.newTags, made('tag', 'name')),
    otherDomains: named(preview.otherDomains, isRenamed ? [archive.defaultDomain] : []),
    newDomains: named(preview.newDomains, domains),
    takenDomains: named(preview.takenDomains, await takenElsewhere(context, domains)),
    kinds: countKinds(preview.kinds, judged),
  };
  return sealPreview(one.project_id, extended);
}

/** Domains that another workspace has verified. */
async function takenElsewhere(
  { trx, one }: TakeContext,
  domains: readonly string[],
): Promise<string[]> {
  if (domains.length === 0) return [];
  const found = await rows<{ slug: string }>(
    trx,
    'SELECT slug FROM domains WHERE verified AND slug = ANY(?) AND project_id <> ?',
    [domains, one.project_id],
  );
  return found.map(({ slug }) => slug);
}

function countKinds(known: Preview['kinds'], judged: readonly Judged[]): Preview['kinds'] {
  const counts = new Map(known.map((each) => [each.kind, { ...each }]));
  for (const { row, outcome } of judged) {
    const kind = row.cells[0] as ArchiveKind;
    const none: Record<RowOutcome, number> = { created: 0, updated: 0, skipped: 0, refused: 0 };
    const count = counts.get(kind) ?? { kind, ...none };
    count[outcome] += 1;
    counts.set(kind, count);
  }
  return [...counts.values()];
}
