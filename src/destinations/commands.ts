import { Refusal } from '../errors.ts';
import { refuseChanged } from '../http/etag.ts';
import { check } from '../http/input.ts';
import { found } from '../http/route.ts';
import { afterCommit, type Db, db } from '../infra/db.ts';
import { refuseOverfull } from '../infra/overfull.ts';
import { runIdempotent } from '../jobs/run-idempotent.ts';
import { handlers } from '../queues/job.ts';
import { destinationMaintenanceJobs, eventDestinationJobs } from './jobs.ts';
import { kindOf } from './kinds.ts';
import { type Backfill, Destination } from './model.ts';
import { pruneQueues } from './outbox.ts';
import { findDestination } from './queries.ts';
import { type DestinationRecord, toDestination } from './record.ts';
import type { DestinationChanges, NewDestination } from './schema.ts';
import { newTest } from './test-event.ts';
import { wakeDestinations } from './wake.ts';

/** Maximum number of destinations of a workspace, since each multiplies the rows of every event. */
const MAX_DESTINATIONS = 10;

const NOT_FAILING = {
  failures: 0,
  failing_since: null,
  retry_at: null,
  error: null,
  refused_attempts: 0,
  given_up: 0,
};

const refusal = (message: string) => new Refusal('unprocessable_entity', message);

/** @throws Refusal `unprocessable_entity` for a secret that is missing or has no use */
function refuseSecret({ type }: Pick<NewDestination, 'type'>, hasSecret: boolean): void {
  const { secret } = kindOf(type);
  if (secret === 'required' && !hasSecret)
    throw refusal(`secret is required with the type "${type}"`);
  if (secret === 'none' && hasSecret) {
    throw refusal(`secret must not be set with the type "${type}", which has none`);
  }
}

async function read(trx: Db, projectId: string, id: string): Promise<DestinationRecord> {
  return toDestination(found(await findDestination(projectId, id, trx), `destination "${id}"`));
}

export const eventDestinationHandlers = handlers(eventDestinationJobs, {
  /**
   * Creates a destination. @throws Refusal `unprocessable_entity` if there are too many, or the
   * secret does not fit its type
   */
  'destination.create': (destination, job) =>
    runIdempotent(job, async (trx) => {
      const { projectId } = job;
      refuseSecret(destination, destination.secret !== undefined);
      await refuseOverfull(trx, `destinations ${projectId}`, {
        count: () => Destination.of(projectId, trx).resultSize(),
        max: MAX_DESTINATIONS,
        message: `A workspace has at most ${MAX_DESTINATIONS} destinations`,
      });
      await Destination.add(
        projectId,
        { ...destination, secret: destination.secret ?? null, filter: destination.filter ?? null },
        trx,
      );
      return read(trx, projectId, destination.id);
    }),

  /**
   * Changes a destination; a change of what it sends to, or its activation, ends its failures.
   * @throws Refusal `not_found`, or `unprocessable_entity` for settings that do not fit its type
   */
  'destination.update': ({ id, changes }, job) =>
    runIdempotent(job, async (trx) => {
      const { projectId } = job;
      const before = await Destination.lock(projectId, id, trx);
      refuseChanged(job.ifMatch, toDestination(before));
      const columns = columnsAfter(before, changes);
      await Destination.of(projectId, trx)
        .where({ id })
        .patch({ ...columns, updated_at: new Date() });
      afterCommit(trx, () => wakeDestinations(projectId, [id]));
      return read(trx, projectId, id);
    }),

  /** Deletes a destination; the worker deletes its queue. @throws Refusal `not_found` */
  'destination.delete': ({ id }, job) =>
    runIdempotent(job, async (trx) => {
      const { projectId } = job;
      const before = await Destination.lock(projectId, id, trx);
      refuseChanged(job.ifMatch, toDestination(before));
      await Destination.of(projectId, trx).where({ id }).delete();
      afterCommit(trx, () => wakeDestinations(projectId, [id]));
      return { id };
    }),

  /**
   * Starts to send the stored events of a period. @throws Refusal `not_found`, `conflict` while
   * another backfill runs, or `unprocessable_entity` if the receiver accepts no events of the period
   */
  'destination.backfill': ({ id, backfillId, start, end }, job) =>
    runIdempotent(job, async (trx) => {
      const { projectId } = job;
      const before = await Destination.lock(projectId, id, trx);
      if (before.backfill !== null && before.backfill.finishedAt === null) {
        throw new Refusal('conflict', 'A backfill is running. Wait for its end');
      }
      const backfill: Backfill = {
        id: backfillId,
        start,
        end,
        unsentBefore: unsentBefore(before, { start, end }),
        sent: 0,
        position: { kind: 0 },
        finishedAt: null,
      };
      await Destination.of(projectId, trx).where({ id }).patch({ backfill });
      afterCommit(trx, () => wakeDestinations(projectId, [id]));
      return read(trx, projectId, id);
    }),

  /**
   * Requests a test event. @throws Refusal `not_found`, or `conflict` while the destination is
   * disabled
   */
  'destination.test': ({ id, testId }, job) =>
    runIdempotent(job, async (trx) => {
      const { projectId } = job;
      const { status } = await Destination.lock(projectId, id, trx);
      if (status === 'disabled') {
        throw new Refusal('conflict', 'The destination is disabled. Activate it, then test it');
      }
      await Destination.of(projectId, trx)
        .where({ id })
        .patch({ test: newTest(testId) });
      afterCommit(trx, () => wakeDestinations(projectId, [id]));
      return read(trx, projectId, id);
    }),
});

