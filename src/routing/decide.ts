import { isMeantAsGs1, isValidPath } from '../infra/gs1/digital-link.ts';
import { leadsToOneOf } from '../infra/hosts.ts';
import { parseUrl, urlsIn } from '../infra/url.ts';
import { fillIn } from '../infra/url-template.ts';
import type { DisplayPage } from '../lookup/display-page.ts';
import type {
  DomainEntry,
  Entries,
  LinkCard,
  LinkEntry,
  PageEntry,
  QueryConflict,
  ServiceEntry,
  SplitVariant,
} from '../lookup/entry.ts';
import { matches } from './conditions.ts';
import type { Facts } from './facts.ts';
import { merge } from './query.ts';
import { chooseLink, readResolverRequest } from './resolver.ts';

/** The record that a visit is counted for. */
export interface Visited {
  projectId: string;
  /** Empty for the root of a domain. */
  linkId: string;
}

/** The members of all decisions that are visits of the link. */
interface VisitDecision {
  /** URL of the redirect or of the page, which events have as the destination. */
  destination: string;
  /** Part of the link that has the destination for this visitor; absent for the link's own. */
  target?: Target;
  /** Name of the variant that an A/B test chose. */
  variant?: string;
  via: 'link' | 'qr';
  /** `undefined` for the service's own domain, whose visits belong to no workspace. */
  visited: Visited | undefined;
}

/** A destination for certain visitors, and the part of the link that has it. */
interface Target {
  url: string;
  by: 'rule' | 'ios' | 'android' | 'geo';
  /** Position of the rule, from 0. */
  rule?: number;
}

/** The answer to a visitor. */
export type Decision =
  | ({ kind: 'redirect'; status: 301 | 302 | 307 | 308 } & VisitDecision)
  | ({ kind: 'frame'; title: string | undefined } & VisitDecision)
  | ({ kind: 'display'; page: DisplayPage } & VisitDecision)
  | ({ kind: 'resolve'; status: 301 | 302 | 307 | 308; page: DisplayPage } & VisitDecision)
  /** The list of links of a GS1 Digital Link. */
  | { kind: 'linkset'; page: DisplayPage; isForPeople: boolean }
  /** A GS1 Digital Link without a link of the requested type; one above it may have such a link. */
  | { kind: 'unresolved'; page: DisplayPage }
  /** A GS1 Digital Link that is not valid. */
  | { kind: 'badRequest' }
  /** A transparent pixel, a visit without a redirect. */
  | ({ kind: 'pixel' } & VisitDecision)
  /** The same pixel where there is no link to visit. */
  | { kind: 'blankPixel' }
  /** A redirect to the image of the QR code of the link. */
  | { kind: 'qrCode' }
  /** A redirect that does not count as a visit of the link. */
  | { kind: 'otherUrl'; reason: 'expired' | 'notFound'; destination: string }
  /** A redirect to the public statistics of the link. */
  | { kind: 'stats' }
  /** A redirect to the link itself, which shows the page before its destination again. */
  | { kind: 'restart' }
  | { kind: 'before'; page: PageEntry; isMandatory: boolean; visited: Visited }
  | { kind: 'ownersPage'; url: string; isMandatory: boolean }
  | { kind: 'password' }
  | { kind: 'card'; card: LinkCard; destination: string }
  | { kind: 'preview'; link: LinkEntry; destination: string }
  /** A page from which a browser opens the link itself. */
  | { kind: 'office' }
  | { kind: 'notStarted'; startsAt: number }
  /** The root of the service's own domain, if it has no target. */
  | { kind: 'home' }
  | { kind: 'notFound' }
  | { kind: 'expired' }
  /** The operator blocks the link or the host of its destination. */
  | { kind: 'blocked' };

/** Decides the answer to a visitor. */
export function decide({ domain, link }: Entries, facts: Facts): Decision {
  if (facts.isRoot) return decideRoot(domain, facts);
  if (facts.asks === 'stats') return { kind: link?.hasPublicStats === true ? 'stats' : 'notFound' };
  if (facts.asks === 'qrCode') return { kind: link === null ? 'notFound' : 'qrCode' };
  if (facts.asks === 'track') return decidePixel(link, facts);
  if (facts.passed === 'outdated') return { kind: 'restart' };
  return decideLink(link, domain, facts);
}

