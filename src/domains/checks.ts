import { isIP } from 'node:net';
import { config } from '../config.ts';
import { FETCH_RULES, FetchRefused } from '../infra/fetch-refused.ts';
import { guardedFetch } from '../infra/guarded-fetch.ts';
import { keep } from '../infra/kept.ts';
import { installationIds } from '../infra/keys.ts';
import { lookUp, newResolver } from '../infra/names.ts';
import { cacheRedis } from '../infra/redis.ts';
import { handlers } from '../queues/job.ts';
import type { DomainChecks } from './check-record.ts';
import type { CheckedDomain } from './jobs.ts';
import { domainCheckJobs } from './jobs.ts';
import { verificationRecord } from './record.ts';
import { ABSENT, hasVerificationRecord } from './verify.ts';

/** Time for which the checks of a domain are kept, in s: consoles ask again and again. */
const KEPT_SECONDS = 5;
const DNS_MS = 2_000;
const FETCH_MS = 5_000;
/** Path by which a redirect server says which installation it belongs to. */
const INSTALLATION_PATH = '/_/installation';
const MOST_BYTES = 1_024;

/** Where visitors of domains are to arrive: a host name for CNAME, addresses for A and AAAA. */
interface Target {
  host: string | undefined;
  addresses: string[];
}

/** Checks what is set of a domain, unless that was done within the last seconds. */
export async function checkDomainSetup(domain: CheckedDomain): Promise<DomainChecks> {
  const cache = cacheRedis();
  const name = `domainchecks:${domain.id}:${domain.verified}`;
  const known = await cache.get(name);
  if (known !== null) return JSON.parse(known) as DomainChecks;
  const checks = await checkNow(domain);
  await keep(cache, name, JSON.stringify(checks), {
    budget: 'workspaces',
    seconds: KEPT_SECONDS,
  });
  return checks;
}

async function checkNow(domain: CheckedDomain): Promise<DomainChecks> {
  const target = await findTarget();
  const [verification, dns] = await Promise.all([
    checkVerification(domain),
    checkDns(domain, target),
  ]);
  const answers =
    dns.found.length === 0
      ? undefined
      : await checkReachable(`https://${domain.slug}`, `http://${domain.slug}`);
  return {
    records: recordsOf(domain, target),
    verification,
    dns,
    reachable: answers?.reachable ?? { status: 'skipped', reason: null },
    certificate: answers?.certificate ?? { status: 'unknown', reason: null },
    checkedAt: new Date().toISOString(),
  };
}

/** The target of the setting, or else the name by which this installation is found. */
async function findTarget(): Promise<Target> {
  const { DNS_TARGET, DEFAULT_SHORT_DOMAIN, BASE_URL } = config();
  if (DNS_TARGET.length > 0) {
    const host = DNS_TARGET.find((one) => isIP(one) === 0);
    const addresses = DNS_TARGET.filter((one) => isIP(one) !== 0);
    return { host, addresses: addresses.length > 0 ? addresses : await addressesOf(host) };
  }
  const own = [DEFAULT_SHORT_DOMAIN, new URL(BASE_URL).hostname.replace(/^\[|\]$/g, '')];
  const name = own.find((one) => one !== 'localhost' && !one.endsWith('.localhost'));
  if (name !== undefined && isIP(name) !== 0) return { host: undefined, addresses: [name] };
  return { host: name, addresses: await addressesOf(name) };
}

/** Addresses of a name; none where it can't be resolved. */
async function addressesOf(host: string | undefined): Promise<string[]> {
  if (host === undefined) return [];
  const found = await lookUp(host).catch(() => []);
  return found.map(({ address }) => address);
}

function recordsOf(
  { slug, verified, token }: CheckedDomain,
  { host, addresses }: Target,
): DomainChecks['records'] {
  const { type, name, value } = verificationRecord(slug, token);
  const proof = { purpose: 'ownership' as const, type, name, value, isAlternative: false };
  const address = { purpose: 'address' as const, name: slug };
  const alias = { ...address, type: 'CNAME' as const, value: host ?? '', isAlternative: false };
  return [
    ...(verified ? [] : [proof]),
    ...(host === undefined ? [] : [alias]),
    ...addresses.map((value) => ({
      ...address,
      type: typeOf(value),
      value,
      isAlternative: host !== undefined,
    })),
  ];
}

