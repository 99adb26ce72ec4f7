import { isIP } from 'node:net';
import { config } from '../config.ts';
import { FETCH_RULES, FetchRefused } from '../infra/fetch-refused.ts';
import { guardedFetch } from '../infra/guarded-fetch.ts';
import { keep } from '../infra/kept.ts';
import { installationIds } from '../infra/keys.ts';
import { lookUp, newResolver } from '../infra/names.ts';
import { cacheRedis } from '../infra/redis.ts';
import { handlers } from '../queues/job.ts';
import { type Findings, withActions } from './advice.ts';
import type { DomainChecks } from './check-record.ts';
import { hostFieldOf } from './dns-hosts.ts';
import { type DomainToCheck, domainCheckJobs } from './jobs.ts';
import { verificationRecord } from './record.ts';
import { ABSENT, equal, textsOf } from './verify.ts';
import { findZone, type Zone } from './zone.ts';

/** Time for which the checks of a domain are cached, in s, because consoles poll them. */
const KEPT_SECONDS = 5;
const DNS_MS = 2_000;
const FETCH_MS = 5_000;
/** Path at which a redirect server identifies its installation. */
const INSTALLATION_PATH = '/_/installation';
const MAX_BYTES = 1_024;

/** Target for visitors of domains: a host name for CNAME, addresses for A and AAAA. */
interface Target {
  host: string | undefined;
  addresses: string[];
}

async function checkNow(domain: DomainToCheck): Promise<DomainChecks> {
  const target = await findTarget();
  const [verification, dns, { zone, unregistered }] = await Promise.all([
    checkVerification(domain),
    checkDns(domain, target),
    findZone(domain.slug),
  ]);
  const answers =
    dns.found.length === 0
      ? UNREQUESTED
      : await checkReachable(`https://${domain.slug}`, `http://${domain.slug}`);
  // An installation in a private network works there, although its addresses are not requested.
  const isPrivate = dns.status === 'ok' && answers.reachable.reason === PRIVATE;
  const findings: Findings = { verification, dns, ...(isPrivate ? PRIVATE_ANSWERS : answers) };
  return {
    dnsHost: dnsHostIn(zone),
    records: recordsOf(domain, target, zone),
    ...withActions(findings, {
      dnsHost: zone?.host?.name,
      unregistered,
      hasTarget: hasTarget(target),
    }),
    checkedAt: new Date().toISOString(),
  };
}

type Answers = Pick<Findings, 'reachable' | 'certificate'>;

const unrequested = (reason: string | null): Answers => ({
  reachable: { status: 'skipped', reason },
  certificate: { status: 'unknown', reason },
});
/** Results for a domain without an IP address. */
const UNREQUESTED = unrequested(null);
const PRIVATE_ANSWERS = unrequested('Private IP addresses are not requested.');

function dnsHostIn(zone: Zone | undefined): DomainChecks['dnsHost'] {
  if (zone === undefined) return null;
  const { name, nameServers, host } = zone;
  return {
    name: host?.name ?? null,
    url: host?.url?.replace('{zone}', name) ?? null,
    note: host?.note ?? null,
    zone: name,
    nameServers,
  };
}

/** Returns the configured target, or else the host name of this installation. */
async function findTarget(): Promise<Target> {
  const { DNS_TARGET, DEFAULT_SHORT_DOMAIN, BASE_URL } = config();
  if (DNS_TARGET.length > 0) {
    const host = DNS_TARGET.find((target) => isIP(target) === 0);
    const addresses = DNS_TARGET.filter((target) => isIP(target) !== 0);
    return { host, addresses: addresses.length > 0 ? addresses : await addressesOf(host) };
  }
  const ownHosts = [DEFAULT_SHORT_DOMAIN, new URL(BASE_URL).hostname.replace(/^\[|\]$/g, '')];
  const name = ownHosts.find((host) => host !== 'localhost' && !host.endsWith('.localhost'));
  if (name !== undefined && isIP(name) !== 0) return { host: undefined, addresses: [name] };
  return { host: name, addresses: await addressesOf(name) };
}

const hasTarget = ({ host, addresses }: Target): boolean =>
  host !== undefined || addresses.length > 0;

/** Resolves a name to its addresses; none if it cannot be resolved. */
async function addressesOf(host: string | undefined): Promise<string[]> {
  if (host === undefined) return [];
  const addresses = await lookUp(host).catch(() => []);
  return addresses.map(({ address }) => address);
}

function recordsOf(
  { slug, verified, token }: DomainToCheck,
  { host, addresses }: Target,
  zone: Zone | undefined,
): DomainChecks['records'] {
  const fieldOf = (name: string) =>
    zone === undefined ? null : hostFieldOf(name, zone.name, zone.host?.root);
  const { type, name, value } = verificationRecord(slug, token);
  const purpose = 'ownership' as const;
  const proof = { purpose, type, name, hostField: fieldOf(name), value, isAlternative: false };
  const address = { purpose: 'address' as const, name: slug, hostField: fieldOf(slug) };
  // The root of a zone has no CNAME (RFC 1034, 3.6.2); some hosts have a type with the same effect.
  const isRoot = zone?.name === slug && zone.host?.rootAlias !== 'CNAME';
  const hasAlias = !isRoot || zone.host === undefined || zone.host.rootAlias !== undefined;
  const isFirst = !isRoot || addresses.length === 0;
  const alias = {
    ...address,
    type: isRoot ? ('ALIAS' as const) : ('CNAME' as const),
    value: host ?? '',
    isAlternative: !isFirst,
  };
  const aliases = host === undefined || !(hasAlias || addresses.length === 0) ? [] : [alias];
  const direct = addresses.map((ip) => ({
    ...address,
    type: typeOf(ip),
    value: ip,
    isAlternative: isFirst && aliases.length > 0,
  }));
  return [
    ...(verified ? [] : [proof]),
    ...(isFirst ? [...aliases, ...direct] : [...direct, ...aliases]),
  ];
}

