import { mapAccepted, Refusal } from '../errors.ts';
import { refuseChanged } from '../http/etag.ts';
import { type Db, execute } from '../infra/db.ts';
import { type Publish, runIdempotent } from '../jobs/run-idempotent.ts';
import type { LinkEntry } from '../lookup/entry.ts';
import type { Actor, JobContext } from '../queues/definition.ts';
import { handlers } from '../queues/job.ts';
import { applySharedChanges } from '../short-links/apply-changes.ts';
import { applyDue } from '../short-links/apply-scheduled.ts';
import { changeEach, createEach } from '../short-links/bulk.ts';
import { readUtm, refuseLoops, withMissingUtm, writeUtm } from '../short-links/destination.ts';
import type { Change, Draft, Owner } from '../short-links/draft.ts';
import { shortLinkEntry } from '../short-links/entry.ts';
import { type Author, updatedBy } from '../short-links/history.ts';
import { linkPreviewJobs } from '../short-links/jobs.ts';
import { refuseSharedWildcard } from '../short-links/key.ts';
import { fillPreview, requestPreview } from '../short-links/preview.ts';
import { loadReferences, type References } from '../short-links/references.ts';
import { deleteRecord, deleteRecords } from '../short-links/remove.ts';
import { resetRecord } from '../short-links/reset.ts';
import { placeBefore, type Revert, readReverted } from '../short-links/revert.ts';
import { schedule, unschedule } from '../short-links/scheduled.ts';
import { toSharedBody } from '../short-links/scheduled-record.ts';
import { chosenUrl } from '../short-links/test-variants.ts';
import { refuseUtm, refuseUtmOf } from '../short-links/utm-rules.ts';
import {
  insert,
  newRow,
  placeAfter,
  placeOf,
  publishCreated,
  update,
} from '../short-links/write.ts';
import { publishRecordEvent } from '../webhooks/outbox.ts';
import { linkBulkJobs, linkJobs } from './jobs.ts';
import { BLANK_LINK, LINK_TABLES, type LinkRow } from './model.ts';
import { findTwin, linkQueries } from './queries.ts';
import { type SealedLink, toSealedLink } from './record.ts';
import type { LinkChanges, NewLink } from './schema.ts';

/**
 * Creates a link. @throws Refusal if the link breaks a rule, or if its key or external id is taken
 */
export async function createLink(
  { userId, link }: { userId: string; link: NewLink },
  job: JobContext,
): Promise<SealedLink> {
  const { projectId } = job;
  const record = await runIdempotent(job, (trx, publish) =>
    insertOne(trx, { projectId, userId }, link, publish),
  );
  if (record.proxy) await requestPreview(job, 'link', record);
  return record;
}

async function insertOne(
  trx: Db,
  owner: Owner,
  link: NewLink,
  publish: Publish,
): Promise<SealedLink> {
  const inserted = await insertLinks(trx, owner, [link], publish);
  return publishCreated(trx, LINK_TABLES, owner.projectId, inserted);
}

/**
 * Builds links as they would be stored. Every rule is checked except those for UTM parameters, and
 * taken keys and external ids; a link that breaks one has its Refusal in its place.
 *
 * @param references those of the links
 */
export function draftLinks(
  owner: Owner,
  links: readonly (NewLink | Refusal)[],
  references: References,
): (Draft<LinkRow> | Refusal)[] {
  const now = new Date();
  return mapAccepted(links, (link): Draft<LinkRow> => {
    const { ids, ...place } = placeOf({ ...owner, now }, link, references);
    const row = applyChanges(newRow(BLANK_LINK, ids), link);
    refuseLoops(row, place.domain);
    refuseSharedWildcard(row.key, place.domain);
    return { ...place, row, entry: () => linkEntry(row) };
  });
}

/**
 * Stores links independently, within the transaction of a command; refusals stay in their places.
 */
export async function storeLinks(
  trx: Db,
  owner: Owner,
  links: readonly (NewLink | Refusal)[],
  publish: Publish,
): Promise<(Draft<LinkRow> | Refusal)[]> {
  const references = await loadReferences(trx, owner.projectId, links);
  const rules = owner.keepsUtm === true ? null : references.utmRules;
  const drafts = draftLinks(owner, links, references);
  const accepted = rules === null ? drafts : refuseUtmOf(drafts, rules);
  return insert(trx, LINK_TABLES, accepted, publish);
}

/** Stores links as {@link storeLinks} does. @returns their records */
export async function insertLinks(
  ...links: Parameters<typeof storeLinks>
): Promise<(SealedLink | Refusal)[]> {
  return mapAccepted(await storeLinks(...links), (draft) => toSealedLink(draft.row, draft));
}

async function changeOne(
  trx: Db,
  before: LinkRow,
  changes: LinkChanges,
  publish: Publish,
  author: Author,
): Promise<SealedLink> {
  const link = await changeLink(trx, before, changes, publish, author);
  await publishRecordEvent(trx, before.project_id, 'link.updated', link);
  return link;
}

/**
 * Stores a change of a locked link, within the transaction of a command. @throws Refusal as {@link
 * createLink}
 */
export async function changeLink(
  trx: Db,
  before: LinkRow,
  changes: LinkChanges,
  publish: Publish,
  author: Author,
): Promise<SealedLink> {
  const { row, utmRules, ...place } = await placeAfter(trx, LINK_TABLES, before, changes);
  const change = { ...place, row: applyChanges(row, changes) };
  // The URLs of a test are not checked, and neither is the winner's.
  if (changes.testWinner == null) refuseUtm(change.row, utmRules, before);
  return storeChange(trx, before, change, publish, author);
}

