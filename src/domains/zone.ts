import { getDomain } from 'tldts';
import { newResolver } from '../infra/names.ts';
import { type DnsHost, dnsHostOf } from './dns-hosts.ts';
import { ABSENT } from './verify.ts';

const DNS_MS = 2_000;
/** Maximum number of names whose name servers are requested: a domain and those above it. */
const MAX_NAMES = 5;

/** The DNS zone of a domain. */
export interface Zone {
  name: string;
  nameServers: string[];
  /** Company that hosts it; `undefined` if its name servers are not recognized. */
  host: DnsHost | undefined;
}

/** Zone of a domain, or the name that lacks one. Both are absent if no name server answers. */
export interface ZoneSearch {
  zone?: Zone | undefined;
  /** Name that a registrar sells, and that has no name servers. */
  unregistered?: string | undefined;
}

/**
 * Finds the zone of a domain: the longest name with name servers, up to the name that a registrar
 * sells (https://publicsuffix.org). An alias has those of its target, so that its own are left out.
 */
export async function findZone(slug: string): Promise<ZoneSearch> {
  const resolver = newResolver(DNS_MS);
  const labels = slug.split('.');
  const registrable = getDomain(slug) ?? slug;
  const above = labels.length - registrable.split('.').length;
  const names = labels.slice(0, above + 1).map((_, n) => labels.slice(n).join('.'));
  try {
    const aliases = await orNone(resolver.resolveCname(slug));
    for (const name of names.slice(aliases.length > 0 ? 1 : 0).slice(-MAX_NAMES)) {
      const nameServers = await orNone(resolver.resolveNs(name));
      if (nameServers.length > 0) {
        return { zone: { name, nameServers, host: dnsHostOf(nameServers) } };
      }
    }
    return aliases.length > 0 ? {} : { unregistered: registrable };
  } catch {
    // Without an answer, the records are shown in their general form.
  }
  return {};
}

const orNone = (answer: Promise<string[]>): Promise<string[]> =>
  answer.catch((error: NodeJS.ErrnoException) => {
    if (ABSENT.has(error.code ?? '')) return [];
    throw error;
  });