/**
 * Decides a request for a key. The order of the checks is the rule; `docs/redirects.md` describes
 * it.
 */
function decideLink(link: LinkEntry | null, domain: DomainEntry, facts: Facts): Decision {
  if (link === null) return decideNotFound(domain, facts);
  if (link.startsAt !== undefined && link.startsAt > facts.now) {
    return { kind: 'notStarted', startsAt: link.startsAt };
  }
  if (link.expiresAt !== undefined && link.expiresAt <= facts.now) return expired(link, domain);
  if (link.passwordHash !== undefined && !facts.isUnlocked) return { kind: 'password' };
  const before = pageBefore(link, facts);
  // The destination stays secret until the form has been submitted.
  if (before?.isMandatory === true) return before;
  const { page } = link;
  const destination =
    page === undefined ? withPath(link.destination, facts.rest) : link.destination;
  if (facts.asks === 'preview') return { kind: 'preview', link, destination };
  if (link.card !== undefined && facts.isCrawler) {
    return { kind: 'card', card: link.card, destination };
  }
  return before ?? decideDestination(link, facts);
}

/** Decides a request for a pixel, which counts if the link leads to its destination now. */
function decidePixel(link: LinkEntry | null, { now }: Facts): Decision {
  const isOpen =
    link !== null &&
    (link.startsAt === undefined || link.startsAt <= now) &&
    (link.expiresAt === undefined || link.expiresAt > now);
  if (!isOpen) return { kind: 'blankPixel' };
  const { id: linkId, projectId, destination } = link;
  return { kind: 'pixel', destination, via: 'link', visited: { projectId, linkId } };
}

/** Decides for a link whose visits are used up: once it has begun, like an expired link. */
export function decideUsedUp(decision: Decision, link: LinkEntry, domain: DomainEntry): Decision {
  if (decision.kind === 'pixel' || decision.kind === 'blankPixel') return { kind: 'blankPixel' };
  return decision.kind === 'notStarted' ? decision : expired(link, domain);
}

/** Replaces a decision if the operator blocks the link or the host of its destination. */
export function decideBlocked(
  decision: Decision,
  link: LinkEntry | null,
  { hosts, links }: Pick<ServiceEntry, 'hosts' | 'links'>,
): Decision {
  if (link !== null && links.has(link.id)) return { kind: 'blocked' };
  if (hosts.size === 0) return decision;
  const isBlocked = urlsOf(decision).some((url) => leadsToOneOf(url, hosts));
  return isBlocked ? { kind: 'blocked' } : decision;
}

/**
 * Replaces a redirect to the destination for Microsoft Office. It opens the last of all redirects in
 * a browser, which would never visit the link.
 */
export function decideForOffice(decision: Decision, { isOffice }: Facts): Decision {
  const isRedirect = ['redirect', 'resolve', 'ownersPage'].includes(decision.kind);
  return isOffice && isRedirect ? { kind: 'office' } : decision;
}

function urlsOf(decision: Decision): string[] {
  if (decision.kind === 'ownersPage') return [decision.url];
  if ('page' in decision && decision.kind !== 'before') {
    const urls = urlsIn(decision.page).map(([, url]) => url);
    return 'destination' in decision ? [decision.destination, ...urls] : urls;
  }
  return 'destination' in decision ? [decision.destination] : [];
}

/** Decides a request for the root of a domain. */
function decideRoot(domain: DomainEntry, facts: Facts): Decision {
  if (domain.target === undefined) {
    return domain.projectId === '' ? { kind: 'home' } : decideNotFound(domain, facts);
  }
  const { url: destination, via } = finalUrl(domain.target, facts.query);
  const visited = domain.projectId === '' ? undefined : { projectId: domain.projectId, linkId: '' };
  return domain.isFramed === true && canFrame(destination, facts)
    ? { kind: 'frame', title: undefined, destination, via, visited }
    : { kind: 'redirect', status: 302, destination, via, visited };
}

