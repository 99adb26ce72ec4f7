import type { Visit } from '../queues/clicks.ts';
import type { Decision, Visited } from './decide.ts';
import { counts, type Request, shortLink, type Visiting, type VisitMeans } from './visiting.ts';

/** Resolves when everything about the visit is safe. */
export async function recordVisit(
  decision: Decision,
  visiting: Visiting,
  { visits }: VisitMeans,
): Promise<void> {
  const { lead, pass, visitId, facts } = visiting;
  const { now, clickId } = facts;
  // One id for both: where every visit counts, the click's follows from it, and the lead names the click.
  const own = { id: visitId, now };
  const handedOut = clickId === undefined ? {} : { clickId };
  const safe: Promise<void>[] = [];
  if (lead !== undefined) {
    const link = visiting.found.link!;
    const of = { projectId: link.projectId, linkId: link.id };
    const leads = { destination: shortLink(visiting), via: 'link' as const };
    // Kept whoever sends it: a form is not filled in by mistake.
    const visit = visitOf(visiting, own, of, leads);
    safe.push(visits.record({ ...visit, ...handedOut, lead }));
  }
  if ('visited' in decision && decision.visited !== undefined && counts(visiting)) {
    const { visited } = decision;
    if (decision.kind !== 'before') {
      safe.push(visits.record({ ...visitOf(visiting, own, visited, decision), ...handedOut }));
    } else if (pass === undefined) {
      const view = { pageId: decision.page.id };
      const leads = { destination: shortLink(visiting), via: 'link' as const };
      safe.push(visits.record({ ...visitOf(visiting, own, visited, leads), ...handedOut, view }));
    }
  }
  if (safe.length > 0) await Promise.all(safe);
}

/** What is kept of a visit that led somewhere. */
export function visitOf(
  { address, visitor }: Request,
  { id, now }: { id: string; now: number },
  { projectId, linkId }: Visited,
  { destination, via }: Pick<Visit, 'destination' | 'via'>,
): Visit {
  return {
    id,
    at: now,
    projectId,
    linkId,
    domain: visitor.host,
    key: address.key || '_root',
    destination,
    ip: visitor.ip,
    userAgent: visitor.userAgent,
    referer: visitor.referer,
    via,
  };
}
