import { setTimeout as delay } from 'node:timers/promises';
import { type Knex, rows } from '../../src/infra/db.ts';
import type { Tally } from '../support/traffic.ts';
import type { Write } from './mixed-writes.ts';
import { delivered } from './reconcile.ts';
import type { Deliveries } from './traffic.ts';

/** A service and the answers that its clients received. */
export interface Told {
  db: Knex;
  projectId: string;
  apiUrl: string;
  apiKey: string;
  visits: Tally;
  writes: readonly Write[];
  deliveries: Deliveries;
  /** Keys of links with clicks that are sent to a webhook. */
  hookedKeys: readonly string[];
  /** If false, deliveries are not compared. */
  isWithDeliveries: boolean;
}

/** Differences between answers and tables, as sentences. */
export interface Findings {
  visitsLost: string[];
  visitsDoubled: string[];
  writesLost: string[];
  writesDoubled: string[];
  refusedButDone: string[];
  conversionsRefused: string[];
  /** Numbers that should be equal but are not: counters, groups, series. */
  unequal: string[];
}

function isoAfter(ms: number): string {
  return new Date(Date.now() + ms).toISOString();
}

/** Returns true if no answer and table differ. */
export const isWell = (findings: Findings): boolean =>
  Object.values(findings).every(({ length }) => length === 0);

/** Analytics groups whose rows must add up to all clicks. */
const GROUPS = [
  'continents',
  'countries',
  'cities',
  'devices',
  'browsers',
  'os',
  'referers',
  'referer_urls',
  'top_links',
  'top_urls',
];
const EVERY_MS = 1_000;
const DAY_MS = 86_400_000;
/** Period of everything that a run can store, also with a wrong clock. */
const SPAN = `start=${isoAfter(-2 * DAY_MS)}&end=${isoAfter(60 * DAY_MS)}`;

const isConversion = ({ kind }: Write) => kind === 'sale' || kind === 'lead';
const show = ({ name, kind, status, sentAt, answeredAt, job, error }: Write) =>
  `${kind} ${name}: ${status || 'no answer'}, sent at ${sentAt} s, answered at ${answeredAt} s` +
  (job === undefined ? '' : `, ${job}`) +
  (error === undefined ? '' : `: ${error}`);

/** Outcome of a job named by a 202. */
type JobEnd = { isDone: true } | { isDone: false; error: string };

/** Reads the jobs of all 202 answers until each has ended. */
async function jobsOf(
  { writes, apiUrl, apiKey }: Told,
  until: number,
): Promise<Map<Write, JobEnd>> {
  const ends = new Map<Write, JobEnd>();
  for (const write of writes) {
    if (write.status !== 202) continue;
    for (;;) {
      const answer = await fetch(apiUrl + write.job!, {
        headers: { authorization: `Bearer ${apiKey}` },
      }).catch(() => undefined);
      const body = (await answer?.json().catch(() => undefined)) as
        | { status?: string; error?: { code: string; message: string } }
        | undefined;
      if (body?.status === 'done') {
        ends.set(write, { isDone: true });
        break;
      }
      if (body?.status === 'failed') {
        ends.set(write, { isDone: false, error: `${body.error?.code}: ${body.error?.message}` });
        break;
      }
      if (Date.now() > until) {
        const error = `job: ${answer?.status ?? 'no answer'} ${body?.status ?? ''}`;
        ends.set(write, { isDone: false, error });
        break;
      }
      await delay(EVERY_MS);
    }
  }
  return ends;
}

/**
 * Counts the stored effects of each write by its name, and lists the ids of deleted links that
 * still exist.
 */
async function effectsOf({ db, projectId }: Told): Promise<{
  links: Map<string, number>;
  events: Map<string, number>;
  ids: Set<string>;
}> {
  const counted = async (sql: string) => {
    const all = await rows<{ name: string; count: number }>(db, sql, [projectId]);
    return new Map(all.map(({ name, count }) => [name, count]));
  };
  const [links, events, ids] = await Promise.all([
    counted(
      `SELECT comments AS name, count(*) FROM links
        WHERE project_id = ? AND comments LIKE 'write-%' GROUP BY 1`,
    ),
    // The first sale of a customer with a click also records a lead.
    counted(
      `SELECT event || ' ' || (metadata->>'name') AS name, count(*) FROM events
        WHERE project_id = ? AND event IN ('lead', 'sale') AND metadata->>'name' IS NOT NULL GROUP BY 1`,
    ),
    rows<{ id: string }>(db, 'SELECT id FROM links WHERE project_id = ?', [projectId]),
  ]);
  return { links, events, ids: new Set(ids.map(({ id }) => id)) };
}

async function compareWrites(told: Told, ends: Map<Write, JobEnd>): Promise<Partial<Findings>> {
  const { links, events, ids } = await effectsOf(told);
  const writesLost: string[] = [];
  const writesDoubled: string[] = [];
  const refusedButDone: string[] = [];
  const conversionsRefused: string[] = [];
  for (const write of told.writes) {
    const { name, kind, target, status, records } = write;
    const end = ends.get(write);
    const isDelete = kind === 'delete';
    const count = isDelete
      ? Number(!ids.has(target!))
      : isConversion(write)
        ? (events.get(`${kind} ${name}`) ?? 0)
        : (links.get(name) ?? 0);
    const failure = end !== undefined && !end.isDone ? ` → ${end.error}` : '';
    // A refusal by the job is an answer too, except the one for an unknown job.
    const isRefusedByJob = failure !== '' && !failure.startsWith(' → job:');
    const isPromised = status >= 200 && status < 300 && !isRefusedByJob;
    if (isPromised && count < records) writesLost.push(show(write) + failure);
    if (count > records) writesDoubled.push(`${show(write)}: ${count} instead of ${records}`);
    const isRefused = isRefusedByJob || status >= 400;
    if (isRefused && count > 0) refusedButDone.push(show(write) + failure);
    const isNotFound = status === 404 || failure.includes('not_found');
    if (isConversion(write) && isNotFound) conversionsRefused.push(show(write) + failure);
  }
  return { writesLost, writesDoubled, refusedButDone, conversionsRefused };
}

