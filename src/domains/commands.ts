import { randomBytes } from 'node:crypto';
import { recordByOperator } from '../audit/write.ts';
import { config } from '../config.ts';
import { Refusal } from '../errors.ts';
import { refuseChanged } from '../http/etag.ts';
import { newId } from '../ids.ts';
import { type Db, db, rows } from '../infra/db.ts';
import type { Log } from '../infra/log.ts';
import { cacheRedis } from '../infra/redis.ts';
import { type Publish, runIdempotent } from '../jobs/run-idempotent.ts';
import { type LookupChange, publishCommitted } from '../lookup/publish.ts';
import type { JobContext } from '../queues/definition.ts';
import { handlers } from '../queues/job.ts';
import { leadsTo, type NamedUrl, refuseBlockedHosts } from '../short-links/destination.ts';
import { respellClaims } from '../short-links/respell.ts';
import { removeFromScopes } from '../webhooks/scope.ts';
import { changeRow } from '../workspaces/change-row.ts';
import { domainChanges } from './entry.ts';
import { domainJobs, domainMaintenanceJobs } from './jobs.ts';
import { Domain } from './model.ts';
import { type DomainRecord, toDomain, verificationRecord } from './record.ts';
import { type DomainChanges, type NewDomain, namedBy } from './schema.ts';
import { hasVerificationRecord } from './verify.ts';

/** Age after which unverified domains are no longer checked automatically. */
const CHECKED_FOR = '14 days';
/**
 * Number of domains checked per run and at the same time, and the time after which no more checks
 * are started, in ms.
 */
const CHECKS_PER_RUN = 1_000;
const CHECKS_AT_ONCE = 20;
const CHECK_RUN_MS = 60_000;

/**
 * Adds a domain that is not verified yet.
 *
 * @throws Refusal `conflict` when the workspace already has it, it belongs to the service, or it is
 * to become primary immediately
 */
export function createDomain(
  { id, slug, ...changes }: NewDomain & { id: string },
  job: JobContext,
): Promise<DomainRecord> {
  return runIdempotent(job, (trx, publish) =>
    addDomain(trx, job.projectId, { id, slug, ...changes, verified: false }, publish),
  );
}

/**
 * Adds a domain to a workspace.
 *
 * @param domain `verified`: true if the operator confirms that the workspace owns the domain,
 * instead of DNS
 * @throws Refusal `conflict`
 */
export async function addDomain(
  trx: Db,
  projectId: string,
  { id, slug, verified, ...changes }: NewDomain & { id: string; verified: boolean },
  publish: Publish,
): Promise<DomainRecord> {
  if (slug === config().DEFAULT_SHORT_DOMAIN) {
    throw new Refusal('conflict', `The domain "${slug}" belongs to the service`);
  }
  refuseLoop(slug, changes);
  await refuseBlockedHosts(trx, urlsOf(changes));
  const twin = await Domain.of(projectId, trx).where({ slug }).first();
  if (twin !== undefined)
    throw new Refusal('conflict', `The workspace already has the domain "${slug}"`);
  if (verified) await refuseVerifiedElsewhere(trx, slug, id);
  const token = randomBytes(18).toString('base64url');
  if (changes.primary === true) {
    if (!verified) throw notVerified({ slug });
    await takePrimary(trx, projectId);
  }
  const row = await Domain.add(
    projectId,
    { id, slug, verified, verification_token: token, ...toColumns(changes) },
    trx,
  );
  if (verified) publish(domainChanges(row));
  return toDomain(row);
}

/** @throws Refusal `not_found`, or `conflict` when an unverified domain is to become primary */
export function updateDomain(
  { id, changes }: { id: string; changes: DomainChanges },
  job: JobContext,
): Promise<DomainRecord> {
  return runIdempotent(job, async (trx, publish) => {
    const row = await lockDomain(trx, job.projectId, id);
    refuseChanged(job.ifMatch, toDomain(row));
    refuseLoop(row.slug, changes);
    await refuseBlockedHosts(trx, urlsOf(changes));
    if (changes.primary === true) {
      if (!row.verified) throw notVerified(row);
      await takePrimary(trx, job.projectId);
    }
    const spelling = await changeSpelling(trx, row, changes);
    return saveDomain(trx, row, { ...toColumns(changes), ...spelling }, publish);
  });
}

