import { createHash } from 'node:crypto';
import { type Db, db, execute, rows } from '../../infra/db.ts';
import { isStorable } from '../../infra/storable-text.ts';
import type { Visit } from '../../visits/visit.ts';
import { eventsStore } from '../store/index.ts';

/*
 * Dead letters of visits that the database rejects because of their data. They are kept in
 * Postgres, because their job succeeded with the other visits of its batch. Operators list them,
 * and retry them once the cause is fixed.
 */

/** Retention of rejected visits, in days. */
const KEPT_DAYS = 90;
const PAGE = 200;
const MAX_ID_LENGTH = 100;

/** A rejected visit with its error. */
export interface RejectedVisit {
  id: string;
  workspace: string;
  /** SQLSTATE; `null` if no statement was run. */
  code: string | null;
  message: string;
  attempts: number;
  rejectedAt: Date;
  visit: Visit;
}

/** Selection of rejected visits; an empty object selects all. */
export interface RejectedSelection {
  projectId?: string | undefined;
  id?: string | undefined;
}

/**
 * Stores a rejected visit.
 *
 * @param eventId id of the event that the visit would have become, if known
 */
export async function keepRejected(
  visit: Visit,
  error: unknown,
  eventId: string | null,
): Promise<{ id: string; code: string | null }> {
  const text = JSON.stringify(visit);
  const id = createHash('sha256').update(text).digest('hex');
  const { code = null, message } = error as Error & { code?: string };
  await execute(
    db(),
    `INSERT INTO rejected_visits AS kept (id, project_id, visit, event_id, code, message) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE
       SET attempts = kept.attempts + 1, code = excluded.code, message = excluded.message, rejected_at = now()`,
    [
      id,
      visit.projectId,
      text,
      eventId !== null && eventId.length <= MAX_ID_LENGTH && isStorable(eventId) ? eventId : null,
      code,
      // Knex puts the statement in front of the database's message.
      message.split(' - ').at(-1)!.slice(0, 500).replaceAll('\0', '').toWellFormed(),
    ],
  );
  return { id, code };
}

const COLUMNS = `r.id, w.slug AS workspace, r.code, r.message, r.attempts, r.rejected_at AS "rejectedAt", r.visit
       FROM rejected_visits r JOIN workspaces w ON w.id = r.project_id`;

type StoredVisit = Omit<RejectedVisit, 'visit'> & { visit: string };

const parse = (row: StoredVisit): RejectedVisit => ({
  ...row,
  visit: JSON.parse(row.visit) as Visit,
});

/** Reads the latest rejected visits of all workspaces, for operators. */
export async function latestRejected(limit: number): Promise<RejectedVisit[]> {
  const rejected = await rows<StoredVisit>(
    db(),
    `SELECT ${COLUMNS} ORDER BY r.rejected_at DESC, r.id LIMIT ?`,
    [limit],
  );
  return rejected.map(parse);
}

/** Reads a rejected visit of any workspace, for operators. */
export async function findRejected(id: string): Promise<RejectedVisit | undefined> {
  const [rejected] = await listRejected(db(), { id }, 1);
  return rejected;
}

/** Counts the rejected visits. */
export async function countRejected(): Promise<number> {
  const [row] = await rows<{ count: number }>(
    db(),
    'SELECT count(*)::int AS count FROM rejected_visits',
  );
  return row!.count;
}

/** Deletes a rejected visit if it exists, so that it will not be counted. */
export async function discardRejected(id: string): Promise<void> {
  await execute(db(), 'DELETE FROM rejected_visits WHERE id = ?', [id]);
}

/** Lists the oldest rejected visits. */
export async function listRejected(
  connection: Db,
  { projectId, id }: RejectedSelection,
  limit: number,
): Promise<RejectedVisit[]> {
  const page = await rows<StoredVisit>(
    connection,
    `SELECT ${COLUMNS}
      WHERE (:projectId::text IS NULL OR r.project_id = :projectId) AND (:id::text IS NULL OR r.id = :id)
      ORDER BY r.rejected_at, r.id LIMIT :limit`,
    { projectId: projectId ?? null, id: id ?? null, limit },
  );
  return page.map(parse);
}

/** Numbers of visits that a retry stored and left. */
export interface Retried {
  stored: number;
  rejected: number;
}

/**
 * Retries rejected visits. Visits that are stored now are deleted here; the others stay.
 *
 * @param record stores visits, and keeps those that are rejected again
 */
export async function retryRejected(
  connection: Db,
  selection: RejectedSelection,
  record: (visits: readonly Visit[]) => Promise<void>,
): Promise<Retried> {
  const retried: Retried = { stored: 0, rejected: 0 };
  const [clock] = await rows<{ now: Date }>(connection, 'SELECT now() AS now');
  const { now } = clock!;
  for (;;) {
    const page = (await listRejected(connection, selection, PAGE)).filter(
      // Visits that were rejected again meanwhile are at the end.
      ({ rejectedAt }) => rejectedAt <= now,
    );
    if (page.length === 0) return retried;
    await record(await unknownOf(connection, page));
    const rowCount = await execute(
      connection,
      `DELETE FROM rejected_visits r USING unnest(:ids::text[], :attempts::int[]) AS tried(id, attempts)
        WHERE r.id = tried.id AND r.attempts = tried.attempts`,
      {
        ids: page.map(({ id }) => id),
        attempts: page.map(({ attempts }) => attempts),
      },
    );
    retried.stored += rowCount;
    retried.rejected += page.length - rowCount;
  }
}

/** Finds the visits without a stored event; guards of visits are kept for only a few days. */
async function unknownOf(connection: Db, page: readonly RejectedVisit[]): Promise<Visit[]> {
  const candidates = await rows<{ id: string; projectId: string; eventId: string | null }>(
    connection,
    'SELECT id, project_id AS "projectId", event_id AS "eventId" FROM rejected_visits WHERE id = ANY(?)',
    [page.map(({ id }) => id)],
  );
  const unknown = new Set(candidates.map(({ id }) => id));
  for (const projectId of new Set(candidates.map((candidate) => candidate.projectId))) {
    const ofProject = candidates.filter((candidate) => candidate.projectId === projectId);
    const ids = ofProject.flatMap(({ eventId }) => eventId ?? []);
    const stored = await eventsStore().findKnown(connection, projectId, ids);
    for (const { id, eventId } of ofProject) {
      if (eventId !== null && stored.has(eventId)) unknown.delete(id);
    }
  }
  return page.flatMap(({ id, visit }) => (unknown.has(id) ? [visit] : []));
}

/** Deletes rejected visits past their retention. */
export async function pruneRejected(): Promise<void> {
  await execute(
    db(),
    'DELETE FROM rejected_visits WHERE rejected_at < now() - make_interval(days => ?)',
    [KEPT_DAYS],
  );
}
