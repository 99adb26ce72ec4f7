import type { Visit } from './visit.ts';

/*
 * Encoding of a batch of visits in its job. Most of what describes visits occurs many times in a batch: user agents and referrers
 * stand in a table of texts, links in one of their own, and a visit names them by their places there. Times are distances from
 * that of the first visit. The whole stays JSON, since a job is JSON. In batches of 250 and 30
 * visits of links at random, a visit takes 167 and 265 bytes instead of 404.
 *
 * Batches of releases before 0.6 are arrays of visits, and are read for ever: a queue may hold jobs of the release before, and
 * dead letters those of any.
 */

/** A batch of visits, version 1. */
export interface VisitBatch {
  v: 1;
  /** Time of the first visit, in milliseconds since 1970. */
  at: number;
  texts: string[];
  /** For each link: the places of project and domain in the texts, then link id, key and destination. */
  links: (string | number)[];
  /** For each visit: id, distance of its time, address, place of its link, of user agent and referrer, way, extra or 0. */
  visits: (string | number | Extra)[];
}

/** The properties that few visits have. */
type Extra = Pick<Visit, 'variant' | 'clickId' | 'view' | 'lead'>;

const LINK_WIDTH = 5;
const VISIT_WIDTH = 8;
const WAYS = ['link', 'qr'] as const;

/** Encodes visits for their job. */
export function encodeVisits(visits: readonly Visit[]): VisitBatch {
  const batch: VisitBatch = { v: 1, at: visits[0]?.at ?? 0, texts: [], links: [], visits: [] };
  const places = new Map<string, number>();
  /** The place of the link of an earlier visit, and that visit, by link id. */
  const known = new Map<string, { place: number; visit: Visit }>();
  const placeOf = (text: string): number => {
    let place = places.get(text);
    if (place === undefined) {
      place = batch.texts.push(text) - 1;
      places.set(text, place);
    }
    return place;
  };
  const placeOfLink = (visit: Visit): number => {
    const { projectId, linkId, domain, key, destination } = visit;
    const before = known.get(linkId);
    if (before !== undefined && isSameLink(before.visit, visit)) return before.place;
    const { length } = batch.links;
    batch.links.push(placeOf(projectId), placeOf(domain), linkId, key, destination);
    const place = length / LINK_WIDTH;
    known.set(linkId, { place, visit });
    return place;
  };
  for (const visit of visits) {
    batch.visits.push(
      visit.id,
      visit.at - batch.at,
      visit.ip,
      placeOfLink(visit),
      placeOf(visit.userAgent),
      placeOf(visit.referer),
      WAYS.indexOf(visit.via),
      extraOf(visit),
    );
  }
  return batch;
}

const isSameLink = (one: Visit, other: Visit): boolean =>
  one.destination === other.destination &&
  one.key === other.key &&
  one.domain === other.domain &&
  one.projectId === other.projectId;

function extraOf({ variant, clickId, view, lead }: Visit): Extra | 0 {
  if (variant === undefined && clickId === undefined && view === undefined && lead === undefined) {
    return 0;
  }
  return {
    ...(variant !== undefined && { variant }),
    ...(clickId !== undefined && { clickId }),
    ...(view !== undefined && { view }),
    ...(lead !== undefined && { lead }),
  };
}

/** Counts the visits of a job without decoding them. */
export function countVisits(data: VisitBatch | readonly Visit[]): number {
  if (typeof data === 'object' && data !== null && 'v' in data) {
    return Math.ceil(data.visits.length / VISIT_WIDTH);
  }
  return Array.isArray(data) ? data.length : 1;
}

/**
 * The visits of a job: of this release, or of one before it. What a job holds that is neither is handed on, for the recorder
 * to report it.
 *
 * @throws Error for a version that is unknown, so that its job waits for the release that can read it
 */
export function decodeVisits(data: VisitBatch | readonly Visit[]): readonly Visit[] {
  if (typeof data !== 'object' || data === null || !('v' in data)) return data;
  const version: number = data.v;
  if (version !== 1) throw new Error(`batches of visits of version ${version} are unknown`);
  const { at, texts, links, visits: values } = data;
  const visits: Visit[] = [];
  for (let from = 0; from < values.length; from += VISIT_WIDTH) {
    const [id, later, ip, link, userAgent, referer, way, extra] = values.slice(
      from,
      from + VISIT_WIDTH,
    ) as [string, number, string, number, number, number, number, Extra | 0];
    const first = link * LINK_WIDTH;
    const [projectId, domain, linkId, key, destination] = links.slice(
      first,
      first + LINK_WIDTH,
    ) as [number, number, string, string, string];
    visits.push({
      id,
      at: at + later,
      projectId: texts[projectId]!,
      linkId,
      domain: texts[domain]!,
      key,
      destination,
      ip,
      userAgent: texts[userAgent]!,
      referer: texts[referer]!,
      via: WAYS[way]!,
      ...(extra === 0 ? {} : extra),
    });
  }
  return visits;
}