/** @throws Refusal `conflict` when slugs would become the same */
async function changeSpelling(
  trx: Db,
  row: Domain,
  { caseSensitive = row.case_sensitive }: DomainChanges,
): Promise<Partial<Domain>> {
  if (caseSensitive === row.case_sensitive) return {};
  const keyVersion = row.key_version + 1;
  await respellClaims(trx, row, { caseSensitive, keyVersion });
  return { key_version: keyVersion };
}

/**
 * Looks up the domain's TXT record and marks the domain as verified.
 *
 * @throws Refusal `not_found`; `unprocessable_entity` when the record is missing; `conflict` when
 * another workspace has verified the domain
 */
export async function verifyDomain({ id }: { id: string }, job: JobContext): Promise<DomainRecord> {
  const domain = await Domain.of(job.projectId).where(namedBy(id)).first();
  // The name servers are queried before the transaction, which must not wait for them.
  const proved = domain !== undefined && (domain.verified || (await isProven(domain)));
  return runIdempotent(job, async (trx, publish) => {
    const row = await lockDomain(trx, job.projectId, id);
    if (!proved) {
      const { name, value } = verificationRecord(row.slug, row.verification_token);
      throw new Refusal(
        'unprocessable_entity',
        `The domain "${row.slug}" has no TXT record "${name}" with the value "${value}" yet`,
      );
    }
    await refuseVerifiedElsewhere(trx, row.slug, row.id);
    return saveDomain(trx, row, { verified: true, checked_at: new Date() }, publish);
  });
}

async function isProven({ slug, verification_token }: Domain): Promise<boolean> {
  try {
    return await hasVerificationRecord(slug, verification_token);
  } catch {
    return false;
  }
}

async function checkDomain(projectId: string, id: string, log: Log): Promise<void> {
  const domain = await Domain.of(projectId).where({ id }).first();
  if (domain === undefined) return;
  if (!(await isProven(domain))) {
    await Domain.of(projectId).where({ id }).patch({ checked_at: new Date() });
    return;
  }
  const context = { jobId: newId('job'), projectId, isRepeat: false, log };
  await verifyDomain({ id }, context).catch((error: unknown) => {
    if (!(error instanceof Refusal)) throw error;
    log.warn({ domain: domain.slug, reason: error.message }, 'domain could not be verified');
  });
}

/** Adds a domain for the operator, outside of any job, and notifies redirect processes. */
export async function addDomainNow(
  projectId: string,
  domain: NewDomain,
  verified: boolean,
): Promise<DomainRecord> {
  const id = newId('domain');
  const changes: LookupChange[] = [];
  const record = await db().transaction(async (trx) => {
    await recordByOperator(trx, projectId, {
      action: 'domain.create',
      target: { kind: 'domain', id },
    });
    return addDomain(trx, projectId, { ...domain, id, verified }, (more) => changes.push(...more));
  });
  await publishCommitted(cacheRedis(), changes);
  return record;
}

async function lockDomain(trx: Db, projectId: string, ref: string): Promise<Domain> {
  const row = await Domain.of(projectId, trx).where(namedBy(ref)).forUpdate().first();
  if (row === undefined) throw new Refusal('not_found', `There is no domain "${ref}"`);
  return row;
}

async function saveDomain(
  trx: Db,
  { project_id, id }: Domain,
  columns: Partial<Domain>,
  publish: Publish,
): Promise<DomainRecord> {
  const row = await changeRow(Domain.of(project_id, trx), id, {
    ...columns,
    updated_at: new Date(),
    version: Domain.raw("nextval('lookup_version')"),
  });
  if (row.verified) publish(domainChanges(row));
  return toDomain(row);
}

/** Links without a domain are created on the primary one, so it must work. */
const notVerified = ({ slug }: { slug: string }) =>
  new Refusal(
    'conflict',
    `The domain "${slug}" must be verified before it can be primary: set the DNS record in its verification, ` +
      'call POST /domains/{id}/verify, then set primary to true',
  );

/** @throws Refusal `unprocessable_entity` when the root of a domain would redirect to itself */
function refuseLoop(slug: string, { target }: DomainChanges): void {
  if (typeof target !== 'string' || !leadsTo(target, { domain: slug, key: '', flexible: false })) {
    return;
  }
  throw new Refusal('unprocessable_entity', 'target must not be the root of the domain itself');
}