/**
 * Converts the body of an update to columns. A move to another URL needs the secret anew: whoever
 * can change the URL could otherwise read the secret, which responses do not show.
 */
function columnsAfter(before: Destination, changes: DestinationChanges): Partial<Destination> {
  const { settings: sent, secret = before.secret, status, ...fields } = changes;
  const kind = kindOf(before.type);
  const settings =
    sent === undefined
      ? before.settings
      : (check(kind.settings, { ...before.settings, ...sent }, 'settings') as Record<
          string,
          unknown
        >);
  const isMoved = settings['url'] !== before.settings['url'];
  if (isMoved && before.secret !== null && changes.secret === undefined) {
    throw refusal('secret must be set again with another url');
  }
  refuseSecret(before, secret !== null);
  const isChanged = sent !== undefined || changes.secret !== undefined;
  return {
    name: fields.name ?? before.name,
    filter: fields.filter === undefined ? before.filter : fields.filter,
    settings,
    secret,
    status: status ?? before.status,
    ...(isChanged || status === 'active' ? NOT_FAILING : {}),
    // The receiver may accept events with the new settings.
    ...(isChanged && status === undefined && before.status === 'disabled'
      ? { status: 'active' as const }
      : {}),
  };
}

/**
 * Returns the time before which the receiver accepts no events of a period; `null` if it accepts
 * all.
 *
 * @throws Refusal `unprocessable_entity` if it accepts none
 */
function unsentBefore(
  { type }: Destination,
  { start, end }: { start: string; end: string },
): string | null {
  const { maxAgeMs, datesByArrival } = kindOf(type);
  if (datesByArrival === true) {
    throw refusal(`A destination of the type "${type}" dates events by their arrival`);
  }
  if (maxAgeMs === undefined) return null;
  const earliest = new Date(Date.now() - maxAgeMs).toISOString();
  if (end <= earliest) {
    throw refusal(`end must be within the last ${maxAgeMs / 3_600_000} hours with "${type}"`);
  }
  return start < earliest ? earliest : null;
}

export const destinationMaintenanceHandlers = handlers(destinationMaintenanceJobs, {
  'destinations.prune': () => pruneQueues(db()),
});
