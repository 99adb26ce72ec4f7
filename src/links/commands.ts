import type { Db } from '../infra/db.ts';
import { type Effects, once } from '../jobs/once.ts';
import type { JobContext } from '../queues/queue.ts';
import {
  type BulkInput,
  bulkInputs,
  bulkResult,
  changeEach,
  changeRecord,
  type EventsFate,
  lockRow,
  onlyOne,
  removeMany,
  removeOne,
} from '../records/commands.ts';
import { insertRecords } from '../records/insert.ts';
import { askForPreview, type FoundPreview, fillPreview } from '../records/preview.ts';
import { tellOfRecord } from '../records/tell.ts';
import { LINKS } from './kind.ts';
import { findTwin, linkQueries } from './queries.ts';
import type { BulkLinkItem, SealedLink } from './record.ts';
import type { LinkChanges, NewLink } from './schema.ts';

/** @throws Refusal when the link breaks a rule or its key or external id is taken */
export async function createLink(
  { userId, link }: { userId: string; link: NewLink },
  job: JobContext,
): Promise<SealedLink> {
  const made = await once(job, (trx) => insertOne(trx, { projectId: job.projectId, userId }, link));
  await askForPreview(job, 'link', made);
  return made;
}

async function insertOne(
  trx: Db,
  owner: { projectId: string; userId: string },
  link: NewLink,
): Promise<Effects<SealedLink>> {
  const effects = onlyOne(await insertRecords(LINKS, trx, owner, [link]));
  await tellOfRecord(trx, owner.projectId, 'link.created', effects.result);
  return effects;
}

/** Makes up to 100 links; each stands alone. Where all fail, the first one's refusal is the answer. */
export function createLinks(
  { userId, links }: { userId: string; links: BulkInput<NewLink>[] },
  job: JobContext,
): Promise<BulkLinkItem[]> {
  return once(job, async (trx) => {
    const created = await insertRecords(
      LINKS,
      trx,
      { projectId: job.projectId, userId },
      bulkInputs(links),
    );
    return bulkResult('link', created, links);
  });
}

/** Changes the link that {@link findTwin} finds; where there is none, makes it. */
export async function upsertLink(
  { userId, link }: { userId: string; link: NewLink },
  job: JobContext,
): Promise<SealedLink> {
  const written = await once(job, async (trx) => {
    // Two upserts of one workspace at once would both find nothing.
    await trx.raw('SELECT pg_advisory_xact_lock(hashtext(?))', [`upsert ${job.projectId}`]);
    const found = await findTwin(job.projectId, link, trx);
    if (found === undefined) return insertOne(trx, { projectId: job.projectId, userId }, link);
    const { id: _, prefix: __, ...fields } = link;
    return changeOne(trx, job.projectId, found, fields);
  });
  if (written.id === link.id) await askForPreview(job, 'link', written);
  return written;
}

/** @throws Refusal `not_found`; otherwise as for a new link */
export async function updateLink(
  { linkId, changes }: { linkId: string; changes: LinkChanges },
  job: JobContext,
): Promise<SealedLink> {
  const link = await once(job, (trx) => changeOne(trx, job.projectId, linkId, changes));
  if (changes.proxy === true) await askForPreview(job, 'link', link);
  return link;
}

/** @throws Refusal `not_found` */
export function fillLink(found: FoundPreview, job: JobContext): Promise<{ id: string }> {
  const { projectId } = job;
  return once(job, (trx) =>
    fillPreview(LINKS, trx, projectId, found, (changes) =>
      changeOne(trx, projectId, found.id, changes),
    ),
  );
}

async function changeOne(
  trx: Db,
  projectId: string,
  ref: string,
  changes: LinkChanges,
): Promise<Effects<SealedLink>> {
  const effects = await change(trx, projectId, ref, changes);
  await tellOfRecord(trx, projectId, 'link.updated', effects.result);
  return effects;
}

/** Makes the same change to up to 100 links; each stands alone. */
export function updateLinks(
  { linkIds, changes }: { linkIds: string[]; changes: LinkChanges },
  job: JobContext,
): Promise<BulkLinkItem[]> {
  return once(job, (trx) =>
    changeEach(trx, 'link', linkIds, (inner, ref) => change(inner, job.projectId, ref, changes)),
  );
}

const change = (trx: Db, projectId: string, ref: string, changes: LinkChanges) =>
  changeRecord(LINKS, trx, { projectId, ref, changes }, (...args) => linkQueries.find(...args));

/** @throws Refusal `not_found` */
export function deleteLink(
  { linkId, events }: { linkId: string; events?: EventsFate },
  job: JobContext,
): Promise<{ id: string }> {
  return once(job, async (trx) => {
    const { projectId } = job;
    const { id } = await lockRow(LINKS, trx, projectId, linkId);
    const link = await linkQueries.find(projectId, id, trx);
    const effects = await removeOne(LINKS, trx, projectId, id, events);
    await tellOfRecord(trx, projectId, 'link.deleted', link!);
    return effects;
  });
}

/** Deletes up to 100 links; ids that are not there are passed over. */
export function deleteLinks(
  { linkIds, events }: { linkIds: string[]; events?: EventsFate },
  job: JobContext,
): Promise<{ deletedCount: number }> {
  return once(job, (trx) => removeMany(LINKS, trx, job.projectId, linkIds, events));
}
