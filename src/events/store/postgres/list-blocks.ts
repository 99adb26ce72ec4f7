import { type Db, db, rows, type SqlValue } from '../../../infra/db.ts';
import { matchesNothing } from '../../filters.ts';
import { storedKinds } from '../../kinds.ts';
import type { EventSelection, ListedEvent, ListPage } from '../store.ts';
import { findAccepted } from './block-conditions.ts';
import { filterSql, toSql } from './filters.ts';
import { type Block, findBlocks, type Gap, isBlock, readBlocks } from './read-blocks.ts';
import { findIds } from './values.ts';

/**
 * Maximum number of blocks per read. The first read has one block, each further read twice as many.
 */
const MAX_READ = 32;

/**
 * Selects events by an index-only scan, which keeps late pages fast, and then reads their rows.
 *
 * @param more a further condition
 */
export async function selectEvents(
  connection: Db,
  { projectId, kind, span: { start, end }, filter }: EventSelection,
  { limit, order, offset, after }: ListPage,
  more: SqlCondition = { sql: '', bindings: {} },
): Promise<ListedEvent[]> {
  const further = order === 'asc' ? '>' : '<';
  const at = "('epoch'::timestamptz + :afterMicros * interval '1 microsecond')";
  // Compares the time alone as well, because Postgres starts no index scan from a comparison of
  // pairs.
  const follows = `AND (e.occurred_at, e.id) ${further} (${at}, :afterId) AND e.occurred_at ${further}= ${at}`;
  const asSql = toSql(filter);
  // One select for each stored kind, whose indexes Postgres reads in order and merges.
  const ofKinds = storedKinds([kind], filter.traffic).map(
    (stored) => `SELECT e.project_id, e.event, e.occurred_at, e.id FROM events e
        WHERE e.project_id = :projectId AND e.event = '${stored}' AND e.occurred_at >= :start AND e.occurred_at < :end
          ${filterSql(asSql)} ${more.sql} ${after === undefined ? '' : follows}`,
  );
  if (ofKinds.length === 0) return [];
  return rows<ListedEvent>(
    connection,
    `WITH chosen AS (
       SELECT * FROM (${ofKinds.join(' UNION ALL ')}) AS e
        ORDER BY e.occurred_at ${order}, e.id ${order} LIMIT :limit OFFSET :offset)
     SELECT e.*, (extract(epoch FROM e.occurred_at) * 1000000)::bigint AS "atMicros" FROM chosen JOIN events e USING (project_id, event, occurred_at, id)
      ORDER BY e.occurred_at ${order}, e.id ${order}`,
    {
      ...asSql.bindings,
      ...more.bindings,
      projectId,
      start,
      end,
      limit,
      offset,
      afterMicros: after?.atMicros ?? null,
      afterId: after?.id ?? null,
    },
  );
}

/** SQL of a condition on events `e`, preceded by AND. */
interface SqlCondition {
  sql: string;
  bindings: Record<string, SqlValue>;
}

/**
 * Lists events by the times in their blocks, from one snapshot. Only one of `after` and `offset`
 * may be set.
 */
export function listBlocks(selection: EventSelection, page: ListPage): Promise<ListedEvent[]> {
  return db().transaction((trx) => new Listing(trx, selection, page).list(), {
    isolationLevel: 'repeatable read',
    readOnly: true,
  });
}

class Listing {
  readonly #trx: Db;
  readonly #selection: EventSelection;
  readonly #page: ListPage;
  readonly #found: ListedEvent[] = [];
  /** Number of matching events still to be skipped. */
  #offset: number;

  constructor(trx: Db, selection: EventSelection, page: ListPage) {
    this.#trx = trx;
    this.#selection = selection;
    this.#page = page;
    this.#offset = page.offset;
  }

  async list(): Promise<ListedEvent[]> {
    const { projectId } = this.#selection;
    const { parts } = await findBlocks(this.#trx, projectId, this.#interval());
    if (this.#page.order === 'desc') parts.reverse();
    let blocksPerRead = 1;
    for (let at = 0; at < parts.length && this.#wanted > 0; ) {
      const part = parts[at]!;
      if (isBlock(part)) {
        const next = parts.findIndex((other, place) => place > at && !isBlock(other));
        const end = Math.min(next < 0 ? parts.length : next, at + blocksPerRead);
        await this.#addBlocks(parts.slice(at, end) as Block[]);
        blocksPerRead = Math.min(2 * blocksPerRead, MAX_READ);
        at = end;
      } else {
        await this.#addGap(part);
        at += 1;
      }
    }
    return this.#found;
  }

  get #wanted(): number {
    return this.#page.limit - this.#found.length;
  }

  /** Interval in which the list continues, to the ms. */
  #interval(): [Date, Date] {
    const { start, end } = this.#selection.span;
    const { after, order } = this.#page;
    if (after === undefined) return [start, end];
    const ms = Math.floor(after.atMicros / 1_000);
    return order === 'asc'
      ? [new Date(Math.max(start.getTime(), Math.min(ms, end.getTime()))), end]
      : [start, new Date(Math.min(end.getTime(), Math.max(ms + 1, start.getTime())))];
  }