const urlsOf = ({ target, expiredUrl, notFoundUrl }: DomainChanges): NamedUrl[] =>
  Object.entries({ target, expiredUrl, notFoundUrl }).flatMap(([field, url]) =>
    typeof url === 'string' ? [[field, url] as const] : [],
  );

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

const asJson = (value: object | null | undefined): string | null | undefined =>
  value === null || value === undefined ? value : JSON.stringify(value);

function toColumns({
  expiredUrl,
  notFoundUrl,
  shlinkPaths,
  appleAppSiteAssociation,
  assetLinks,
  caseSensitive,
  primary,
  targetFrameable,
  ...same
}: DomainChanges): Partial<Domain> {
  const columns = {
    ...same,
    expired_url: expiredUrl,
    not_found_url: notFoundUrl,
    shlink_paths: shlinkPaths,
    apple_app_site_association: asJson(appleAppSiteAssociation),
    asset_links: asJson(assetLinks),
    case_sensitive: caseSensitive,
    is_primary: primary,
    target_frameable: targetFrameable,
  };
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined));
}

export const domainHandlers = handlers(domainJobs, {
  'domain.create': createDomain,
  'domain.update': updateDomain,
  'domain.verify': verifyDomain,

  /**
   * Deletes a domain that is no longer used.
   *
   * @throws Refusal `not_found`, or `conflict` while it has links or QR codes, or names of blocked
   * ones
   */
  'domain.delete': ({ id }, job) =>
    runIdempotent(job, async (trx, publish) => {
      const row = await lockDomain(trx, job.projectId, id);
      refuseChanged(job.ifMatch, toDomain(row));
      const [claims = { count: 0, blocked: 0 }] = await rows<{ count: number; blocked: number }>(
        trx,
        `SELECT count(*) FILTER (WHERE c.free_at IS NULL) AS count, count(b.record_id) AS blocked
           FROM claims c LEFT JOIN blocked_links b ON b.record_id = c.record_id WHERE c.domain_id = ?`,
        [row.id],
      );
      if (claims.count > 0) {
        throw new Refusal(
          'conflict',
          claims.count === 1
            ? `The domain "${row.slug}" still has a link or QR code: delete or move it first`
            : `The domain "${row.slug}" still has ${claims.count} links or QR codes: delete or move them first`,
        );
      }
      if (claims.blocked > 0) {
        throw new Refusal(
          'conflict',
          `The domain "${row.slug}" had links that the operator of this service has blocked: ask the operator to unblock them first`,
        );
      }
      await trx('claims').where({ domain_id: row.id }).delete();
      await Domain.of(job.projectId, trx).where({ id: row.id }).delete();
      await removeFromScopes(trx, job.projectId, 'domain', row.slug);
      if (row.verified) publish(domainChanges(row, true));
      return { id: row.id };
    }),
});

export const domainMaintenanceHandlers = handlers(domainMaintenanceJobs, {
  /**
   * Looks up the DNS records of unverified domains, for up to {@link CHECK_RUN_MS}. Workspaces take
   * turns, so that many domains of one workspace with silent name servers do not delay the others.
   */
  async 'domains.check'(_data, { log }) {
    const until = Date.now() + CHECK_RUN_MS;
    const waiting = await rows<{ id: string; project_id: string }>(
      db(),
      `SELECT id, project_id FROM (
         SELECT id, project_id, checked_at,
                row_number() OVER (PARTITION BY project_id ORDER BY checked_at NULLS FIRST) AS turn
           FROM domains
          WHERE NOT verified AND project_id IS NOT NULL AND created_at > now() - ?::interval) AS waiting
        ORDER BY turn, checked_at NULLS FIRST LIMIT ?`,
      [CHECKED_FOR, CHECKS_PER_RUN],
    );
    const check = async () => {
      for (
        let row = waiting.shift();
        row !== undefined && Date.now() < until;
        row = waiting.shift()
      ) {
        await checkDomain(row.project_id, row.id, log);
      }
    };
    await Promise.all(Array.from({ length: CHECKS_AT_ONCE }, check));
  },
});
