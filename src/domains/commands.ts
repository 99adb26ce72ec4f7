import { randomBytes } from 'node:crypto';
import { config } from '../config.ts';
import { Refusal } from '../errors.ts';
import { newId } from '../ids.ts';
import { type Db, db } from '../infra/db.ts';
import { cacheRedis } from '../infra/redis.ts';
import { type Effects, once } from '../jobs/once.ts';
import { domainName, publish } from '../lookup/publish.ts';
import type { JobContext } from '../queues/queue.ts';
import { domainChange } from './entry.ts';
import { Domain } from './model.ts';
import { type DomainRecord, toDomain, verificationRecord } from './record.ts';
import type { DomainChanges, NewDomain } from './schema.ts';
import { hasVerificationRecord } from './verify.ts';

/** Unverified domains older than this are no longer asked for by themselves. */
const CHECKED_FOR = '14 days';

/**
 * Adds a domain, not verified yet.
 *
 * @throws Refusal `conflict` when the workspace has it, or it is the service's own
 */
export function createDomain(
  { id, slug, ...changes }: NewDomain & { id: string },
  job: JobContext,
): Promise<DomainRecord> {
  return once(job, (trx) => addDomain(trx, job.projectId, { id, slug, ...changes }, false));
}

/**
 * Adds a domain to a workspace.
 *
 * @param verified the operator's word that the domain is the workspace's; stands in for DNS
 * @throws Refusal `conflict`
 */
export async function addDomain(
  trx: Db,
  projectId: string,
  { id, slug, ...changes }: NewDomain & { id: string },
  verified: boolean,
): Promise<Effects<DomainRecord>> {
  if (slug === config().DEFAULT_SHORT_DOMAIN) {
    throw new Refusal('conflict', `The domain "${slug}" is the service's own`);
  }
  const twin = await Domain.of(projectId, trx).where({ slug }).first();
  if (twin !== undefined)
    throw new Refusal('conflict', `The workspace has the domain "${slug}" already`);
  if (verified) await refuseVerifiedElsewhere(trx, slug, id);
  if (changes.primary === true) await takePrimary(trx, projectId);
  const token = randomBytes(18).toString('base64url');
  const row = await Domain.add(
    projectId,
    { id, slug, verified, verification_token: token, ...toColumns(changes) },
    trx,
  );
  return { result: toDomain(row), changes: verified ? [domainChange(row)] : [] };
}

/** @throws Refusal `not_found` */
export function updateDomain(
  { id, changes }: { id: string; changes: DomainChanges },
  job: JobContext,
): Promise<DomainRecord> {
  return once(job, async (trx) => {
    await lockDomain(trx, job.projectId, id);
    if (changes.primary === true) await takePrimary(trx, job.projectId);
    return saveDomain(trx, job.projectId, id, toColumns(changes));
  });
}

/**
 * Looks for the domain's TXT record and marks it verified.
 *
 * @throws Refusal `not_found`; `unprocessable_entity` when the record is not there; `conflict` when another
 *   workspace holds the domain
 */
export async function verifyDomain({ id }: { id: string }, job: JobContext): Promise<DomainRecord> {
  const domain = await Domain.of(job.projectId).where({ id }).first();
  // The name servers are asked before the transaction: it must not wait for them.
  const proved = domain !== undefined && (domain.verified || (await askDns(domain)));
  return once(job, async (trx) => {
    const row = await lockDomain(trx, job.projectId, id);
    if (!proved) {
      const { name, value } = verificationRecord(row.slug, row.verification_token);
      throw new Refusal(
        'unprocessable_entity',
        `The domain "${row.slug}" has no TXT record "${name}" with the value "${value}" yet`,
      );
    }
    await refuseVerifiedElsewhere(trx, row.slug, id);
    return saveDomain(trx, job.projectId, id, { verified: true, checked_at: new Date() });
  });
}

async function askDns({ slug, verification_token }: Domain): Promise<boolean> {
  try {
    return await hasVerificationRecord(slug, verification_token);
  } catch {
    return false;
  }
}

/**
 * Deletes a domain that carries nothing any more.
 *
 * @throws Refusal `not_found`, or `conflict` while it has links or QR codes
 */
