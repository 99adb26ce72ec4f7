import { config } from '../config.ts';
import { errorBody, Refusal } from '../errors.ts';
import { type Db } from '../infra/db.ts';
import { externalIdIn } from '../infra/fields.ts';
import { type Effects, once } from '../jobs/once.ts';
import { decodeLink } from '../lookup/entry.ts';
import { type LookupChange, linkName } from '../lookup/publish.ts';
import type { BulkLink } from '../queues/bulk.ts';
import type { JobContext } from '../queues/queue.ts';
import { insertLinks, tagRows } from './create.ts';
import { writeUtm } from './destination.ts';
import { linkEntry } from './entry.ts';
import { Link, type LinkRow } from './model.ts';
import { findLink, findLinkId } from './queries.ts';
import type { BulkItem, SealedLink } from './record.ts';
import { loadReferences } from './references.ts';
import { applyChanges, refuseFixedDestination, refuseLoop, resolve, taken } from './rules.ts';
import type { LinkChanges, NewLink } from './schema.ts';

/** @throws Refusal when the link breaks a rule or its key or external id is taken */
export function createLink(
  data: { userId: string; link: NewLink },
  job: JobContext,
): Promise<SealedLink> {
  return once(job, (trx) => insertOne(trx, job.projectId, data.userId, data.link));
}

async function insertOne(
  trx: Db,
  projectId: string,
  userId: string,
  link: NewLink,
): Promise<Effects<SealedLink>> {
  const { links, changes } = await insertLinks(trx, projectId, userId, [link]);
  const made = links[0]!;
  if (made instanceof Refusal) throw made;
  return { result: made, changes };
}

