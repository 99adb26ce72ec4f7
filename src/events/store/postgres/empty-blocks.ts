import { type Db, execute, rows } from '../../../infra/db.ts';

/*
 * Blocks are derived from events. A transaction that stores or deletes events empties the blocks of
 * their times afterwards, before it changes counters, for which others wait. Queries read the
 * events of empty blocks; a job builds the blocks again (`build-blocks.ts`). A trigger takes an
 * emptied block out of its sum (`sums.ts`).
 */

/** The columns of an event that determine its block. */
interface TimedEvent {
  project_id: string;
  occurred_at: string | Date;
}

/** Times of events that are stored or deleted, by workspace, rounded to seconds. */
export class ChangedTimes {
  readonly byProject = new Map<string, Set<number>>();
  #last: TimedEvent | undefined;

  add(event: TimedEvent): void {
    const { project_id, occurred_at } = event;
    // At high load, several events in a row have the same time.
    if (occurred_at === this.#last?.occurred_at && project_id === this.#last.project_id) return;
    this.#last = event;
    let times = this.byProject.get(project_id);
    if (times === undefined) {
      times = new Set();
      this.byProject.set(project_id, times);
    }
    times.add(Math.floor(new Date(occurred_at).getTime() / 1_000));
  }
}

interface BlockRow {
  projectId: string;
  id: number;
  from: number;
  to: number;
}

/** Empties the blocks of events that the transaction has stored or deleted. */
export async function emptyBlocksOf(trx: Db, events: readonly TimedEvent[]): Promise<void> {
  const changed = new ChangedTimes();
  for (const event of events) changed.add(event);
  await emptyBlocks(trx, changed);
}

/** Empties the blocks of some times. The transaction must have changed the events before. */
export async function emptyBlocks(trx: Db, { byProject }: ChangedTimes): Promise<void> {
  if (byProject.size === 0) return;
  const firsts = [...byProject.values()].map((times) => {
    let first = Infinity;
    for (const time of times) first = Math.min(first, time);
    return first;
  });
  const blocks = await rows<BlockRow>(
    trx,
    `SELECT b.project_id AS "projectId", b.id, extract(epoch FROM b.from_at)::float8 AS "from",
            extract(epoch FROM b.to_at)::float8 AS "to"
       FROM unnest(:projects::text[], :firsts::float8[]) AS changed(project_id, first)
       JOIN event_blocks b ON b.project_id = changed.project_id AND b.to_at > to_timestamp(changed.first)
      WHERE b.size IS NOT NULL OR b.claim IS NOT NULL`,
    { projects: [...byProject.keys()], firsts },
  );
  const ids = blocks.filter((block) => isChanged(block, byProject.get(block.projectId)!));
  if (ids.length === 0) return;
  await execute(
    trx,
    // Locked in order, so that two transactions cannot deadlock.
    `WITH emptied AS MATERIALIZED (
       SELECT project_id, id FROM event_blocks WHERE project_id = ANY(:projects) AND id = ANY(:ids::bigint[])
        ORDER BY id FOR UPDATE)
     UPDATE event_blocks b SET size = NULL, claim = NULL
       FROM emptied
      WHERE b.project_id = emptied.project_id AND b.id = emptied.id`,
    { projects: [...byProject.keys()], ids: ids.map(({ id }) => id) },
  );
}

function isChanged({ from, to }: BlockRow, times: ReadonlySet<number>): boolean {
  for (const time of times) if (time + 1 > from && time < to) return true;
  return false;
}
