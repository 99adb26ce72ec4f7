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

/** Adds to the checks that do not pass what the owner of the domain can do. */
export function withActions(findings: Findings, dnsHost: string | undefined) {
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
    return verification.status === 'missing' ? `Add the TXT record at ${place}. ${WAIT}` : null;
  }

  function dnsAction(): string | null {
    if (dns.status === 'missing') return `Add the record of the domain at ${place}. ${WAIT}`;
    if (dns.status !== 'other') return null;
    if (works) return 'Nothing to do: this service answers, behind the other server.';
    if (isProxied) return 'Set “Proxy status” to “DNS only” at Cloudflare.';
    return `At ${place}, delete the other A, AAAA and CNAME records of this name, and add the one shown here.`;
  }

  function reachableAction(): string | null {
    if (reachable.status === 'other') {
      return dns.status === 'ok'
        ? 'Ask your administrator: the proxy in front of the service must forward this domain.'
        : 'Correct the DNS record first.';
    }
    if (reachable.status !== 'failed') return null;
    return dns.status === 'ok'
      ? 'Ask your administrator: the server does not answer from the internet.'
      : 'Correct the DNS record first.';
  }

  function certificateAction(): string | null {
    if (certificate.status === 'ok' || !works) return null;
    return 'Wait some minutes for the certificate. If it does not come, ask your administrator to add one for this domain.';
  }
}
