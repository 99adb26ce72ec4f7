import { GROUPS } from '../analytics/groups/index.ts';
import { type Interval, resolveSpan, type Span } from '../analytics/interval.ts';
import { db } from '../infra/db.ts';

/** A link or QR code whose statistics everybody may see. */
export interface PublicRecord {
  projectId: string;
  id: string;
  event: 'click' | 'scan';
}

/** How often something of a kind came. */
export interface Share {
  value: string;
  count: number;
}

/** What is shown of the visits of one record. */
export interface Statistics {
  total: number;
  span: Span;
  times: { start: Date; count: number }[];
  countries: Share[];
  devices: Share[];
  browsers: Share[];
  referrers: Share[];
}

/**
 * The record under a public name, if its owner shows its statistics. Visitors know no workspace: this finds it, by
 * the name that is claimed.
 */
export async function findPublicRecord(
  domain: string,
  key: string,
): Promise<PublicRecord | undefined> {
  const { rows } = await db().raw<{ rows: PublicRecord[] }>(
    `SELECT c.project_id AS "projectId", c.record_id AS id,
            CASE WHEN l.id IS NULL THEN 'scan' ELSE 'click' END AS event
       FROM domains d
       JOIN claims c ON c.domain_id = d.id
       LEFT JOIN links l ON l.project_id = c.project_id AND l.id = c.record_id
       LEFT JOIN qrcodes q ON q.project_id = c.project_id AND q.id = c.record_id
      WHERE d.slug = :domain AND (d.verified OR d.project_id IS NULL) AND c.key = :key
        AND coalesce(l.public_stats, q.public_stats)`,
    { domain, key },
  );
  return rows[0];
}

/** Counts the visits of a record, in UTC. */
export async function readStatistics(
  { projectId, id, event }: PublicRecord,
  interval: Interval,
): Promise<Statistics> {
  const span = await resolveSpan(projectId, { interval, timezone: 'UTC' });
  const filter = { records: [id], conditions: '', bindings: { records: [id] } };
  const question = { projectId, span, filter, events: [event] };
  const name = event === 'click' ? 'clicks' : 'scans';
  type Row = Record<string, string> & Record<typeof name, number>;
  const shares = async (
    group: 'countries' | 'devices' | 'browsers' | 'referers',
    field: string,
  ) => {
    const rows = (await GROUPS[group].ask(question)) as Row[];
    return rows.map((row) => ({ value: row[field]!, count: row[name] }));
  };
  const [times, countries, devices, browsers, referrers] = await Promise.all([
    GROUPS.timeseries.ask(question) as Promise<Row[]>,
    shares('countries', 'country'),
    shares('devices', 'device'),
    shares('browsers', 'browser'),
    shares('referers', 'referer'),
  ]);
  return {
    total: times.reduce((sum, row) => sum + row[name], 0),
    span,
    times: times.map((row) => ({ start: new Date(row['start']!), count: row[name] })),
    countries,
    devices,
    browsers,
    referrers,
  };
}
