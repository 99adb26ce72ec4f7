import { EVENT_KINDS, pluralOf } from '../../src/events/kinds.ts';
import { postgresStore } from '../../src/events/store/postgres/store.ts';
import { type Knex, rows } from '../../src/infra/db.ts';
import type { Tally } from '../support/traffic.ts';
import type { Deliveries, Outcomes } from './traffic.ts';

/** Answers that clients received, to be compared with the stored data. */
export interface Told {
  visits: Tally;
  links: Outcomes;
  sales: Outcomes;
  deliveries: Deliveries;
}

/** One comparison, printed as a row of the table. */
export interface Line {
  what: string;
  /** Number of records answered as done or promised. */
  answered: number;
  stored: number;
  lost: string[];
  doubled: string[];
}

interface Stored {
  name: string;
  count: number;
}

/**
 * Compares stored records of one kind with the answers. A request without an answer can have stored
 * its record once.
 */
function compare(what: string, stored: readonly Stored[], answered: ReadonlySet<string>): Line {
  const there = new Map(stored.map(({ name, count }) => [name, count]));
  return {
    what,
    answered: answered.size,
    stored: stored.reduce((sum, { count }) => sum + count, 0),
    lost: [...answered].filter((name) => !there.has(name)),
    doubled: [...there].filter(([, count]) => count > 1).map(([name]) => name),
  };
}

/** Compares two numbers that must be equal. */
function equal(what: string, expected: number, found: number): Line {
  const difference = `${found} instead of ${expected}`;
  return {
    what,
    answered: expected,
    stored: found,
    lost: found < expected ? [difference] : [],
    doubled: found > expected ? [difference] : [],
  };
}

/** Compares webhook messages with the records that they must report. */
export function delivered(known: ReadonlySet<string>, deliveries: Deliveries): Line {
  return {
    what: 'messages due = delivered',
    answered: known.size,
    stored: [...known].filter((record) => deliveries.accepted.has(record)).length,
    lost: [...known].filter((record) => !deliveries.accepted.has(record)),
    // A repeated message has the id of the first; a different id is a second message.
    doubled: [...deliveries.received]
      .filter(([record, ids]) => ids.size > 1 || !known.has(record))
      .map(([record, ids]) => `${record}: ${[...ids].join(' ')}`),
  };
}

/** Compares everything, and returns the rows of the table. */
export async function reconcile(
  db: Knex,
  projectId: string,
  { visits, links, sales, deliveries }: Told,
  hookedKeys: readonly string[],
): Promise<Line[]> {
  const counted = (sql: string) => rows<Stored>(db, sql, [projectId]);
  const [clicks, made, sold] = await Promise.all([
    counted(
      `SELECT substr(referer_url, length('https://visitor.example/') + 1) AS name, count(*)
         FROM events WHERE project_id = ? AND event = 'click' GROUP BY 1`,
    ),
    counted(
      `SELECT external_id AS name, count(*) FROM links
        WHERE project_id = ? AND external_id LIKE 'link-%' GROUP BY 1`,
    ),
    counted(
      `SELECT sale->>'invoiceId' AS name, count(*) FROM events WHERE project_id = ? AND event = 'sale' GROUP BY 1`,
    ),
  ]);
  const [sums] = await rows<{ events: number; visits: number; sales: number; links: number }>(
    db,
    `SELECT (SELECT count(*) FROM events WHERE project_id = :projectId) AS events,
            (SELECT coalesce(sum(visits), 0)::bigint FROM counters WHERE project_id = :projectId) AS visits,
            (SELECT count(*) FROM claims c WHERE project_id = :projectId AND EXISTS
              (SELECT 1 FROM links l WHERE l.project_id = c.project_id AND l.id = c.record_id)) AS links`,
    { projectId },
  );
  const messages = await rows<{ record: string }>(
    db,
    `SELECT 'link.created ' || id AS record FROM links WHERE project_id = :projectId AND external_id LIKE 'link-%'
      UNION ALL
     SELECT 'link.clicked ' || e.id FROM events e JOIN links l ON l.id = e.link_id AND l.project_id = e.project_id
      WHERE e.project_id = :projectId AND e.event = 'click' AND l.key = ANY(:hookedKeys)`,
    { projectId, hookedKeys: [...hookedKeys] },
  );
  const known = new Set(messages.map(({ record }) => record));
  const span = { start: new Date(0), end: new Date('9999-01-01') };
  const all = { projectId, span: { ...span, granularity: 'month' as const, timezone: 'UTC' } };
  const totals = await postgresStore.totals({ ...all, filter: {}, events: EVENT_KINDS });
  const allLinks = await rows<{ count: number }>(
    db,
    'SELECT count(*) FROM links WHERE project_id = ?',
    [projectId],
  );
  const events = sums!.events;
  return [
    compare('visits answered = events', clicks, visits.answered),
    compare('links answered = rows', made, new Set([...links.done, ...links.accepted.keys()])),
    compare('sales answered = events', sold, new Set([...sales.done, ...sales.accepted.keys()])),
    equal('links = claims of their keys', allLinks[0]!.count, sums!.links),
    equal(
      'visits stored = counters',
      clicks.reduce((sum, { count }) => sum + count, 0),
      sums!.visits,
    ),
    equal(
      'events = counts of analytics',
      events,
      EVENT_KINDS.reduce((sum, kind) => sum + totals[pluralOf(kind)]!, 0),
    ),
    delivered(known, deliveries),
  ];
}
