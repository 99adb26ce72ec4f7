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
  onlyOne,
  removeMany,
  removeOne,
} from '../records/commands.ts';
import { insertRecords } from '../records/insert.ts';
import { loadReferences } from '../records/references.ts';
import { resolve } from '../records/rules.ts';
import { writeUtm } from './destination.ts';
import { LINKS } from './kind.ts';
import { findLinkId, linkQueries } from './queries.ts';
import type { BulkLinkItem, SealedLink } from './record.ts';
import type { LinkChanges, NewLink } from './schema.ts';

/** @throws Refusal when the link breaks a rule or its key or external id is taken */
export function createLink(
  { userId, link }: { userId: string; link: NewLink },
  job: JobContext,
): Promise<SealedLink> {
  return once(job, (trx) => insertOne(trx, { projectId: job.projectId, userId }, link));
}

async function insertOne(
  trx: Db,
  owner: { projectId: string; userId: string },
  link: NewLink,
): Promise<Effects<SealedLink>> {
  return onlyOne(await insertRecords(LINKS, trx, owner, [link]));
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

/**
 * Changes the link that has the external id, else the one with the domain and key, else one with the same
 * destination; where there is none, makes it.
 */
export function upsertLink(
  { userId, link }: { userId: string; link: NewLink },
  job: JobContext,
): Promise<SealedLink> {
  return once(job, async (trx) => {
    // Two upserts of one workspace at once would both find nothing.
    await trx.raw('SELECT pg_advisory_xact_lock(hashtext(?))', [`upsert ${job.projectId}`]);
    const found = await findTwin(trx, job.projectId, link);
    if (found === undefined) return insertOne(trx, { projectId: job.projectId, userId }, link);
    const { id: _, prefix: __, ...fields } = link;
    return change(trx, job.projectId, found, fields);
  });
}

async function findTwin(trx: Db, projectId: string, link: NewLink): Promise<string | undefined> {
  if (typeof link.externalId === 'string')
    return findLinkId(trx, projectId, { external_id: link.externalId });
  const references = await loadReferences(trx, projectId, [link]);
  const domain_id = (resolve(link, references).domain ?? references.mainDomain).id;
  if (link.key !== undefined) return findLinkId(trx, projectId, { domain_id, key: link.key });
  return findLinkId(trx, projectId, { domain_id, url: writeUtm(link.url, link) });
}

/** @throws Refusal `not_found`; otherwise as for a new link */
export function updateLink(
  { linkId, changes }: { linkId: string; changes: LinkChanges },
  job: JobContext,
): Promise<SealedLink> {
  return once(job, (trx) => change(trx, job.projectId, linkId, changes));
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
  return once(job, (trx) => removeOne(LINKS, trx, job.projectId, linkId, events));
}

/** Deletes up to 100 links; ids that are not there are passed over. */
export function deleteLinks(
  { linkIds, events }: { linkIds: string[]; events?: EventsFate },
  job: JobContext,
): Promise<{ deletedCount: number }> {
  return once(job, (trx) => removeMany(LINKS, trx, job.projectId, linkIds, events));
}