const typeOf = (address: string) => (isIP(address) === 6 ? ('AAAA' as const) : ('A' as const));

async function checkVerification({
  slug,
  token,
  verified,
}: CheckedDomain): Promise<DomainChecks['verification']> {
  if (verified) return { status: 'verified', reason: null };
  try {
    if (await hasVerificationRecord(slug, token)) return { status: 'found', reason: null };
  } catch {
    return { status: 'unknown', reason: NO_NAME_SERVER };
  }
  const { name, value } = verificationRecord(slug, token);
  return {
    status: 'missing',
    reason: `There is no TXT record "${name}" with the value "${value}".`,
  };
}

const NO_NAME_SERVER = 'No name server answers for this domain.';

async function checkDns({ slug }: CheckedDomain, target: Target): Promise<DomainChecks['dns']> {
  const [aliases, addresses] = await Promise.all([
    foundBy(newResolver(DNS_MS).resolveCname(slug)),
    foundBy(lookUp(slug).then((all) => all.map(({ address }) => address))),
  ]);
  const found = [
    ...(aliases ?? []).map((value) => ({ type: 'CNAME' as const, value })),
    ...(addresses ?? []).map((value) => ({ type: typeOf(value), value })),
  ];
  if (addresses === undefined) return { status: 'unknown', reason: NO_NAME_SERVER, found };
  if (found.length === 0) {
    return { status: 'missing', reason: `${slug} has no DNS record yet.`, found };
  }
  const { host } = target;
  if (host === undefined && target.addresses.length === 0) {
    const reason = 'The service does not know its own address: its operator can set DNS_TARGET.';
    return { status: 'unknown', reason, found };
  }
  const isHere =
    (host !== undefined && (aliases ?? []).some((alias) => alias.toLowerCase() === host)) ||
    (addresses.length > 0 && addresses.every((address) => target.addresses.includes(address)));
  if (isHere) return { status: 'ok', reason: null, found };
  return { status: 'other', reason: `${slug} leads to ${found.at(-1)!.value}.`, found };
}

/** Answer of the name servers to a query; `undefined` where none answers. */
const foundBy = (question: Promise<string[]>): Promise<string[] | undefined> =>
  question.catch((error: NodeJS.ErrnoException) => (ABSENT.has(error.code ?? '') ? [] : undefined));

/** Asks the server of a domain which installation it belongs to, over HTTPS and HTTP. */
export async function checkReachable(
  https: string,
  http: string,
): Promise<Pick<DomainChecks, 'reachable' | 'certificate'>> {
  const [secure, plain] = await Promise.all([askInstallation(https), askInstallation(http)]);
  const certificate: DomainChecks['certificate'] =
    secure.fault === undefined
      ? { status: 'ok', reason: null }
      : secure.fault === FETCH_RULES.certificate
        ? { status: 'invalid', reason: 'The certificate is not valid for this domain.' }
        : { status: 'unknown', reason: 'No server answers over HTTPS.' };
  const answers = [secure, plain].filter(({ fault }) => fault === undefined);
  if (answers.some(({ isOurs }) => isOurs)) {
    return { reachable: { status: 'ok', reason: null }, certificate };
  }
  if (answers.length > 0) {
    return { reachable: { status: 'other', reason: 'Another server answers.' }, certificate };
  }
  return { reachable: { status: 'failed', reason: `The domain ${plain.fault}.` }, certificate };
}

/** Answer of the server at an origin; `fault` completes "The domain …" where there is none. */
async function askInstallation(
  origin: string,
): Promise<{ isOurs: boolean; fault: string | undefined }> {
  try {
    const { status, body } = await guardedFetch(`${origin}${INSTALLATION_PATH}`, {
      maxBytes: MOST_BYTES,
      overflow: 'cut',
      timeoutMs: FETCH_MS,
    });
    return {
      isOurs: status === 200 && installationIds().includes(body.toString('utf8').trim()),
      fault: undefined,
    };
  } catch (error) {
    if (!(error instanceof FetchRefused)) throw error;
    return { isOurs: false, fault: error.message };
  }
}

export const domainCheckHandlers = handlers(domainCheckJobs, {
  'domain.check': checkDomainSetup,
});