async function compareVisits({ db, projectId, visits }: Told): Promise<Partial<Findings>> {
  const stored = await rows<{ name: string; count: number }>(
    db,
    `SELECT substr(referer_url, length('https://visitor.example/') + 1) AS name, count(*)
       FROM events WHERE project_id = ? AND event = 'click' GROUP BY 1`,
    [projectId],
  );
  const counts = new Map(stored.map(({ name, count }) => [name, count]));
  return {
    visitsLost: [...visits.answered].filter((name) => !counts.has(name)),
    visitsDoubled: [...counts].filter(([, count]) => count > 1).map(([name]) => name),
  };
}

/** Compares counters, totals, groups, a filter and a series with the events. */
async function compareNumbers(told: Told): Promise<string[]> {
  const { db, projectId, apiUrl, apiKey } = told;
  const [sums] = await rows<Record<'clicks' | 'events' | 'counted' | 'first', number>>(
    db,
    `SELECT (SELECT count(*) FROM events WHERE project_id = :projectId AND event = 'click') AS clicks,
            (SELECT count(*) FROM events WHERE project_id = :projectId) AS events,
            (SELECT coalesce(sum(visits), 0)::bigint FROM counters WHERE project_id = :projectId) AS counted,
            (SELECT count(*) FROM events e JOIN links l ON l.id = e.link_id AND l.project_id = e.project_id
              WHERE e.project_id = :projectId AND e.event = 'click' AND l.key = :key) AS first`,
    { projectId, key: told.hookedKeys[0]! },
  );
  const { clicks, events, counted, first } = sums!;
  const unequal: string[] = [];
  const compare = (what: string, found: number, expected: number) => {
    if (found !== expected) unequal.push(`${what}: ${found} instead of ${expected}`);
  };
  compare('sum of counters', counted, clicks);
  const ask = async (query: string): Promise<unknown> => {
    const answer = await fetch(`${apiUrl}/analytics?${SPAN}&event=clicks&${query}`, {
      headers: { authorization: `Bearer ${apiKey}` },
    });
    if (!answer.ok) throw new Error(`analytics?${query}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
  const sumOf = (found: unknown) =>
    (found as { clicks: number }[]).reduce((sum, row) => sum + row.clicks, 0);
  const totals = (await ask('groupBy=count')) as Record<string, number>;
  const { saleAmount: _, ...kinds } = totals;
  const all = Object.values(kinds).reduce((sum, count) => sum + count, 0);
  compare('totals', all, events);
  for (const group of GROUPS) compare(group, sumOf(await ask(`groupBy=${group}`)), clicks);
  compare('series', sumOf(await ask('groupBy=timeseries')), clicks);
  const filtered = (await ask(`groupBy=count&domain=localhost&key=${told.hookedKeys[0]}`)) as {
    clicks: number;
  };
  compare('filter of a link', filtered.clicks, first);
  return unequal;
}

async function compareDeliveries(told: Told): Promise<string[]> {
  const { db, projectId, deliveries, hookedKeys } = told;
  const due = await rows<{ record: string }>(
    db,
    `SELECT 'link.created ' || id AS record FROM links
      WHERE project_id = :projectId AND url LIKE 'https://example.com/write-%'
      UNION ALL
     SELECT 'link.clicked ' || e.id FROM events e JOIN links l ON l.id = e.link_id AND l.project_id = e.project_id
      WHERE e.project_id = :projectId AND e.event = 'click' AND l.key = ANY(:hookedKeys)`,
    { projectId, hookedKeys: [...hookedKeys] },
  );
  const { lost, doubled } = delivered(new Set(due.map(({ record }) => record)), deliveries);
  return [
    ...lost.map((record) => `webhook not received: ${record}`),
    ...doubled.map((record) => `webhook received twice: ${record}`),
  ];
}

/** Compares until nothing differs or `ms` are over, and resolves with the last comparison. */
export async function compareAll(told: Told, ms: number): Promise<Findings> {
  const until = Date.now() + ms;
  const ends = await jobsOf(told, until);
  for (;;) {
    const [visits, writes, numbers, messages] = await Promise.all([
      compareVisits(told),
      compareWrites(told, ends),
      compareNumbers(told),
      told.isWithDeliveries ? compareDeliveries(told) : [],
    ]);
    const unequal = [...numbers, ...messages];
    const findings = { ...visits, ...writes, unequal } as Findings;
    // Refused conversions are never stored later, so waiting does not help.
    if (isWell({ ...findings, conversionsRefused: [] }) || Date.now() > until) return findings;
    await told
      .db('webhook_deliveries')
      .where({ state: 'pending' })
      .where('next_attempt_at', '>', new Date(Date.now() + 30_000))
      .update({ next_attempt_at: new Date() });
    await delay(EVERY_MS);
  }
}