const typeOf = (address: string) => (isIP(address) === 6 ? ('AAAA' as const) : ('A' as const));

async function checkVerification({
  slug,
  token,
  verified,
}: DomainToCheck): Promise<Findings['verification']> {
  if (verified) return { status: 'verified', reason: null };
  const { name, value } = verificationRecord(slug, token);
  const texts = await textsOf(name).catch(() => undefined);
  if (texts === undefined) return { status: 'unknown', reason: NO_NAME_SERVER };
  if (texts.some((text) => equal(text, value))) return { status: 'found', reason: null };
  const [other] = texts;
  return {
    status: 'missing',
    reason:
      other === undefined
        ? `There is no TXT record "${name}" with the value "${value}".`
        : `The TXT record "${name}" has the value "${other}" instead of "${value}".`,
  };
}

const NO_NAME_SERVER = 'No name server answers for this domain.';

async function checkDns({ slug }: DomainToCheck, target: Target): Promise<Findings['dns']> {
  const [aliases, addresses] = await Promise.all([
    resolved(newResolver(DNS_MS).resolveCname(slug)),
    resolved(lookUp(slug).then((all) => all.map(({ address }) => address))),
  ]);
  const targets = [
    ...(aliases ?? []).map((value) => ({ type: 'CNAME' as const, value })),
    ...(addresses ?? []).map((value) => ({ type: typeOf(value), value })),
  ];
  if (addresses === undefined) return { status: 'unknown', reason: NO_NAME_SERVER, found: targets };
  if (targets.length === 0) {
    return { status: 'missing', reason: `${slug} has no DNS record yet.`, found: targets };
  }
  const { host } = target;
  if (!hasTarget(target)) {
    const reason = 'The service does not know its own address: its operator can set DNS_TARGET.';
    return { status: 'unknown', reason, found: targets };
  }
  const isHere =
    (host !== undefined && (aliases ?? []).some((alias) => alias.toLowerCase() === host)) ||
    (addresses.length > 0 && addresses.every((address) => target.addresses.includes(address)));
  if (isHere) return { status: 'ok', reason: null, found: targets };
  return { status: 'other', reason: `${slug} leads to ${targets.at(-1)!.value}.`, found: targets };
}

/** Resolves to the answer of the name servers; `undefined` if none answers. */
const resolved = (question: Promise<string[]>): Promise<string[] | undefined> =>
  question.catch((error: NodeJS.ErrnoException) => (ABSENT.has(error.code ?? '') ? [] : undefined));

/** Requests the identity of a domain's server over HTTPS and HTTP. */
export async function checkReachable(https: string, http: string): Promise<Answers> {
  const [secure, plain] = await Promise.all([fetchInstallation(https), fetchInstallation(http)]);
  const certificate = certificateOf(secure);
  const answers = [secure, plain].filter(({ fault }) => fault === undefined);
  if (answers.some(({ isOurs }) => isOurs)) {
    return { reachable: { status: 'ok', reason: null }, certificate };
  }
  if (answers.length > 0) {
    return { reachable: { status: 'other', reason: 'Another server answers.' }, certificate };
  }
  return { reachable: { status: 'failed', reason: faultOf(plain.fault) }, certificate };
}

const faultOf = (fault: string | undefined): string => `The domain ${fault}.`;
const PRIVATE = faultOf(FETCH_RULES.address);

function certificateOf({ fault, code }: ServerIdentity): Findings['certificate'] {
  if (fault === undefined) return { status: 'ok', reason: null };
  if (fault !== FETCH_RULES.certificate) {
    return { status: 'unknown', reason: 'No server answers over HTTPS.' };
  }
  if (code === 'CERT_HAS_EXPIRED') {
    return { status: 'expired', reason: 'The certificate has expired.' };
  }
  return { status: 'invalid', reason: 'The certificate is not valid for this domain.' };
}

/** Result of a request for the identity of a server. */
interface ServerIdentity {
  isOurs: boolean;
  /** Reason of a failure, which completes "The domain …". */
  fault?: string;
  /** Error code of the failure, as from Node. */
  code?: string | undefined;
}

/** Requests the identity of the server at an origin. */
async function fetchInstallation(origin: string): Promise<ServerIdentity> {
  try {
    const { status, body } = await guardedFetch(`${origin}${INSTALLATION_PATH}`, {
      maxBytes: MAX_BYTES,
      overflow: 'cut',
      timeoutMs: FETCH_MS,
    });
    return { isOurs: status === 200 && installationIds().includes(body.toString('utf8').trim()) };
  } catch (error) {
    if (!(error instanceof FetchRefused)) throw error;
    const { code } = (error.cause ?? {}) as NodeJS.ErrnoException;
    return { isOurs: false, fault: error.message, code };
  }
}

export const domainCheckHandlers = handlers(domainCheckJobs, {
  /** Checks the setup of a domain, unless that was done within the last seconds. */
  async 'domain.check'(domain) {
    const cache = cacheRedis();
    const name = `domainchecks:${domain.id}:${domain.verified}`;
    const cached = await cache.get(name);
    if (cached !== null) return JSON.parse(cached) as DomainChecks;
    const checks = await checkNow(domain);
    const options = { budget: 'workspaces', seconds: KEPT_SECONDS } as const;
    await keep(cache, name, JSON.stringify(checks), options);
    return checks;
  },
});
