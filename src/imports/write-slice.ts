import { Refusal } from '../errors.ts';
import { type Db, execute } from '../infra/db.ts';
import { inSavepoint, type Publish } from '../jobs/run-idempotent.ts';
import { changeLink, insertLinks } from '../links/commands.ts';
import { linkQueries } from '../links/queries.ts';
import type { SealedLink } from '../links/record.ts';
import { loadReferences, type References } from '../short-links/references.ts';
import { type Judged, meet, refused } from './check-slice.ts';
import { findConflicts, namesOf } from './conflicts.ts';
import type { FileRow, Import } from './model.ts';
import { type LinkRow, toLinks } from './rows.ts';
import { createTags, missingTags } from './tags.ts';

/** Imports a slice of a file, each row on its own, as a bulk creation does. */
export async function writeSlice(
  trx: Db,
  one: Import,
  slice: readonly FileRow[],
  publish: Publish,
): Promise<Judged[]> {
  const references = await loadReferences(trx, one.project_id, []);
  const read = await toLinks(one, slice, references);
  const judged = read.flatMap((row) => ('link' in row ? [] : [refused(row, row.refusal)]));
  const links = read.filter((row): row is LinkRow => 'link' in row);
  const writer = new Writer(trx, one, references, publish);
  // A row whose key an earlier one asks for waits until that is stored, or refused.
  for (let open = links; open.length > 0; ) open = await writer.write(open);
  return [...judged, ...writer.judged];
}

class Writer {
  readonly judged: Judged[] = [];
  readonly #trx: Db;
  readonly #one: Import;
  readonly #references: References;
  readonly #publish: Publish;

  constructor(trx: Db, one: Import, references: References, publish: Publish) {
    this.#trx = trx;
    this.#one = one;
    this.#references = references;
    this.#publish = publish;
  }

  /** @returns the rows that ask for what an earlier one of them asks for */
  async write(rows: readonly LinkRow[]): Promise<LinkRow[]> {
    const { project_id } = this.#one;
    const conflicts = await findConflicts(this.#trx, project_id, rows, this.#references);
    const names = new Set<string>();
    const fresh: LinkRow[] = [];
    const later: LinkRow[] = [];
    const met: [row: LinkRow, twin: string, isOther: boolean][] = [];
    for (const row of rows) {
      const twin = conflicts.twinOf(row);
      if (twin !== undefined) {
        met.push([row, twin, conflicts.isOther(row)]);
        continue;
      }
      const own = namesOf(row, this.#references);
      (own.some((name) => names.has(name)) ? later : fresh).push(row);
      for (const name of own) names.add(name);
    }
    const updated = met.flatMap(([row]) =>
      this.#one.options.onConflict === 'update' ? [row] : [],
    );
    const tags = await missingTags(this.#trx, project_id, [...fresh, ...updated]);
    await createTags(this.#trx, project_id, tags);
    for (const one of met) await this.#meet(...one);
    await this.#insert(fresh);
    return later;
  }

  async #meet(row: LinkRow, twin: string, isOther: boolean): Promise<void> {
    const judged = meet(this.#one, row, isOther);
    this.judged.push(judged.outcome === 'updated' ? await this.#update(judged, row, twin) : judged);
  }

  async #update(judged: Judged, row: LinkRow, twin: string): Promise<Judged> {
    const { id: _, prefix: __, createdAt: ___, domain, ...changes } = row.link;
    // A link with the external id of a row stays where it is.
    const moved = { ...changes, domain: row.hasDomain ? domain : undefined };
    const { project_id: projectId } = this.#one;
    try {
      const link = await inSavepoint(this.#trx, this.#publish, async (inner, publish) =>
        changeLink(inner, await linkQueries.lock(inner, { projectId }, twin), moved, publish),
      );
      await this.#noteUpdate(link);
      return judged;
    } catch (thrown) {
      if (!(thrown instanceof Refusal)) throw thrown;
      return refused(row, thrown);
    }
  }

  async #insert(rows: readonly LinkRow[]): Promise<void> {
    if (rows.length === 0) return;
    const { project_id: projectId, user_id: userId } = this.#one;
    const links = rows.map(({ link }) => link);
    const owner = { projectId, userId };
    const result = await insertLinks(this.#trx, owner, links, this.#publish);
    for (const [at, made] of result.entries()) {
      const row = rows[at]!;
      this.judged.push(made instanceof Refusal ? refused(row, made) : { row, outcome: 'created' });
    }
    await this.#note(result.filter((made): made is SealedLink => !(made instanceof Refusal)));
  }

  /** A link that this import has made is still its own after a later row of the file has changed it. */
  async #noteUpdate({ id: link_id, updatedAt }: SealedLink): Promise<void> {
    const { project_id, id } = this.#one;
    await this.#trx('import_links')
      .where({ project_id, link_id, import_id: id })
      .update({ made_at: updatedAt });
  }

  /** Notes the links that were made, for an undo. */
  async #note(made: readonly SealedLink[]): Promise<void> {
    const { project_id, id } = this.#one;
    await execute(
      this.#trx,
      `INSERT INTO import_links (project_id, import_id, link_id, made_at)
       SELECT ?, ?, id, "updatedAt" FROM json_to_recordset(?) AS made (id text, "updatedAt" timestamptz)`,
      [project_id, id, JSON.stringify(made.map(({ id, updatedAt }) => ({ id, updatedAt })))],
    );
  }
}
