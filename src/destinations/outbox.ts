import type { EventRow, StoredEvent } from '../events/event.ts';
import { truncateIp } from '../events/ingest/pipeline.ts';
import { kindOf } from '../events/kinds.ts';
import { afterCommit, type Db, execute, rows } from '../infra/db.ts';
import { filterMatcher, type WebhookFilter } from '../webhooks/filter.ts';
import { probeSpan, type Span, withProbes } from './probes.ts';
import { wakeDestinations } from './wake.ts';

/*
 * A transactional outbox, as that of webhooks: the transaction that stores an event, in Postgres or
 * on its way to ClickHouse, also adds it to the queue of each destination of the workspace. A queue
 * is read in order and loses what was sent, so that a row that is committed late is sent late instead
 * of never. Workspaces without destinations pay one look-up by an index per transaction.
 */

interface Receiver {
  project_id: string;
  id: string;
  filter: WebhookFilter | null;
  countsSuspects: boolean;
}

/**
 * Adds events to the queues of the destinations of their workspaces, in the transaction that stores
 * them, and wakes the worker after the commit. Events of visitors who want privacy are left out, and
 * so are those of before their wish was stored.
 */
export async function queueForDestinations(trx: Db, events: readonly EventRow[]): Promise<void> {
  if (events.length === 0) return;
  const receivers = await rows<Receiver>(
    trx,
    `SELECT d.project_id, d.id, d.filter, p.count_suspects AS "countsSuspects"
       FROM destinations d JOIN workspaces p ON p.id = d.project_id
      WHERE d.project_id = ANY(:projectIds) ORDER BY d.project_id, d.id`,
    { projectIds: [...new Set(events.map(({ project_id }) => project_id))] },
  );
  for (const receiver of receivers) await queueFor(trx, receiver, events);
}

async function queueFor(
  trx: Db,
  { project_id: projectId, id, filter, countsSuspects }: Receiver,
  events: readonly EventRow[],
): Promise<void> {
  const matches = filterMatcher(filter, countsSuspects);
  const queued = events.filter(
    (event) => event.project_id === projectId && isSendable(event) && matches(toStored(event)),
  );
  if (queued.length === 0) return;
  await execute(
    trx,
    `INSERT INTO destination_events (project_id, destination_id, record_id, customer_id, event)
     SELECT :projectId, :id, record_id, customer_id, event
       FROM unnest(:records::text[], :customers::text[], :events::json[])
            WITH ORDINALITY AS queued(record_id, customer_id, event, n) ORDER BY n`,
    {
      projectId,
      id,
      records: queued.map(({ link_id }) => link_id),
      customers: queued.map(({ customer_id }) => customer_id),
      events: queued.map((event) => JSON.stringify(withoutDetails(event))),
    },
  );
  afterCommit(trx, () => wakeDestinations(projectId, [id]));
}

/**
 * Returns true for an event that destinations get: a click, scan, lead, sale or refund of somebody
 * who did not ask for privacy. A conversion without a click tells nothing of that wish.
 */
export function isSendable({
  event,
  privacy,
  click_id,
}: Pick<EventRow, 'event' | 'privacy' | 'click_id'>): boolean {
  const { webhook, family } = kindOf(event);
  return webhook !== undefined && privacy === null && (family === 'visit' || click_id !== null);
}

const toStored = (event: EventRow): StoredEvent => ({
  ...event,
  occurred_at: new Date(event.occurred_at),
});

/** Removes what no destination gets: whole IP addresses, metadata and answers of forms. */
const withoutDetails = (event: EventRow): EventRow => ({
  ...event,
  ip: truncateIp(event.ip),
  metadata: null,
});

/** An event in the queue of a destination. */
export interface QueuedEvent {
  seq: string;
  event: StoredEvent;
}

/** Identifies a destination. */
export interface DestinationKey {
  projectId: string;
  id: string;
}

/**
 * Reads the oldest events in the queue of a destination, and before them those that are to be tried
 * first after refused attempts.
 *
 * @param refusedAttempts number of consecutive attempts in which the receiver refused all events
 */
