import { Refusal } from '../errors.ts';
import { refuseChanged } from '../http/etag.ts';
import { rows } from '../infra/db.ts';
import { runIdempotent } from '../jobs/run-idempotent.ts';
import { encodePage, pageName } from '../lookup/codec.ts';
import type { PageContent } from '../lookup/entry.ts';
import type { LookupChange } from '../lookup/publish.ts';
import type { JobContext } from '../queues/definition.ts';
import { handlers } from '../queues/job.ts';
import { changeRow } from '../workspaces/change-row.ts';
import { pageJobs } from './jobs.ts';
import { Page } from './model.ts';
import { findPage } from './queries.ts';
import { type PageRecord, toPage } from './record.ts';
import type { NewPage, PageChanges } from './schema.ts';

/** Counts of a new page, which ETags of pages do not include. */
const NO_VISITS = { views: 0, leads: 0 };

/** Creates a page. */
export function createPage(
  { id, page }: { id: string; page: NewPage },
  job: JobContext,
): Promise<PageRecord> {
  return runIdempotent(job, async (trx) => {
    const content = apply({ title: page.title }, page);
    const row = await Page.add(job.projectId, { id, content }, trx);
    return toPage(row, NO_VISITS);
  });
}

/** Changes a page. @throws Refusal `not_found` */
export function updatePage(
  { id, changes }: { id: string; changes: PageChanges },
  job: JobContext,
): Promise<PageRecord> {
  return runIdempotent(job, async (trx, publish) => {
    const { projectId } = job;
    const before = await Page.lock(projectId, id, trx);
    refuseChanged(job.ifMatch, toPage(before, NO_VISITS));
    const row = await changeRow(Page.of(projectId, trx), id, {
      content: apply(before.content, changes),
      updated_at: new Date(),
      version: Page.raw("nextval('lookup_version')"),
    });
    const result = (await findPage(projectId, id, trx))!;
    const entry = encodePage({ id, projectId, ...row.content });
    publish([change(row, entry)]);
    return result;
  });
}

/** Applies changes to the content of a page, and removes empty fields. */
function apply(content: PageContent, changes: PageChanges): PageContent {
  const next = { ...content, ...changes };
  // Object.fromEntries loses the types of members; `title` is never empty.
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

export const pageHandlers = handlers(pageJobs, {
  'page.create': createPage,
  'page.update': updatePage,

  /** Deletes a page. @throws Refusal `not_found`, or `conflict` while links or QR codes use it */
  'page.delete': ({ id }, job) =>
    runIdempotent(job, async (trx, publish) => {
      const { projectId } = job;
      const row = await Page.lock(projectId, id, trx);
      refuseChanged(job.ifMatch, toPage(row, NO_VISITS));
      const [found] = await rows<{ uses: number }>(
        trx,
        `SELECT (SELECT count(*) FROM links WHERE project_id = :projectId AND page_id = :id)
              + (SELECT count(*) FROM qrcodes WHERE project_id = :projectId AND page_id = :id) AS uses`,
        { projectId, id },
      );
      const { uses } = found!;
      if (uses > 0) {
        throw new Refusal(
          'conflict',
          `The page is shown before ${uses} links or QR codes: remove it from them first`,
        );
      }
      await Page.of(projectId, trx).where({ id }).delete();
      await trx('counters').where({ project_id: projectId, record_id: id }).delete();
      publish([change(row, null)]);
      return { id };
    }),
});
