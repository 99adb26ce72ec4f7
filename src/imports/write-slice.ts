import { Refusal } from '../errors.ts';
import { type Db, preparedRows } from '../infra/db.ts';
import { inSavepoint, type Publish } from '../jobs/run-idempotent.ts';
import { changeLink, storeLinks } from '../links/commands.ts';
import { linkQueries } from '../links/queries.ts';
import type { SealedLink } from '../links/record.ts';
import type { ShortLinkRow } from '../short-links/model.ts';
import { loadReferences, type References } from '../short-links/references.ts';
import { type RowResult, refused, resolveConflict } from './check-slice.ts';
import { findConflicts, namesOf } from './conflicts.ts';
import type { FileRow, Import } from './model.ts';
import { type LinkRow, toLinks } from './rows.ts';
import { createTags, missingTags } from './tags.ts';

/** Imports a slice of a file. Rows are independent, as in a bulk creation. */
export async function writeSlice(
  trx: Db,
  importRow: Import,
  slice: readonly FileRow[],
  publish: Publish,
): Promise<RowResult[]> {
  const references = await loadReferences(trx, importRow.project_id, []);
  const read = await toLinks(importRow, slice, references);
  const results = read.flatMap((row) => ('link' in row ? [] : [refused(row, row.refusal)]));
  const links = read.filter((row): row is LinkRow => 'link' in row);
  const writer = new Writer(trx, importRow, references, publish);
  // A row that requests the key of an earlier row waits until that one is stored or refused.
  for (let open = links; open.length > 0; ) open = await writer.write(open);
  return [...results, ...writer.results];
}

class Writer {
  readonly results: RowResult[] = [];
  readonly #trx: Db;
  readonly #importRow: Import;
  readonly #references: References;
  readonly #publish: Publish;

  constructor(trx: Db, importRow: Import, references: References, publish: Publish) {
    this.#trx = trx;
    this.#importRow = importRow;
    this.#references = references;
    this.#publish = publish;
  }

  /** @returns the rows that request the key of an earlier row */
  async write(rows: readonly LinkRow[]): Promise<LinkRow[]> {
    const { project_id } = this.#importRow;
    const conflicts = await findConflicts(this.#trx, project_id, rows, this.#references);
    const names = new Set<string>();
    const fresh: LinkRow[] = [];
    const later: LinkRow[] = [];
    const conflicting: [row: LinkRow, twin: string, isOther: boolean][] = [];
    for (const row of rows) {
      const twin = conflicts.twinOf(row);
      if (twin !== undefined) {
        conflicting.push([row, twin, conflicts.isOther(row)]);
        continue;
      }
      const rowNames = namesOf(row, this.#references);
      (rowNames.some((name) => names.has(name)) ? later : fresh).push(row);
      for (const name of rowNames) names.add(name);
    }
    const updated = conflicting.flatMap(([row]) =>
      this.#importRow.options.onConflict === 'update' ? [row] : [],
    );
    const tags = await missingTags(this.#trx, project_id, [...fresh, ...updated]);
    await createTags(this.#trx, project_id, tags);
    for (const conflict of conflicting) await this.#resolveConflict(...conflict);
    await this.#insert(fresh);
    return later;
  }

  async #resolveConflict(row: LinkRow, twin: string, isOther: boolean): Promise<void> {
    const result = resolveConflict(this.#importRow, row, isOther);
    this.results.push(
      result.outcome === 'updated' ? await this.#update(result, row, twin) : result,
    );
  }

  async #update(result: RowResult, row: LinkRow, twin: string): Promise<RowResult> {
    const { id: _, prefix: __, createdAt: ___, domain, ...changes } = row.link;
    // A link with the external id of a row keeps its domain.
    const moved = { ...changes, domain: row.hasDomain ? domain : undefined };
    const { project_id: projectId, user_id: userId } = this.#importRow;
    const author = { action: 'imported', actor: { userId } } as const;
    try {
      const link = await inSavepoint(this.#trx, this.#publish, async (inner, publish) =>
        changeLink(
          inner,
          await linkQueries.lock(inner, { projectId }, twin),
          moved,
          publish,
          author,
        ),
      );
      await this.#recordUpdate(link);
      return result;
    } catch (thrown) {
      if (!(thrown instanceof Refusal)) throw thrown;
      return refused(row, thrown);
    }
  }

  async #insert(rows: readonly LinkRow[]): Promise<void> {
    if (rows.length === 0) return;
    const { project_id: projectId, user_id: userId } = this.#importRow;
    const links = rows.map(({ link }) => link);
    const owner = { projectId, userId };
    const drafts = await storeLinks(this.#trx, owner, links, this.#publish);
    for (const [at, draft] of drafts.entries()) {
      const row = rows[at]!;
      this.results.push(
        draft instanceof Refusal ? refused(row, draft) : { row, outcome: 'created' },
      );
    }
    await this.#recordCreated(
      drafts.flatMap((draft) => (draft instanceof Refusal ? [] : [draft.row])),
    );
  }

  /** Marks a link as unchanged since the import when a later row of the file changes it. */
  async #recordUpdate({ id: link_id, updatedAt }: SealedLink): Promise<void> {
    const { project_id, id } = this.#importRow;
    await this.#trx('import_links')
      .where({ project_id, link_id, import_id: id })
      .update({ made_at: updatedAt });
  }

  /** Records the created links for an undo. */
  async #recordCreated(created: readonly Pick<ShortLinkRow, 'id' | 'updated_at'>[]): Promise<void> {
    const { project_id, id } = this.#importRow;
    await preparedRows(
      this.#trx,
      'insert import_links',
      `INSERT INTO import_links (project_id, import_id, link_id, made_at)
       SELECT ?, ?, * FROM unnest(?::text[], ?::timestamptz[])`,
      [
        project_id,
        id,
        created.map((row) => row.id),
        created.map((row) => row.updated_at.toISOString()),
      ],
    );
  }
}
