import type { Visit } from '../queues/clicks.ts';
import type { Decision } from './decide.ts';
import { counts, shortLink, type Visiting, type VisitMeans } from './visiting.ts';

/** Resolves when everything about the visit is safe. */
export async function recordVisit(
  decision: Decision,
  visiting: Visiting,
  means: VisitMeans,
): Promise<void> {
  const { visits, nextVisitId } = means;
  const { lead, pass } = visiting;
  const safe: Promise<void>[] = [];
  if (lead !== undefined) {
    const link = visiting.found.link!;
    const of = { projectId: link.projectId, linkId: link.id };
    // Kept whoever sends it: a form is not filled in by mistake.
    safe.push(visits.record({ ...visitOf(visiting, of), id: nextVisitId(), lead }));
  }
  if ('visited' in decision && decision.visited !== undefined && counts(visiting)) {
    const { visited } = decision;
    if (decision.kind !== 'before') {
      const { destination, via } = decision;
      safe.push(visits.record({ ...visitOf(visiting, visited), destination, via }));
    } else if (pass === undefined) {
      const view = { pageId: decision.page.id };
      safe.push(visits.record({ ...visitOf(visiting, visited), view }));
    }
  }
  if (safe.length > 0) await Promise.all(safe);
}

function visitOf(
  visiting: Visiting,
  { projectId, linkId }: { projectId: string; linkId: string },
): Visit {
  const { visitor, facts, address, visitId } = visiting;
  return {
    id: visitId,
    at: facts.now,
    projectId,
    linkId,
    domain: visitor.host,
    key: address.key === '' || address.key === null ? '_root' : address.key,
    destination: shortLink(visiting),
    ip: visitor.ip,
    userAgent: visitor.userAgent,
    referer: visitor.referer,
    via: 'link',
    ...(facts.clickId === undefined ? {} : { clickId: facts.clickId }),
  };
}
