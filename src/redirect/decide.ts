import type { DisplayPage, DomainEntry, LinkCard, LinkEntry, PageEntry } from '../lookup/entry.ts';
import type { Asks } from './address.ts';
import { finalUrl, isWeb, withParameter } from './destination.ts';
import { holds, type Traits } from './rules.ts';

/** What is known of a request when it is decided. */
export interface Facts {
  /** Milliseconds since 1970. */
  now: number;
  asks: Asks;
  /** Raw query, without its question mark. */
  query: string;
  /** The request came over https, as far as we can believe who says so. */
  isSecure: boolean;
  /** A link-preview crawler asks. */
  isCrawler: boolean;
  /** Only looked at where the link targets devices. */
  platform: 'ios' | 'android' | undefined;
  /** Only looked at where the link has rules or targets countries. */
  traits: Traits;
  /** As many visits as the link may have are counted. */
  isUsedUp: boolean;
  /** The visitor has entered the password. */
  isUnlocked: boolean;
  /** The page before the destination, where the link has one of ours and it is still there. */
  page: PageEntry | undefined;
  /** How far the visitor has come past that page. */
  passed: 'no' | 'seen' | 'submitted';
  /** To be handed on to the destination. */
  clickId: string | undefined;
}

/** Whose visit it is. */
export interface Visited {
  projectId: string;
  /** Empty for the root of a domain. */
  linkId: string;
}

/** What leads a visitor to what the link stands for, and so is a visit of it. */
interface Leading {
  /** Where the visitor is sent, or the address of the page: what its events name as destination. */
  destination: string;
  via: 'link' | 'qr';
  /** Nobody's workspace counts visits of our own domain. */
  visited: Visited | undefined;
}

/** What a visitor gets. */
export type Decision =
  | ({ kind: 'redirect'; status: 301 | 302 | 307 | 308 } & Leading)
  | ({ kind: 'frame'; title: string | undefined } & Leading)
  | ({ kind: 'display'; page: DisplayPage } & Leading)
  /** To another place than the link stands for: nobody's visit. */
  | { kind: 'elsewhere'; reason: 'expired' | 'notFound' | 'stats'; destination: string }
  | { kind: 'before'; page: PageEntry; isMandatory: boolean; visited: Visited }
  | { kind: 'ownersPage'; url: string }
  | { kind: 'password' }
  | { kind: 'card'; card: LinkCard; destination: string }
  | { kind: 'preview'; link: LinkEntry }
  | { kind: 'notStarted'; startsAt: number }
  | { kind: 'notFound' }
  | { kind: 'expired' };

/**
 * What becomes of a request for a key. The order of the rules is their documentation; `docs/redirects.md` tells it
 * in words.
 */
export function decideLink(link: LinkEntry | null, domain: DomainEntry, facts: Facts): Decision {
  if (link === null) return elsewhere(domain.notFoundUrl, 'notFound');
  if (link.startsAt !== undefined && link.startsAt > facts.now) {
    return { kind: 'notStarted', startsAt: link.startsAt };
  }
  const isExpired = link.expiresAt !== undefined && link.expiresAt <= facts.now;
  if (isExpired || facts.isUsedUp) {
    return elsewhere(link.expiredUrl ?? domain.expiredUrl, 'expired');
  }
  if (link.passwordHash !== undefined && !facts.isUnlocked) return { kind: 'password' };
  if (facts.asks === 'preview') return { kind: 'preview', link };
  if (link.card !== undefined && facts.isCrawler) {
    return { kind: 'card', card: link.card, destination: link.destination };
  }
  return pageBefore(link, facts) ?? lead(link, facts);
}

/** What becomes of a request for the root of a domain. */
export function decideRoot(domain: DomainEntry, facts: Facts): Decision {
  if (domain.target === undefined) return { kind: 'notFound' };
  const { url: destination, via } = finalUrl(domain.target, facts.query);
  const visited = domain.projectId === '' ? undefined : { projectId: domain.projectId, linkId: '' };
  return domain.isFramed === true && canFrame(destination, facts)
    ? { kind: 'frame', title: undefined, destination, via, visited }
    : { kind: 'redirect', status: 302, destination, via, visited };
}

function elsewhere(url: string | undefined, reason: 'expired' | 'notFound'): Decision {
  return url === undefined ? { kind: reason } : { kind: 'elsewhere', reason, destination: url };
}

function pageBefore(link: LinkEntry, { page, passed }: Facts): Decision | undefined {
  const { before } = link;
  if (before === undefined || passed === 'submitted') return undefined;
  const isOurs = 'pageId' in before;
  // A page that is gone can't be shown, and a form without questions can't be filled in.
  if (isOurs && page === undefined) return undefined;
  const hasForm = !isOurs || (page?.fields?.length ?? 0) > 0;
  const isMandatory = link.isFormMandatory === true && hasForm;
  if (passed === 'seen' && !isMandatory) return undefined;
  if (!isOurs) return { kind: 'ownersPage', url: before.url };
  const visited = { projectId: link.projectId, linkId: link.id };
  return { kind: 'before', page: page!, isMandatory, visited };
}

function lead(link: LinkEntry, facts: Facts): Decision {
  const visited = { projectId: link.projectId, linkId: link.id };
  const targeted = targetOf(link, facts);
  if (targeted === undefined && link.page !== undefined) {
    const { destination, page } = link;
    return { kind: 'display', page, destination, via: 'qr', visited };
  }
  const chosen = targeted ?? link.destination;
  const { url, via } = finalUrl(chosen, facts.query, link.dropsQuery !== true);
  const destination =
    facts.clickId === undefined ? url : withParameter(url, 'click_id', facts.clickId);
  if (link.framed?.includes(chosen) === true && canFrame(destination, facts)) {
    return { kind: 'frame', title: link.title, destination, via, visited };
  }
  return { kind: 'redirect', status: link.status ?? 302, destination, via, visited };
}

/** Where rules, device or country lead; `undefined`: where everybody is led. */
function targetOf(link: LinkEntry, facts: Facts): string | undefined {
  // What few links look at is worked out when it is looked at.
  if (link.rules !== undefined) {
    const rule = link.rules.find((one) => holds(one, facts));
    if (rule !== undefined) return rule.url;
  }
  if (link.ios !== undefined && facts.platform === 'ios') return link.ios;
  if (link.android !== undefined && facts.platform === 'android') return link.android;
  return link.geo?.[facts.traits.country];
}

/** Browsers show nothing of a plain http page in a frame of an https page. */
const canFrame = (destination: string, { isSecure }: Facts): boolean =>
  isWeb(destination) && (!isSecure || /^https:/i.test(destination));
