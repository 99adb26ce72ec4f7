import type { StoredEvent } from '../events/event.ts';
import { eventsStore } from '../events/store/index.ts';
import type { Db } from '../infra/db.ts';
import type { JobContext } from '../queues/definition.ts';
import { canBeClickId } from '../visitors/click-id.ts';
import { noClick } from './record.ts';
import { visits } from './waiting.ts';

/**
 * Finds the click of an event.
 *
 * @throws Postponed while it may be accepted but not stored yet, Refusal `not_found` if it does not
 * exist
 */
export async function knownClick(trx: Db, job: JobContext, clickId: string): Promise<StoredEvent> {
  const click = await findClick(trx, job, clickId);
  if (click === undefined) throw noClick(clickId);
  return click;
}

/**
 * Finds a click; `undefined` if it does not exist.
 *
 * @throws Postponed while it may be accepted but not stored yet
 */
export async function findClick(
  trx: Db,
  job: JobContext,
  clickId: string,
): Promise<StoredEvent | undefined> {
  const find = () => eventsStore().findVisit(job.projectId, clickId, trx);
  const click = await find();
  if (click !== undefined || !canBeClickId(clickId)) return click;
  await visits.settled(job);
  return find();
}
