import { raw } from 'objection';
import { type Db, db } from '../infra/db.ts';
import { Destination } from './model.ts';
import type { WaitingDestination } from './record.ts';

/** Starts a query over the destinations of a workspace, with the time since which events wait. */
export const destinationsOf = (projectId: string, connection: Db = db()) =>
  Destination.of(projectId, connection).select(
    'destinations.*',
    raw(
      `(SELECT e.created_at FROM destination_events e
         WHERE e.project_id = destinations.project_id AND e.destination_id = destinations.id
         ORDER BY e.seq LIMIT 1) AS pending_since`,
    ),
  );

/** Reads a destination; `undefined` if there is none. */
export const findDestination = async (
  projectId: string,
  id: string,
  connection: Db = db(),
): Promise<WaitingDestination | undefined> =>
  (await destinationsOf(projectId, connection).where({ id }).first()) as
    | WaitingDestination
    | undefined;