/** Decides a request for an unknown key, and for the root of a domain without a target. */
function decideNotFound({ notFoundUrl }: DomainEntry, facts: Facts): Decision {
  if (notFoundUrl === undefined && isMeantAsGs1(facts.path) && !isValidPath(facts.path)) {
    return { kind: 'badRequest' };
  }
  const url = notFoundUrl === undefined ? undefined : fillIn(notFoundUrl, facts);
  return otherUrl(url === undefined || isRequested(url, facts) ? undefined : url, 'notFound');
}

/** True for the requested URL itself, to which a redirect would never end. */
function isRequested(url: string, { host, path }: Facts): boolean {
  const { hostname, pathname } = parseUrl(url) ?? {};
  return hostname === host && pathname === `/${path}`;
}

const expired = (link: LinkEntry, domain: DomainEntry) =>
  otherUrl(link.expiredUrl ?? domain.expiredUrl, 'expired');

function otherUrl(url: string | undefined, reason: 'expired' | 'notFound'): Decision {
  return url === undefined ? { kind: reason } : { kind: 'otherUrl', reason, destination: url };
}

function pageBefore(
  link: LinkEntry,
  { page, passed }: Facts,
): Extract<Decision, { kind: 'before' | 'ownersPage' }> | undefined {
  const { before } = link;
  if (before === undefined || passed === 'submitted') return undefined;
  const isOurs = 'pageId' in before;
  // A deleted page cannot be shown, and a form without questions cannot be filled in.
  if (isOurs && page === undefined) return undefined;
  const hasForm = !isOurs || (page?.fields?.length ?? 0) > 0;
  const isMandatory = link.isFormMandatory === true && hasForm;
  if (passed === 'seen' && !isMandatory) return undefined;
  if (!isOurs) return { kind: 'ownersPage', url: before.url, isMandatory };
  const visited = { projectId: link.projectId, linkId: link.id };
  return { kind: 'before', page: page!, isMandatory, visited };
}

function decideDestination(link: LinkEntry, facts: Facts): Decision {
  const visited = { projectId: link.projectId, linkId: link.id };
  const target = targetOf(link, facts);
  if (link.page !== undefined) {
    if (link.page.resolver !== undefined) return decideResolver(link, link.page, target, facts);
    const { destination, page } = link;
    if (target === undefined) return { kind: 'display', page, destination, via: 'qr', visited };
  }
  const variant = target === undefined ? variantOf(link, facts) : undefined;
  const chosen = target?.url ?? variant?.url ?? link.destination;
  const { url, via } = finalUrl(
    withPath(chosen, facts.rest),
    facts.query,
    link.dropsQuery !== true,
    link.queryConflict ?? facts.queryConflict,
  );
  const destination = facts.clickId === undefined ? url : withClickId(url, facts.clickId, facts);
  // Only the exact destination has been checked for whether it may be framed.
  const isFramed =
    facts.rest === '' && link.framed?.includes(chosen) === true && canFrame(destination, facts);
  const decision: Decision = isFramed
    ? { kind: 'frame', title: link.title, destination, via, visited }
    : { kind: 'redirect', status: link.status ?? 302, destination, via, visited };
  if (target !== undefined) decision.target = target;
  if (variant !== undefined) decision.variant = variant.name;
  return decision;
}

/** Decides for a GS1 Digital Link: the list of its links, or a redirect to one of them. */
function decideResolver(
  link: LinkEntry,
  page: DisplayPage,
  target: Target | undefined,
  facts: Facts,
): Decision {
  const request = readResolverRequest(facts);
  const isPart = facts.asks === 'link' && facts.rest !== '';
  if (isPart && !isValidPath(facts.path)) return { kind: 'badRequest' };
  if (request.isForLinkset) return { kind: 'linkset', page, isForPeople: request.isForPeople };
  const chosen = request.type === '' ? target : undefined;
  const to = chosen?.url ?? chooseLink(page.resolver!.links, request)?.url;
  if (to === undefined) return { kind: 'unresolved', page };
  const winner = link.queryConflict ?? facts.queryConflict;
  const { url, via } = finalUrl(to, request.query, link.dropsQuery !== true, winner);
  const destination = facts.clickId === undefined ? url : withClickId(url, facts.clickId, facts);
  const visited = { projectId: link.projectId, linkId: link.id };
  const decision: Decision = {
    kind: 'resolve',
    status: link.status ?? 307,
    page,
    destination,
    via,
    visited,
  };
  if (chosen !== undefined) decision.target = chosen;
  return decision;
}