  #select(limit: number, offset: number, more: SqlCondition): Promise<ListedEvent[]> {
    return selectEvents(this.#trx, this.#selection, { ...this.#page, limit, offset }, more);
  }

  async #addGap({ from, to }: Gap): Promise<void> {
    const within = {
      sql: 'AND e.occurred_at >= :from::timestamptz AND e.occurred_at < :to::timestamptz',
      bindings: { from, to },
    };
    if (this.#offset > 0) {
      const count = await this.#countGap(within);
      if (count < this.#offset) {
        this.#offset -= count;
        return;
      }
    }
    const offset = this.#offset;
    this.#offset = 0;
    this.#found.push(...(await this.#select(this.#wanted, offset, within)));
  }

  /** Counts the matching events of a gap, up to the number that is skipped. */
  async #countGap({ sql, bindings }: SqlCondition): Promise<number> {
    const { projectId, kind, filter } = this.#selection;
    const stored = storedKinds([kind], filter.traffic);
    const asSql = toSql(filter);
    const [row] = await rows<{ count: number }>(
      this.#trx,
      `SELECT count(*)::int AS count FROM (
         SELECT 1 FROM events e WHERE e.project_id = :projectId AND e.event = ANY(:stored) ${filterSql(asSql)} ${sql}
          LIMIT :offset) AS counted`,
      { ...asSql.bindings, ...bindings, projectId, stored, offset: this.#offset },
    );
    return row!.count;
  }

  async #addBlocks(blocks: readonly Block[]): Promise<void> {
    const { projectId, kind, filter } = this.#selection;
    if (matchesNothing(filter)) return;
    const kinds = await findIds(projectId, 'event', storedKinds([kind], filter.traffic), this.#trx);
    const accepted = await findAccepted(this.#trx, projectId, filter, kinds.values());
    const timesOf = new Map<number, Float64Array>();
    await readBlocks(this.#trx, projectId, blocks, accepted, ['times'], (read) => {
      const [times] = read.numbers('times');
      timesOf.set(
        read.block.id,
        Float64Array.from(read.events, (at) => times[at]!),
      );
    });
    for (const { id } of blocks) {
      const times = timesOf.get(id);
      if (times !== undefined && this.#wanted > 0) await this.#addTimes(times);
    }
  }

  /** Adds events of a block by their times, given in ascending order. */
  async #addTimes(times: Float64Array): Promise<void> {
    const { after, order } = this.#page;
    const ordered = order === 'asc' ? times : times.toReversed();
    // Events at the exact time of the cursor may come before it, so they are read in addition to
    // the requested number.
    const first =
      after === undefined ? 0 : ordered.findIndex((time) => !isBefore(time, after.atMicros, order));
    if (first < 0) return;
    const same = after === undefined ? 0 : ordered.filter((time) => time === after.atMicros).length;
    if (this.#offset >= ordered.length) {
      this.#offset -= ordered.length;
      return;
    }
    const from = first + this.#offset;
    const selected = ordered.slice(from, from + same + this.#wanted);
    // Some of the events at one time may have to be skipped.
    const skipped = ordered.slice(first, from).filter((time) => time === selected[0]).length;
    this.#offset = 0;
    this.#found.push(
      ...(await this.#select(this.#wanted, skipped, {
        sql: 'AND e.occurred_at = ANY(:times::timestamptz[])',
        bindings: { times: Array.from(new Set(selected), textOf) },
      })),
    );
  }
}

const isBefore = (time: number, other: number, order: 'asc' | 'desc'): boolean =>
  order === 'asc' ? time < other : time > other;

/** Formats a time in µs since 1970 for Postgres. */
function textOf(micros: number): string {
  const ms = Math.floor(micros / 1_000);
  const rest = String(micros - ms * 1_000).padStart(3, '0');
  return new Date(ms).toISOString().replace('Z', `${rest}Z`);
}
