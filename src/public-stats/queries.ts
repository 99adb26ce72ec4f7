import type { DimensionName } from '../events/dimensions.ts';
import { pluralOf, type VisitKind, visitKindOf } from '../events/kinds.ts';
import { resolveSpan } from '../events/query/interval.ts';
import { countedTraffic } from '../events/query/traffic.ts';
import type { Interval, Span } from '../events/span.ts';
import { eventsStore } from '../events/store/index.ts';
import { db, rows } from '../infra/db.ts';
import { claimsNamed, spellingsOf } from '../short-links/claims.ts';

/** A link or QR code with public statistics. */
export interface PublicRecord {
  projectId: string;
  id: string;
  event: VisitKind;
}

/** Number of visits with one value of a dimension. */
export interface Share {
  value: string;
  count: number;
}

/** Statistics of the visits of one record. */
export interface Statistics {
  total: number;
  span: Span;
  times: { start: Date; count: number }[];
  countries: Share[];
  devices: Share[];
  browsers: Share[];
  referrers: Share[];
  sources: Share[];
}

/**
 * Finds a record by its short link, if its owner publishes its statistics. This query names no
 * workspace, since visitors know none.
 */
export async function findPublicRecord(
  domain: string,
  key: string,
): Promise<PublicRecord | undefined> {
  const [row] = await rows<{ projectId: string; id: string }>(
    db(),
    `SELECT c.project_id AS "projectId", c.record_id AS id
       FROM domains d
       CROSS JOIN LATERAL ${claimsNamed(':')} AS c
       LEFT JOIN links l ON l.project_id = c.project_id AND l.id = c.record_id
       LEFT JOIN qrcodes q ON q.project_id = c.project_id AND q.id = c.record_id
      WHERE d.slug = :domain AND (d.verified OR d.project_id IS NULL) AND c.free_at IS NULL
        AND coalesce(l.public_stats, q.public_stats)
      ORDER BY c.key = :key DESC`,
    { domain, key, ...spellingsOf(key) },
  );
  return row === undefined ? undefined : { ...row, event: visitKindOf(row.id) };
}

/** Reads the statistics of a record's visits, in UTC. */
export async function readStatistics(
  { projectId, id, event }: PublicRecord,
  interval: Interval,
): Promise<Statistics> {
  const span = await resolveSpan(projectId, { interval, timezone: 'UTC' });
  const filter = { records: [id], traffic: await countedTraffic(projectId) };
  const question = { projectId, span, filter, events: [event] };
  const name = pluralOf(event);
  const shares = async (dimension: DimensionName): Promise<Share[]> => {
    const counted = await eventsStore().countByValue(question, dimension);
    return counted.map(({ value, numbers }) => ({ value, count: numbers[name]! }));
  };
  const countTimes = async () => {
    const counted = await eventsStore().countByTime(question);
    return counted.map(({ start, numbers }) => ({ start, count: numbers[name]! }));
  };
  const [times, countries, devices, browsers, referrers, sources] = await Promise.all([
    countTimes(),
    shares('country'),
    shares('device'),
    shares('browser'),
    shares('referer'),
    shares('source'),
  ]);
  return {
    total: times.reduce((sum, { count }) => sum + count, 0),
    span,
    times,
    countries,
    devices,
    browsers,
    referrers,
    sources,
  };
}