/**
 * Chooses a visitor's variant in a running test: the one whose range between 0 and 100 contains the
 * visitor's place.
 */
function variantOf({ id, split }: LinkEntry, facts: Facts): SplitVariant | undefined {
  if (split === undefined || (split.until !== undefined && split.until <= facts.now)) {
    return undefined;
  }
  let rest = 100 * facts.placeIn(id);
  return split.variants.find(({ percentage }) => (rest -= percentage) < 0);
}

/** Destination by rules, device or country; `undefined` if none matches. */
function targetOf({ rules, ios, android, geo }: LinkEntry, facts: Facts): Target | undefined {
  if (rules !== undefined) {
    const at = rules.findIndex((one) => matches(one, facts));
    if (at >= 0) return { url: rules[at]!.url, by: 'rule', rule: at };
  }
  if (ios !== undefined && facts.platform === 'ios') return { url: ios, by: 'ios' };
  if (android !== undefined && facts.platform === 'android') return { url: android, by: 'android' };
  const url = geo?.[facts.traits.country];
  return url === undefined ? undefined : { url, by: 'geo' };
}

/** Browsers block a plain http page in a frame of an https page. */
const canFrame = (destination: string, { isSecure }: Facts): boolean =>
  isWeb(destination) && (!isSecure || /^https:/i.test(destination));

/** URL of a redirect, and how the short link was opened. */
interface FinalUrl {
  url: string;
  /** `qr` if the short link came from its QR code (`?qr=1`). */
  via: 'link' | 'qr';
}

/**
 * Adds the visitor's query parameters to the destination.
 *
 * @param destination an absolute URL; only http and https URLs take parameters
 * @param query raw query of the request, without its question mark
 * @param isPassedOn false if the owner does not want the query passed on
 * @param winner whose parameters stay where both sides have one of the same name
 */
export function finalUrl(
  destination: string,
  query: string,
  isPassedOn = true,
  winner: QueryConflict = 'visitor',
): FinalUrl {
  if (query === '') return { url: destination, via: 'link' };
  const parts = query.split('&');
  const passedOn = parts.filter((part) => part !== 'qr=1');
  const via = passedOn.length === parts.length ? 'link' : 'qr';
  if (!isPassedOn || passedOn.every((part) => part === '') || !isWeb(destination)) {
    return { url: destination, via };
  }
  return { url: merge(destination, passedOn, winner), via };
}

/**
 * Sets a parameter in the destination's query, replacing any of the same name; app URLs are
 * returned unchanged.
 */
export function withParameter(destination: string, name: string, value: string): string {
  return isWeb(destination)
    ? merge(destination, [`${name}=${encodeURIComponent(value)}`], 'visitor')
    : destination;
}

/** Placeholders of Dub for the click's id, also percent-encoded. */
const DUB_PLACEHOLDER = /(?:\{|%7b)dub_(?:click_)?id(?:\}|%7d)/gi;
/** Parameter of Dub that asks for `client_reference_id`, which payment links of Stripe pass on. */
const DUB_REFERENCE = /(?<=[?&])dub_client_reference_id=1(?:&|(?=#|$))/;

/** Adds the click's id to a destination, in the way that the workspace has chosen. */
function withClickId(destination: string, id: string, { clickIdParameter }: Facts): string {
  if (clickIdParameter === 'click_id') return withParameter(destination, 'click_id', id);
  const filled = destination.replace(DUB_PLACEHOLDER, id);
  if (!DUB_REFERENCE.test(filled)) return withParameter(filled, 'dub_id', id);
  return withParameter(filled, 'client_reference_id', `dub_id_${id}`).replace(DUB_REFERENCE, '');
}

/** Appends a path to that of the destination; app URLs are returned unchanged. */
function withPath(destination: string, path: string): string {
  if (path === '' || !isWeb(destination)) return destination;
  const end = destination.search(/[?#]|$/);
  return destination.slice(0, end).replace(/\/$/, '') + path + destination.slice(end);
}

const isWeb = (url: string): boolean => /^https?:/i.test(url);