export async function readQueue(
  connection: Db,
  key: DestinationKey,
  limit: number,
  refusedAttempts: number,
): Promise<QueuedEvent[]> {
  const oldest = await readSpan(connection, key, 'ASC', { limit, offset: 0 });
  const span = probeSpan(refusedAttempts);
  if (span === undefined || oldest.length <= 1) return oldest;
  return withProbes(await readSpan(connection, key, 'DESC', span), oldest, ({ seq }) => seq);
}

async function readSpan(
  connection: Db,
  { projectId, id }: DestinationKey,
  order: 'ASC' | 'DESC',
  { limit, offset }: Span,
): Promise<QueuedEvent[]> {
  const queued = await rows<{ seq: string; event: EventRow }>(
    connection,
    `SELECT seq::text AS seq, event FROM destination_events
      WHERE project_id = :projectId AND destination_id = :id
      ORDER BY destination_events.seq ${order} LIMIT :limit OFFSET :offset`,
    { projectId, id, limit, offset },
  );
  return queued.map(({ seq, event }) => ({ seq, event: toStored(event) }));
}

/** Removes events from the queue of a destination. */
export async function removeFromQueue(
  trx: Db,
  { projectId, id }: DestinationKey,
  seqs: readonly string[],
): Promise<void> {
  if (seqs.length === 0) return;
  await execute(
    trx,
    `DELETE FROM destination_events
      WHERE project_id = :projectId AND destination_id = :id AND seq = ANY(:seqs::bigint[])`,
    { projectId, id, seqs },
  );
}

/** Number of rows that one statement deletes. */
const CHUNK = 10_000;

/** Deletes the queue of a destination that no longer exists. */
export async function deleteQueue(connection: Db, { projectId, id }: DestinationKey) {
  for (;;) {
    const rowCount = await execute(
      connection,
      `DELETE FROM destination_events WHERE (project_id, destination_id, seq) IN (
         SELECT project_id, destination_id, seq FROM destination_events
          WHERE project_id = :projectId AND destination_id = :id LIMIT ${CHUNK})`,
      { projectId, id },
    );
    if (rowCount < CHUNK) return;
  }
}

/** Time for which events wait for their destination, in days. */
const KEPT_DAYS = 7;

/** Deletes events that have waited too long, and those of deleted destinations and workspaces. */
export async function pruneQueues(connection: Db): Promise<void> {
  const queues = await rows<DestinationKey & { isDeleted: boolean }>(
    connection,
    // Reads one row for each queue, not all of them.
    `WITH RECURSIVE queues AS (
       (SELECT project_id, destination_id FROM destination_events
         ORDER BY project_id, destination_id LIMIT 1)
       UNION ALL
       SELECT next.project_id, next.destination_id FROM queues q CROSS JOIN LATERAL (
         SELECT project_id, destination_id FROM destination_events
          WHERE (project_id, destination_id) > (q.project_id, q.destination_id)
          ORDER BY project_id, destination_id LIMIT 1) AS next)
     SELECT q.project_id AS "projectId", q.destination_id AS id, d.id IS NULL AS "isDeleted"
       FROM queues q
       LEFT JOIN destinations d ON d.project_id = q.project_id AND d.id = q.destination_id`,
  );
  for (const { isDeleted, ...queue } of queues) {
    if (isDeleted) await deleteQueue(connection, queue);
    else await pruneQueue(connection, queue);
  }
}

async function pruneQueue(connection: Db, { projectId, id }: DestinationKey): Promise<void> {
  for (;;) {
    const rowCount = await execute(
      connection,
      `DELETE FROM destination_events WHERE (project_id, destination_id, seq) IN (
         SELECT project_id, destination_id, seq FROM (
           SELECT project_id, destination_id, seq, created_at FROM destination_events
            WHERE project_id = :projectId AND destination_id = :id ORDER BY seq LIMIT ${CHUNK}) AS oldest
          WHERE created_at < now() - make_interval(days => ${KEPT_DAYS}))`,
      { projectId, id },
    );
    if (rowCount < CHUNK) return;
  }
}
