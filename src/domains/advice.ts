import ipaddr from 'ipaddr.js';
import { CLOUDFLARE_RANGES } from '../infra/cloudflare-ranges.ts';
import type { DomainChecks } from './check-record.ts';

/** Results of the checks without what to do. */
export type Findings = {
  [Name in 'verification' | 'dns' | 'reachable' | 'certificate']: Omit<
    DomainChecks[Name],
    'action'
  >;
};

const WAIT = 'DNS changes can take some minutes to be visible.';
const RANGES = CLOUDFLARE_RANGES.map((range) => ipaddr.parseCIDR(range));

/** Returns true for an address of Cloudflare's proxy. */
function isProxy(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  return RANGES.some((range) => parsed.kind() === range[0].kind() && parsed.match(range));
}

/** Facts about a domain apart from its checks. */
export interface Surroundings {
  /** Company that hosts its DNS; absent if it is not recognized. */
  dnsHost?: string | undefined;
  /** Its name at a registrar, if that has no name servers. */
  unregistered?: string | undefined;
  /** False if the service does not know its own address. */
  hasTarget: boolean;
}

/** Adds to the checks that do not pass what the owner of the domain can do. */
export function withActions(
  findings: Findings,
  { dnsHost, unregistered, hasTarget }: Surroundings,
) {
  const { verification, dns, reachable, certificate } = findings;
  const place = dnsHost ?? 'your DNS provider';
  const isProxied = dns.found.some(({ value }) => isProxy(value));
  const works = reachable.status === 'ok';
  return {
    verification: { ...verification, action: verificationAction() },
    dns: { ...dns, action: dnsAction() },
    reachable: { ...reachable, action: reachableAction() },
    certificate: { ...certificate, action: certificateAction() },
  };

  function verificationAction(): string | null {
    if (verification.status !== 'missing') return null;
    return registration() ?? `Add the TXT record at ${place}. ${WAIT}`;
  }

  function dnsAction(): string | null {
    if (dns.status === 'missing') {
      return registration() ?? `Add the record of the domain at ${place}. ${WAIT}`;
    }
    if (dns.status !== 'other') return null;
    if (works) return 'Nothing to do: this service answers, behind the other server.';
    if (isProxied) return 'Set “Proxy status” to “DNS only” at Cloudflare.';
    return `At ${place}, delete the other A, AAAA and CNAME records of this name, and add the one shown here.`;
  }

  function reachableAction(): string | null {
    if (reachable.status === 'other') {
      return dns.status === 'ok'
        ? 'Ask your administrator: the proxy in front of the service must forward this domain.'
        : dnsFirst();
    }
    if (reachable.status !== 'failed') return null;
    return dns.status === 'ok'
      ? 'Ask your administrator: the server does not answer from the internet.'
      : dnsFirst();
  }

  /** A record that could not be checked is not known to be wrong. */
  function dnsFirst(): string | null {
    if (dns.status !== 'unknown') return 'Correct the DNS record first.';
    return hasTarget
      ? null
      : 'Ask your administrator to set DNS_TARGET, so that the DNS record can be checked.';
  }

  function registration(): string | undefined {
    if (dns.status !== 'missing' || unregistered === undefined) return undefined;
    return `${unregistered} has no name servers: check the spelling, or register it.`;
  }

  function certificateAction(): string | null {
    if (certificate.status === 'ok' || !(works || dns.status === 'ok')) return null;
    if (certificate.status === 'expired') {
      return 'Ask your administrator to renew the certificate of this domain.';
    }
    if (!works) return null;
    return 'Wait some minutes for the certificate. If it does not come, ask your administrator to add one for this domain.';
  }
}
