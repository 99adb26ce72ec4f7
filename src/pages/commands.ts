import { Refusal } from '../errors.ts';
import type { Db } from '../infra/db.ts';
import { once } from '../jobs/once.ts';
import { encodePage, type PageContent } from '../lookup/entry.ts';
import { type LookupChange, pageName } from '../lookup/publish.ts';
import type { JobContext } from '../queues/queue.ts';
import { Page } from './model.ts';
import { findPage } from './queries.ts';
import { type PageRecord, toPage } from './record.ts';
import type { NewPage, PageChanges } from './schema.ts';

/** Makes a page. */
export function createPage(
  { id, page }: { id: string; page: NewPage },
  job: JobContext,
): Promise<PageRecord> {
  return once(job, async (trx) => {
    const content = apply({ title: page.title }, page);
    const row = await Page.add(job.projectId, { id, content }, trx);
    return { result: toPage(row, { views: 0, leads: 0 }), changes: [] };
  });
}

/** @throws Refusal `not_found` */
export function updatePage(
  { id, changes }: { id: string; changes: PageChanges },
  job: JobContext,
): Promise<PageRecord> {
  return once(job, async (trx) => {
    const { projectId } = job;
    const { content } = await lockPage(trx, projectId, id);
    const [row] = (await Page.of(projectId, trx)
      .where({ id })
      .patch({
        content: apply(content, changes),
        updated_at: new Date(),
        version: Page.raw("nextval('lookup_version')") as unknown as number,
      })
      .returning('*')) as unknown as Page[];
    const result = (await findPage(projectId, id, trx))!;
    const entry = encodePage({ id, projectId, ...row!.content });
    return { result, changes: [change(row!, entry)] };
  });
}

/** @throws Refusal `not_found`, or `conflict` while links or QR codes show it */
export function deletePage({ id }: { id: string }, job: JobContext): Promise<{ id: string }> {
  return once(job, async (trx) => {
    const { projectId } = job;
    const row = await lockPage(trx, projectId, id);
    const { rows } = await trx.raw<{ rows: { uses: number }[] }>(
      `SELECT (SELECT count(*) FROM links WHERE project_id = :projectId AND page_id = :id)
            + (SELECT count(*) FROM qrcodes WHERE project_id = :projectId AND page_id = :id) AS uses`,
      { projectId, id },
    );
    const { uses } = rows[0]!;
    if (uses > 0) {
      throw new Refusal(
        'conflict',
        `The page is shown before ${uses} links or QR codes: take it from them first`,
      );
    }
    await Page.of(projectId, trx).where({ id }).delete();
    await trx('counters').where({ project_id: projectId, record_id: id }).delete();
    return { result: { id }, changes: [change(row, null)] };
  });
}

async function lockPage(trx: Db, projectId: string, id: string): Promise<Page> {
  const row = await Page.of(projectId, trx).where({ id }).forUpdate().first();
  if (row === undefined) throw new Refusal('not_found', `There is no page "${id}"`);
  return row;
}

/** What the page shows after the changes; what is empty is left out. */
function apply(content: PageContent, changes: PageChanges): PageContent {
  const next = { ...content, ...changes };
  return Object.fromEntries(
    Object.entries(next).filter(([, value]) => value !== null && value !== undefined),
  ) as unknown as PageContent;
}

const change = ({ project_id, id, version }: Page, entry: string | null): LookupChange => ({
  name: pageName(project_id, id),
  version,
  entry,
  announce: true,
});