export function deleteDomain({ id }: { id: string }, job: JobContext): Promise<{ id: string }> {
  return once(job, async (trx) => {
    const row = await lockDomain(trx, job.projectId, id);
    const claims = (await trx('claims').where({ domain_id: id }).count('* as count').first()) as {
      count: number;
    };
    if (claims.count > 0) {
      throw new Refusal(
        'conflict',
        `The domain "${row.slug}" still has ${claims.count} links or QR codes: delete or move them first`,
      );
    }
    await Domain.of(job.projectId, trx).where({ id }).delete();
    const gone = { name: domainName(row.slug), version: row.version, entry: null, announce: true };
    return { result: { id }, changes: row.verified ? [gone] : [] };
  });
}

/** Asks the DNS for every domain that waits for its record. */
export async function checkDomains(_data: object, { log }: JobContext): Promise<undefined> {
  const { rows } = await db().raw<{ rows: { id: string; project_id: string }[] }>(
    `SELECT id, project_id FROM domains
      WHERE NOT verified AND project_id IS NOT NULL AND created_at > now() - ?::interval
      ORDER BY checked_at NULLS FIRST LIMIT 200`,
    [CHECKED_FOR],
  );
  for (const { id, project_id: projectId } of rows) {
    const domain = await Domain.of(projectId).where({ id }).first();
    if (domain === undefined) continue;
    if (!(await askDns(domain))) {
      await Domain.of(projectId).where({ id }).patch({ checked_at: new Date() });
      continue;
    }
    const context = { jobId: newId('job'), projectId, isRepeat: false, log };
    await verifyDomain({ id }, context).catch((error: unknown) => {
      if (!(error instanceof Refusal)) throw error;
      log.warn({ domain: domain.slug, reason: error.message }, 'domain not verified');
    });
  }
  return undefined;
}

/** Makes the service's default short domain, once. Run with the migrations. */
export async function ensureDefaultDomain(connection: Db, slug: string): Promise<void> {
  await connection.raw(
    `INSERT INTO domains (id, project_id, slug, verified, verification_token)
     SELECT ?, NULL, ?, true, '' WHERE NOT EXISTS (SELECT 1 FROM domains WHERE project_id IS NULL AND slug = ?)
     ON CONFLICT DO NOTHING`,
    [newId('domain'), slug, slug],
  );
}

/** Adds a domain outside of any job, for the operator, and lets redirect processes know. */
export async function addDomainNow(
  projectId: string,
  domain: NewDomain,
  verified: boolean,
): Promise<DomainRecord> {
  const done = await db().transaction((trx) =>
    addDomain(trx, projectId, { ...domain, id: newId('domain') }, verified),
  );
  await publish(cacheRedis(), done.changes);
  return done.result;
}

async function lockDomain(trx: Db, projectId: string, id: string): Promise<Domain> {
  const row = await Domain.of(projectId, trx).where({ id }).forUpdate().first();
  if (row === undefined) throw new Refusal('not_found', `There is no domain "${id}"`);
  return row;
}

async function saveDomain(
  trx: Db,
  projectId: string,
  id: string,
  columns: Partial<Domain>,
): Promise<Effects<DomainRecord>> {
  const changed = await Domain.of(projectId, trx)
    .where({ id })
    .patch({
      ...columns,
      updated_at: new Date(),
      version: Domain.raw("nextval('lookup_version')") as unknown as number,
    })
    .returning('*');
  const row = (changed as unknown as Domain[])[0]!;
  return { result: toDomain(row), changes: row.verified ? [domainChange(row)] : [] };
}

async function takePrimary(trx: Db, projectId: string): Promise<void> {
  await Domain.of(projectId, trx).where({ is_primary: true }).patch({ is_primary: false });
}

async function refuseVerifiedElsewhere(trx: Db, slug: string, id: string): Promise<void> {
  const holder = (await trx('domains')
    .where({ slug, verified: true })
    .whereNot({ id })
    .first('id')) as { id: string } | undefined;
  if (holder !== undefined) {
    throw new Refusal('conflict', `The domain "${slug}" is in use by another workspace`);
  }
}

function toColumns({
  target,
  type,
  placeholder,
  expiredUrl,
  notFoundUrl,
  archived,
  primary,
  targetFrameable,
}: DomainChanges): Partial<Domain> {
  const columns = {
    target,
    type,
    placeholder,
    expired_url: expiredUrl,
    not_found_url: notFoundUrl,
    archived,
    is_primary: primary,
    target_frameable: targetFrameable,
  };
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined));
}