/** Makes up to 100 links; each stands alone. Where all fail, the first one's refusal is the answer. */
export function createLinks(
  { userId, links }: { userId: string; links: BulkLink[] },
  job: JobContext,
): Promise<BulkItem[]> {
  return once(job, async (trx) => {
    const inputs = links.flatMap((item) => ('link' in item ? [item.link] : []));
    const { links: made, changes } = await insertLinks(trx, job.projectId, userId, inputs);
    const next = made[Symbol.iterator]();
    const outcomes = links.map((item): SealedLink | Refusal =>
      'link' in item ? next.next().value! : new Refusal(item.refused.code, item.refused.message),
    );
    if (outcomes[0] instanceof Refusal && outcomes.every((outcome) => outcome instanceof Refusal)) {
      throw outcomes[0];
    }
    const result = outcomes.map(
      (outcome, index): BulkItem =>
        outcome instanceof Refusal
          ? { ...errorBody(outcome, config().DOCS_URL), link: links[index]!.input }
          : outcome,
    );
    return { result, changes };
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
    if (found === undefined) return insertOne(trx, job.projectId, userId, link);
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
): Promise<BulkItem[]> {
  return once(job, async (trx) => {
    const result: BulkItem[] = [];
    const lookups: LookupChange[] = [];
    for (const linkId of linkIds) {
      try {
        const done = await trx.transaction((inner) =>
          change(inner, job.projectId, linkId, changes),
        );
        result.push(done.result);
        lookups.push(...done.changes);
      } catch (thrown) {
        if (!(thrown instanceof Refusal)) throw thrown;
        result.push({ ...errorBody(thrown, config().DOCS_URL), link: linkId });
      }
    }
    return { result, changes: lookups };
  });
}

/** @throws Refusal `not_found` */
export function deleteLink(
  { linkId }: { linkId: string },
  job: JobContext,
): Promise<{ id: string }> {
  return once(job, async (trx) => {
    const row = await lockLink(trx, job.projectId, linkId);
    const changes = await remove(trx, job.projectId, [row.id]);
    return { result: { id: row.id }, changes };
  });
}

/** Deletes up to 100 links; ids that are not there are passed over. */
export function deleteLinks(
  { linkIds }: { linkIds: string[] },
  job: JobContext,
): Promise<{ deletedCount: number }> {
  return once(job, async (trx) => {
    const externalIds = linkIds.map(externalIdIn).filter((id) => id !== undefined);
    const rows = await Link.of(job.projectId, trx)
      .whereRaw('(id = ANY(?) OR external_id = ANY(?))', [linkIds, externalIds])
      .orderBy('id')
      .forUpdate()
      .select('id');
    const ids = rows.map((row) => row.id);
    const changes = await remove(trx, job.projectId, ids);
    return { result: { deletedCount: ids.length }, changes };
  });
}

async function remove(trx: Db, projectId: string, ids: string[]): Promise<LookupChange[]> {
  const { rows } = await trx.raw<{ rows: { domain_id: string; key: string; version: number }[] }>(
    `WITH gone AS (DELETE FROM links WHERE project_id = :projectId AND id = ANY(:ids) RETURNING id, domain_id, key),
          counted AS (DELETE FROM counters c USING gone WHERE c.project_id = :projectId AND c.record_id = gone.id)
     DELETE FROM claims USING gone
      WHERE claims.domain_id = gone.domain_id AND claims.key = gone.key AND claims.record_id = gone.id
     RETURNING claims.domain_id, claims.key, claims.version`,
    { projectId, ids },
  );
  return rows.map(({ domain_id, key, version }) => ({
    name: linkName(domain_id, key),
    version,
    entry: null,
    announce: true,
  }));
}

/** The row of a link, locked until the transaction ends. */
async function lockLink(trx: Db, projectId: string, linkId: string): Promise<LinkRow> {
  const externalId = externalIdIn(linkId);
  const row = await Link.of(projectId, trx)
    .where(externalId === undefined ? { id: linkId } : { external_id: externalId })
    .forUpdate()
    .first();
  if (row === undefined) throw new Refusal('not_found', `There is no link "${linkId}"`);
  return row.$toJson() as LinkRow;
}

async function change(
  trx: Db,
  projectId: string,
  linkId: string,
  changes: LinkChanges,
): Promise<Effects<SealedLink>> {
  const before = await lockLink(trx, projectId, linkId);
  const references = await loadReferences(trx, projectId, [changes]);
  const { domain, tags } = resolve(changes, references);
  const after = applyChanges(before, changes);
  after.domain_id = domain?.id ?? before.domain_id;
  after.key = changes.key ?? before.key;
  after.updated_at = new Date();
  refuseFixedDestination(before, after);

  const lookups = await moveClaim(trx, before, after);
  const { project_id: _, id, created_at: __, ...columns } = after;
  const externalId = after.external_id;
  if (externalId !== null && externalId !== before.external_id) {
    const other = await findLinkId(trx, projectId, { external_id: externalId });
    if (other !== undefined) throw taken('externalId', externalId, 'in this workspace');
  }
  await Link.of(projectId, trx).where({ id }).patch(columns);
  if (tags !== undefined) {
    await trx('link_tags').where({ project_id: projectId, link_id: id }).delete();
    if (tags.length > 0) await trx('link_tags').insert(tagRows(projectId, id, tags));
  }
  const result = await findLink(projectId, id, trx);
  if (result === undefined) throw new Error(`link ${id} vanished from its own transaction`);
  refuseLoop(after.url, result.domain, after.key);
  return { result, changes: lookups };
}

/** Keeps the claim of a link in step with it: the same row with a new entry, or another name. */
async function moveClaim(trx: Db, before: LinkRow, after: LinkRow): Promise<LookupChange[]> {
  const name = { domain_id: before.domain_id, key: before.key };
  const claim = (await trx('claims').where(name).first('entry', 'version')) as {
    entry: string;
    version: number;
  };
  const known = before.password === after.password ? decodeLink(claim.entry) : undefined;
  const entry = await linkEntry(after, known);
  if (before.domain_id === after.domain_id && before.key === after.key) {
    const { rows } = await trx.raw<{ rows: { version: number }[] }>(
      `UPDATE claims SET entry = ?, version = nextval('lookup_version')
        WHERE domain_id = ? AND key = ? RETURNING version`,
      [entry, name.domain_id, name.key],
    );
    return [
      {
        name: linkName(name.domain_id, name.key),
        version: rows[0]!.version,
        entry,
        announce: true,
      },
    ];
  }
  const { rows } = await trx.raw<{ rows: { version: number }[] }>(
    `INSERT INTO claims (domain_id, key, project_id, record_id, entry) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO NOTHING RETURNING version`,
    [after.domain_id, after.key, after.project_id, after.id, entry],
  );
  if (rows.length === 0) throw taken('key', after.key, 'on its domain');
  await trx('claims').where(name).delete();
  return [
    {
      name: linkName(after.domain_id, after.key),
      version: rows[0]!.version,
      entry,
      announce: false,
    },
    {
      name: linkName(name.domain_id, name.key),
      version: claim.version,
      entry: null,
      announce: true,
    },
  ];
}
