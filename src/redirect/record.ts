import { shortLinkOf } from '../lookup/short-link.ts';
import type { Decision, Visited } from '../routing/decide.ts';
import type { Visit } from '../visits/visit.ts';
import type { Address } from './address.ts';
import {
  isCounted,
  type VisitContext,
  type VisitDependencies,
  type VisitRequest,
  workspaceOf,
} from './facts.ts';

/**
 * Records the visit, the page view and the lead of the form. Resolves once all of them are safe.
 */
export async function recordVisit(
  decision: Decision,
  context: VisitContext,
  dependencies: VisitDependencies,
): Promise<void> {
  const { visits, leftOut } = dependencies;
  const { lead, token, visitId, facts, visitor } = context;
  const { now, clickId } = facts;
  // One id for all: if every visit counts, the click's id derives from it, and the lead names the
  // click.
  const identity = { visitId, now, entries: context.entries };
  const handedOut = clickId === undefined ? {} : { clickId };
  const atShortLink = () => ({ destination: shortLink(context), via: 'link' as const });
  const safe: Promise<void>[] = [];
  if (lead !== undefined && !visitor.isExcluded) {
    const link = context.entries.link!;
    const of = { projectId: link.projectId, linkId: link.id };
    // Bots too: nobody fills in a form by mistake.
    const visit = visitOf(context, identity, of, { ...atShortLink(), ...variantOf(decision) });
    safe.push(visits.record({ ...visit, ...handedOut, lead }));
  }
  if (!isCounted(context)) {
    // Previews get a card, and Office a page, where a person is redirected.
    const isVisit = 'visited' in decision || decision.kind === 'card' || decision.kind === 'office';
    const isRepeat = decision.kind === 'before' && token !== undefined;
    if (isVisit && !isRepeat) leftOut.add(context, workspaceOf(context.entries), now);
  } else if ('visited' in decision && decision.visited !== undefined) {
    const { visited } = decision;
    if (decision.kind !== 'before') {
      const visit = countedVisit(context, identity, visited, decision, dependencies);
      safe.push(visits.record({ ...visit, ...handedOut }));
    } else if (token === undefined) {
      const view = { pageId: decision.page.id };
      const visit = countedVisit(context, identity, visited, atShortLink(), dependencies);
      safe.push(visits.record({ ...visit, ...handedOut, view }));
    }
  }
  if (safe.length > 0) await Promise.all(safe);
}

/** Name of the test variant that the visitor got, if any. */
const variantOf = (decision: Decision): Pick<Visit, 'variant'> =>
  'variant' in decision && decision.variant !== undefined ? { variant: decision.variant } : {};

/** Key of the visited link; that of a wildcard is not in the path. */
const keyOf = ({ key, isWildcard }: Address): string => (isWildcard ? `${key}/*` : key || '_root');

/** Id, time and entries of a visit. */
export type Identity = Pick<VisitContext, 'visitId' | 'entries'> & { now: number };

/** Builds the record of a visit that counts, with the reason if it is a suspect. */
export function countedVisit(
  request: VisitRequest,
  identity: Identity,
  visited: Visited,
  destination: Pick<Visit, 'destination' | 'via' | 'variant'>,
  { suspects }: VisitDependencies,
): Visit {
  const visit = visitOf(request, identity, visited, destination);
  const { visitor } = request;
  // A pixel is of the class `bot`, and loaded by a page that a person has opened.
  if (visitor.traffic.class === 'person') {
    const suspect = suspects.reasonOf(visitor, visited, identity.now);
    if (suspect !== undefined) visit.suspect = suspect;
  }
  return visit;
}

/** Builds the record of a visit. */
function visitOf(
  { address, visitor }: VisitRequest,
  { visitId: id, now, entries }: Identity,
  { projectId, linkId }: Visited,
  { destination, via, variant }: Pick<Visit, 'destination' | 'via' | 'variant'>,
): Visit {
  const visit: Visit = {
    id,
    at: now,
    projectId,
    linkId,
    domain: visitor.host,
    key: keyOf(address),
    destination,
    ip: visitor.ip,
    userAgent: visitor.userAgent,
    referer: visitor.referer,
    via,
  };
  if (variant !== undefined) visit.variant = variant;
  if (visitor.wantsPrivacy) visit.wantsPrivacy = true;
  if (entries.link?.countsOnly === true) visit.countsOnly = true;
  if (visitor.hints !== '') visit.hints = visitor.hints;
  return visit;
}

/** The short link that is visited. */
export const shortLink = ({ visitor, address }: VisitContext): string =>
  `${shortLinkOf(visitor.host, address.key ?? '')}${address.rest ?? ''}`;
