import { type Db, db, execute, rows } from '../infra/db.ts';
import { destinationEvents } from '../infra/metrics.ts';
import type { JobContext } from '../queues/definition.ts';
import { handlers, type JobHandler } from '../queues/job.ts';
import { afterPage, readBackfillPage } from './backfill.ts';
import { sendingJobs } from './jobs.ts';
import type { DestinationKind } from './kind.ts';
import { kindOf } from './kinds.ts';
import { type Backfill, Destination } from './model.ts';
import { type DestinationKey, deleteQueue, readQueue, removeFromQueue } from './outbox.ts';
import { healthAfter, type Outcome, outcomeOf, toReason } from './outcome.ts';
import { rotated } from './probes.ts';
import { Receipt } from './receipt.ts';
import { type SentEvent, toSentEvent } from './sent-event.ts';
import { failureOf, targetOf } from './target.ts';
import { runTest } from './test-event.ts';
import { wakeDestinations } from './wake.ts';

/*
 * Sends what waits for a destination: its queue first, then a page of its backfill, and so on until
 * nothing is left, the receiver fails, or the turn is over. A job serves one destination, so that a
 * slow receiver delays no other. What was sent is removed after the response: a worker that dies in
 * between leaves it, and it is sent again with the same ids.
 */

/** Time limit of a job, in ms, so that other destinations get their turn. */
const TURN_MS = 60_000;
/**
 * Builds the handlers of destinations. On SIGTERM and SIGINT, turns end after the running batch.
 */
export function sendingHandlers(): JobHandler[] {
  const stop = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop.abort());
  return handlers(sendingJobs, {
    'destination.send': ({ id }, job) => sendWaiting(id, job, stop.signal),
    'destinations.sweep': sweep,
  });
}

async function sendWaiting(
  id: string,
  { projectId }: JobContext,
  stopping: AbortSignal,
): Promise<void> {
  const key = { projectId, id };
  const until = Date.now() + TURN_MS;
  while (!stopping.aborted && Date.now() < until) {
    const destination = await Destination.of(projectId).where({ id }).first();
    if (destination === undefined) {
      await deleteQueue(db(), key);
      return;
    }
    if (destination.test?.state === 'pending') {
      await runTest(destination);
      continue;
    }
    if (destination.status !== 'active' || (destination.retry_at?.getTime() ?? 0) > Date.now()) {
      return;
    }
    if (!(await sendBatch(key, destination, stopping))) return;
  }
  wakeDestinations(projectId, [id]);
}

/** Sends the next batch. @returns false if nothing waits, or the receiver failed */
async function sendBatch(
  key: DestinationKey,
  destination: Destination,
  stopping: AbortSignal,
): Promise<boolean> {
  const kind = kindOf(destination.type);
  const { refused_attempts: refusedAttempts } = destination;
  const queued = await readQueue(db(), key, kind.batch, refusedAttempts);
  if (queued.length > 0) {
    const outcome = await send(
      destination,
      kind,
      queued.map(({ event }) => toSentEvent(event)),
      stopping,
    );
    const done = idsDone(outcome);
    await db().transaction(async (trx) => {
      await store(trx, key, destination, outcome);
      const seqs = queued.filter(({ event }) => done.has(event.id)).map(({ seq }) => seq);
      await removeFromQueue(trx, key, seqs);
    });
    if (outcome.failure !== undefined) return false;
  }
  const { backfill } = destination;
  if (backfill === null || backfill.finishedAt !== null) return queued.length === kind.batch;
  const page = await readBackfillPage(destination, kind.batch);
  const outcome = await send(
    destination,
    kind,
    rotated(
      page.events.map(({ event }) => event),
      refusedAttempts,
    ),
    stopping,
  );
  const progress = { done: idsDone(outcome), accepted: outcome.accepted.length };
  await db().transaction(async (trx) => {
    await store(trx, key, destination, outcome);
    await storeBackfill(trx, key, afterPage(backfill, page, progress));
  });
  return outcome.failure === undefined;
}

/** Returns the ids of the events that are not to be sent again. */
const idsDone = ({ accepted, givenUp, expired }: Outcome): ReadonlySet<string> =>
  new Set([...accepted, ...[...givenUp, ...expired].map(({ event }) => event)].map(({ id }) => id));

/** Sends events, except those that are too old for the receiver. */
async function send(
  destination: Destination,
  kind: DestinationKind,
  events: readonly SentEvent[],
  stopping: AbortSignal,
): Promise<Outcome> {
  const earliest = kind.maxAgeMs === undefined ? 0 : Date.now() - kind.maxAgeMs;
  const fresh = events.filter(({ at }) => at.getTime() >= earliest);
  const receipt = new Receipt();
  receipt.expire(events.filter(({ at }) => at.getTime() < earliest));
  const failure =
    fresh.length === 0
      ? undefined
      : await failureOf(kind, { ...targetOf(destination), stopping }, fresh, receipt);
  return outcomeOf(destination, receipt, failure);
}

/**
 * Stores the outcome of a batch in the row of the destination. An outcome of earlier settings counts
 * what was sent, but says nothing about the present ones.
 */
async function store(
  trx: Db,
  { projectId, id }: DestinationKey,
  { type, settings, secret }: Destination,
  outcome: Outcome,
): Promise<void> {
  const { accepted, givenUp, expired, failure } = outcome;
  const refused = [...givenUp, ...expired];
  destinationEvents.inc({ type, outcome: 'sent' }, accepted.length);
  destinationEvents.inc({ type, outcome: 'refused' }, refused.length);
  if (failure !== undefined) destinationEvents.inc({ type, outcome: 'failed' });
  const row = await Destination.of(projectId, trx).where({ id }).forNoKeyUpdate().first();
  if (row === undefined) return;
  const now = new Date();
  const last = refused.at(-1);
  const counted = {
    refused: row.refused + refused.length,
    ...(last === undefined ? {} : { last_refusal: toReason(last.reason), last_refused_at: now }),
    ...(accepted.length > 0 ? { last_sent_at: now } : {}),
  };
  const isCurrent =
    row.secret === secret && JSON.stringify(row.settings) === JSON.stringify(settings);
  await Destination.of(projectId, trx)
    .where({ id })
    .patch({ ...counted, ...(isCurrent ? healthAfter(row, outcome) : {}) });
}

/** Stores the progress of a backfill, unless another one has begun meanwhile. */
async function storeBackfill(
  trx: Db,
  { projectId, id }: DestinationKey,
  backfill: Backfill,
): Promise<void> {
  await execute(
    trx,
    `UPDATE destinations SET backfill = :backfill
      WHERE project_id = :projectId AND id = :id AND backfill->>'id' = :backfillId`,
    { projectId, id, backfillId: backfill.id, backfill: JSON.stringify(backfill) },
  );
}

/** Queues a job for every destination for which something waits. */
async function sweep(): Promise<void> {
  const waiting = await rows<DestinationKey>(
    db(),
    `SELECT d.project_id AS "projectId", d.id FROM destinations d
      WHERE d.test->>'state' = 'pending'
         OR (d.status = 'active' AND (d.retry_at IS NULL OR d.retry_at <= now())
             AND ((d.backfill IS NOT NULL AND d.backfill->>'finishedAt' IS NULL)
                  OR EXISTS (SELECT 1 FROM destination_events e
                              WHERE e.project_id = d.project_id AND e.destination_id = d.id)))`,
  );
  for (const { projectId, id } of waiting) wakeDestinations(projectId, [id]);
}
