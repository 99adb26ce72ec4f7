import type { DisplayPage, DomainEntry, LinkEntry } from '../lookup/entry.ts';
import { finalUrl } from './destination.ts';

/** What a visitor gets. */
export type Decision =
  | {
      kind: 'redirect';
      reason: 'link' | 'root' | 'expired';
      destination: string;
      via: 'link' | 'qr';
      /** Whose visit it is, where it may count. */
      visited: { projectId: string; linkId: string } | undefined;
    }
  | {
      kind: 'display';
      page: DisplayPage;
      /** Where the page stands; what its events name as destination. */
      destination: string;
      via: 'link' | 'qr';
      visited: { projectId: string; linkId: string };
    }
  | { kind: 'page'; reason: 'notFound' | 'expired' | 'protected' };

const NOT_FOUND: Decision = { kind: 'page', reason: 'notFound' };
const EXPIRED: Decision = { kind: 'page', reason: 'expired' };
const PROTECTED: Decision = { kind: 'page', reason: 'protected' };

/**
 * What becomes of a request for a key. The order of the rules is their documentation.
 *
 * @param query raw query of the request, without its question mark
 * @param now milliseconds since 1970
 */
export function decideLink(
  link: LinkEntry | null,
  domain: DomainEntry,
  query: string,
  now: number,
): Decision {
  if (link === null) return NOT_FOUND;
  if (link.expiresAt !== undefined && link.expiresAt <= now) {
    const elsewhere = link.expiredUrl ?? domain.expiredUrl;
    return elsewhere === undefined ? EXPIRED : sendElsewhere(elsewhere);
  }
  if (link.passwordHash !== undefined) return PROTECTED;
  const visited = { projectId: link.projectId, linkId: link.id };
  if (link.page !== undefined) {
    const { destination, page } = link;
    return { kind: 'display', page, destination, via: 'qr', visited };
  }
  const { url, via } = finalUrl(link.destination, query);
  return { kind: 'redirect', reason: 'link', destination: url, via, visited };
}

/** What becomes of a request for the root of a domain. Nobody's workspace counts visits of our own domain. */
export function decideRoot(domain: DomainEntry, query: string): Decision {
  if (domain.target === undefined) return NOT_FOUND;
  const { url, via } = finalUrl(domain.target, query);
  const visited = domain.projectId === '' ? undefined : { projectId: domain.projectId, linkId: '' };
  return { kind: 'redirect', reason: 'root', destination: url, via, visited };
}

// Nobody reached what the link stands for: not a visit of it, and its parameters are not meant for this place.
function sendElsewhere(destination: string): Decision {
  return { kind: 'redirect', reason: 'expired', destination, via: 'link', visited: undefined };
}