async function storeChange(
  trx: Db,
  before: LinkRow,
  { row, domain, tags }: Omit<Change<LinkRow>, 'entry'>,
  publish: Publish,
  author: Author,
): Promise<SealedLink> {
  refuseLoops(row, domain);
  refuseSharedWildcard(row.key, domain);
  const entry = (known?: LinkEntry) => linkEntry(row, known);
  publish(await update(trx, LINK_TABLES, before, { row, domain, tags, entry }, author));
  return linkQueries.get(row.project_id, row.id, trx);
}

/**
 * Sets the fields of a change of a locked link back, within the transaction of a command. @throws
 * Refusal `not_found`; otherwise as {@link createLink}
 */
export async function revertLink(
  trx: Db,
  before: LinkRow,
  { changeId, frameable }: Revert,
  publish: Publish,
  actor: Actor | undefined,
): Promise<SealedLink> {
  const reverted = await readReverted(trx, LINK_TABLES, before, changeId);
  const change = await placeBefore(trx, LINK_TABLES, before, reverted, frameable);
  Object.assign(change.row, readUtm(change.row.url));
  const author = { action: 'reverted', actor, revertedId: changeId } as const;
  const link = await storeChange(trx, before, change, publish, author);
  await publishRecordEvent(trx, before.project_id, 'link.updated', link);
  return link;
}

/** Applies changes to a row. An absent field stays, `null` clears it. */
function applyChanges(row: LinkRow, changes: LinkChanges): LinkRow {
  const next = applySharedChanges(row, changes);
  if (changes.video !== undefined) next.video = changes.video;
  if (changes.importedClicks !== undefined) next.imported_clicks = changes.importedClicks;
  // UTM fields that the change does not name stay, unless the new destination has its own.
  const destination = chosenUrl(next, changes) ?? changes.url;
  const url = destination === undefined ? row.url : withMissingUtm(destination, row);
  next.url = writeUtm(url, changes);
  return Object.assign(next, readUtm(next.url));
}

/** Builds the look-up entry of a link. */
export const linkEntry = (row: LinkRow, previous?: LinkEntry): Promise<string> =>
  shortLinkEntry(row, { destination: row.url }, previous);

export const linkHandlers = [
  ...handlers(linkJobs, {
    'link.create': createLink,

    /** Changes the link that {@link findTwin} finds, or creates it if there is none. */
    async 'link.upsert'({ userId, link }, job) {
      const { projectId } = job;
      const record = await runIdempotent(job, async (trx, publish) => {
        // Two concurrent upserts of a workspace would both find nothing.
        await execute(trx, 'SELECT pg_advisory_xact_lock(hashtext(?))', [`upsert ${projectId}`]);
        const twinId = await findTwin(projectId, link, trx);
        if (twinId === undefined) {
          refuseChanged(job.ifMatch, undefined);
          return insertOne(trx, { projectId, userId }, link, publish);
        }
        const { id: _, prefix: __, ...fields } = link;
        const before = await linkQueries.lock(trx, job, twinId);
        return changeOne(trx, before, fields, publish, updatedBy(job));
      });
      if (record.id === link.id && record.proxy) await requestPreview(job, 'link', record);
      return record;
    },

    /** Changes a link. @throws Refusal `not_found`; otherwise as {@link createLink} */
    async 'link.update'({ linkId, changes }, job) {
      const link = await runIdempotent(job, async (trx, publish) =>
        changeOne(trx, await linkQueries.lock(trx, job, linkId), changes, publish, updatedBy(job)),
      );
      if (changes.proxy === true) await requestPreview(job, 'link', link);
      return link;
    },

    /** Reverts a change. @throws Refusal as {@link revertLink} */
    'link.revert': (revert, job) =>
      runIdempotent(job, async (trx, publish) =>
        revertLink(trx, await linkQueries.lock(trx, job, revert.ref), revert, publish, job.actor),
      ),

    /** Deletes a link. @throws Refusal `not_found` */
    'link.delete': ({ linkId, events }, job) => deleteRecord(linkQueries, job, linkId, events),
    /** Sets the counts of a link back to zero. @throws Refusal `not_found` */
    'link.reset': ({ linkId }, job) => resetRecord(linkQueries, job, linkId),
    /** Stores a change for later. @throws Refusal as an update */
    'link.schedule': (data, job) => schedule(linkQueries, job, data, changeLink, toSharedBody),
    /** Deletes a scheduled change. @throws Refusal `not_found` */
    'link.unschedule': (data, job) => unschedule(linkQueries, job, data, toSharedBody),
    'link.apply': ({ id }, job) => applyDue(linkQueries, job, id, changeLink),
  }),
  ...handlers(linkPreviewJobs, {
    /** Fills the card of a link with the preview of its destination. @throws Refusal `not_found` */
    'link.fill': (preview, job) => fillPreview(linkQueries, job, preview, changeOne),
  }),
];

export const linkBulkHandlers = handlers(linkBulkJobs, {
  /** Creates up to 100 links independently. If all fail, the first refusal is the answer. */
  'links.create': ({ userId, links: items, sent }, job) =>
    createEach(LINK_TABLES, job, { items, sent }, (trx, inputs, publish) =>
      insertLinks(trx, { projectId: job.projectId, userId }, inputs, publish),
    ),

  /** Makes the same change to up to 100 links independently. */
  'links.update': ({ linkIds, changes }, job) =>
    changeEach(LINK_TABLES, job, linkIds, async (trx, ref, publish) =>
      changeLink(trx, await linkQueries.lock(trx, job, ref), changes, publish, updatedBy(job)),
    ),

  /** Deletes up to 100 links; unknown ids are ignored. */
  'links.delete': ({ linkIds, events }, job) => deleteRecords(linkQueries, job, linkIds, events),
});
