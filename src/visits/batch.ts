import type { Visit } from './visit.ts';

/*
 * Encoding of a batch of visits in its job. Most values repeat within a batch: user agents and
 * referrers are in a table of texts, links in another table, and a visit refers to both by index.
 * Times are relative to the first visit. The result is JSON, since jobs are. In batches of 250 and
 * 30 visits of random links, a visit takes 167 and 265 bytes instead of 404.
 *
 * Batches of releases before 0.6 are arrays of visits, and must stay readable forever: a queue may
 * hold jobs of the previous release, and dead letters those of any.
 */

/** A batch of visits, version 1. */
export interface VisitBatch {
  v: 1;
  /** Time of the first visit, in ms since 1970. */
  at: number;
  texts: string[];
  /**
   * For each link: the indexes of project and domain in `texts`, then link id, key and destination.
   */
  links: (string | number)[];
  /**
   * For each visit: id, relative time, address, index of its link, indexes of user agent and
   * referrer, `via`, extra or 0.
   */
  visits: (string | number | Extra)[];
}

/** Properties that not all visits have. */
const EXTRAS = [
  'suspect',
  'variant',
  'clickId',
  'wantsPrivacy',
  'countsOnly',
  'view',
  'lead',
] as const;
/**
 * The properties of a visit that not all have. Hints, which many visits share, are an index in
 * `texts`; releases that do not know them ignore it.
 */
type Extra = Pick<Visit, (typeof EXTRAS)[number]> & { hints?: number };

const LINK_WIDTH = 5;
const VISIT_WIDTH = 8;
const VIA = ['link', 'qr'] as const;

/** Encodes visits for a job. */
export function encodeVisits(visits: readonly Visit[]): VisitBatch {
  const batch: VisitBatch = { v: 1, at: visits[0]?.at ?? 0, texts: [], links: [], visits: [] };
  const places = new Map<string, number>();
  /** The index of each link, and an earlier visit of it, by link id. */
  const links = new Map<string, { place: number; visit: Visit }>();
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
    const earlier = links.get(linkId);
    if (earlier !== undefined && isSameLink(earlier.visit, visit)) return earlier.place;
    const { length } = batch.links;
    batch.links.push(placeOf(projectId), placeOf(domain), linkId, key, destination);
    const place = length / LINK_WIDTH;
    links.set(linkId, { place, visit });
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
      VIA.indexOf(visit.via),
      extraOf(visit, placeOf),
    );
  }
  return batch;
}

const isSameLink = (one: Visit, other: Visit): boolean =>
  one.destination === other.destination &&
  one.key === other.key &&
  one.domain === other.domain &&
  one.projectId === other.projectId;

function extraOf(visit: Visit, placeOf: (text: string) => number): Extra | 0 {
  let extra: Extra | 0 = 0;
  for (const name of EXTRAS) {
    if (visit[name] !== undefined) extra = { ...(extra === 0 ? {} : extra), [name]: visit[name] };
  }
  if (visit.hints === undefined) return extra;
  return { ...(extra === 0 ? {} : extra), hints: placeOf(visit.hints) };
}

/** Counts the visits of a job without decoding them. */
export function countVisits(data: VisitBatch | readonly Visit[]): number {
  if (typeof data === 'object' && data !== null && 'v' in data) {
    return Math.ceil(data.visits.length / VISIT_WIDTH);
  }
  return Array.isArray(data) ? data.length : 1;
}

/**
 * Decodes the visits of a job of this release or an earlier one. Invalid contents are returned
 * unchanged, and the recorder reports them.
 *
 * @throws Error for an unknown version, so that the job waits for the release that can read it
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
      via: VIA[way]!,
      ...(extra === 0 ? {} : propertiesOf(extra, texts)),
    });
  }
  return visits;
}

const propertiesOf = ({ hints, ...others }: Extra, texts: readonly string[]): Partial<Visit> =>
  hints === undefined ? others : { ...others, hints: texts[hints]! };
