import { timeOfId } from '../../../ids.ts';
import type { Db } from '../../../infra/db.ts';
import type { StoredEvent } from '../../event.ts';
import { kindOf, kindsOfFamily, type StoredKind, storedKinds } from '../../kinds.ts';
import { postgresStore } from '../postgres/store.ts';
import {
  type Cursor,
  type EventSelection,
  type ListedEvent,
  type ListPage,
  type NameThen,
  NO_SUMS,
  type StoredSums,
} from '../store.ts';
import { type ClickHouse, isOneOf, literal } from './connection.ts';
import { readPending } from './pending.ts';
import { EVENT_COLUMNS, type StoredRow, toEvent } from './schema.ts';
import { sourceOf } from './source.ts';

const DAY_MICROS = 86_400_000_000;

/** Lists events of Postgres, the outbox and ClickHouse in one order. */
export async function list(
  clickhouse: ClickHouse,
  selection: EventSelection,
  page: ListPage,
  connection?: Db,
): Promise<ListedEvent[]> {
  const { projectId, kind, span, filter } = selection;
  const source = await sourceOf(
    clickhouse,
    { projectId, events: [kind], span, filter },
    connection,
  );
  if (source === undefined) return postgresStore.list(selection, page, connection);
  const { limit, order, offset, after } = page;
  const sign = order === 'asc' ? 1 : -1;
  const compare = (a: Cursor, b: Cursor) =>
    sign * (a.atMicros - b.atMicros || (a.id < b.id ? -1 : Number(a.id > b.id)));
  const first = { ...page, offset: 0, limit: offset + limit };
  const others = [
    ...source.waiting.filter((event) => after === undefined || compare(event, after) > 0),
    ...(await postgresStore.list(selection, first, connection)),
  ].toSorted(compare);
  // Even if all other events came first, ClickHouse rows before this offset would not be on the
  // page.
  const skipped = Math.max(0, offset - others.length);
  const further = order === 'asc' ? '>' : '<';
  const follows =
    after === undefined
      ? ''
      : ` AND (at ${further} ${after.atMicros} OR (at = ${after.atMicros} AND id ${further} ${literal(after.id)}))`;
  const stored = await clickhouse.rows<StoredRow>(
    `SELECT ${EVENT_COLUMNS} FROM events WHERE ${source.stored}${follows}
      ORDER BY at ${order}, id ${order} LIMIT ${skipped}, ${offset - skipped + limit}`,
  );
  return [...others, ...stored.map(toEvent)]
    .toSorted(compare)
    .slice(offset - skipped, offset - skipped + limit);
}

export async function countUpTo(
  clickhouse: ClickHouse,
  selection: EventSelection,
  max: number,
): Promise<number> {
  const { projectId, kind, span, filter } = selection;
  const [source, inPostgres] = await Promise.all([
    sourceOf(clickhouse, { projectId, events: [kind], span, filter }),
    postgresStore.countUpTo(selection, max),
  ]);
  if (source === undefined) return inPostgres;
  const [row] = await clickhouse.rows<{ n: string | number }>(
    `SELECT count() AS n FROM (SELECT event FROM events WHERE ${source.stored} LIMIT ${max})`,
  );
  return Math.min(max, inPostgres + source.waiting.length + Number(row!.n));
}

export async function sumStored(
  clickhouse: ClickHouse,
  connection: Db,
  projectId: string,
  recordIds: readonly string[],
): Promise<Map<string, StoredSums>> {
  const sums = await postgresStore.sumStored(connection, projectId, recordIds);
  const ids = new Set<string | null>(recordIds);
  const add = (kind: StoredKind, by: 'link_id' | 'page_id', id: string | null, count: number) => {
    const { counter, countsFor } = kindOf(kind);
    if (id === null || !ids.has(id) || !countsFor.includes(by)) return;
    const sum = sums.get(id) ?? { ...NO_SUMS };
    sum[counter] += count;
    sums.set(id, sum);
  };
  const { events, counting } = await readPending(
    projectId,
    '(e.link_id = ANY(:ids) OR e.page_id = ANY(:ids))',
    { ids: recordIds },
    connection,
  );
  for (const by of ['link_id', 'page_id'] as const) {
    for (const event of events) add(event.event, by, event[by], 1);
    const stored = await clickhouse.rows<{ event: StoredKind; id: string; n: string | number }>(
      `SELECT event, ${by} AS id, count() AS n FROM events
        WHERE ${counting} AND ${isOneOf(by, recordIds)} GROUP BY event, ${by}`,
    );
    for (const { event, id, n } of stored) add(event, by, id, Number(n));
  }
  return sums;
}

export async function findKnown(
  clickhouse: ClickHouse,
  connection: Db,
  projectId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  const { events, counting } = await readPending(
    projectId,
    'e.id = ANY(:ids)',
    { ids },
    connection,
  );
  const existing = await postgresStore.findKnown(connection, projectId, ids);
  for (const { id } of events) existing.add(id);
  const stored = await clickhouse.rows<{ id: string }>(
    `SELECT id FROM events WHERE ${counting} AND ${isOneOf('id', ids)}`,
  );
  for (const { id } of stored) existing.add(id);
  return existing;
}

/** Finds a visit by the time within its id; ids of imported visits may have another time. */
export async function findVisit(
  clickhouse: ClickHouse,
  projectId: string,
  id: string,
  connection?: Db,
): Promise<StoredEvent | undefined> {
  const kinds = storedKinds(kindsOfFamily('visit'), 'all');
  const { events, counting } = await readPending(
    projectId,
    'e.id = :id AND e.event = ANY(:kinds)',
    { id, kinds },
    connection,
  );
  if (events.length > 0) return plain(events[0]!);
  const inPostgres = await postgresStore.findVisit(projectId, id, connection);
  if (inPostgres !== undefined) return inPostgres;
  const ofId = `${counting} AND ${isOneOf('event', kinds)} AND id = ${literal(id)}`;
  const time = timeOfId(id) * 1000;
  for (const near of [`AND at >= ${time - DAY_MICROS} AND at < ${time + DAY_MICROS}`, '']) {
    const [row] = await clickhouse.rows<StoredRow>(
      `SELECT ${EVENT_COLUMNS} FROM events WHERE ${ofId} ${near} LIMIT 1`,
    );
    if (row !== undefined) return plain(toEvent(row));
  }
  return undefined;
}

export async function findVisits(
  clickhouse: ClickHouse,
  projectId: string,
  ids: readonly string[],
): Promise<ListedEvent[]> {
  if (ids.length === 0) return [];
  const kinds = storedKinds(kindsOfFamily('visit'), 'all');
  const { events, counting } = await readPending(
    projectId,
    'e.id = ANY(:ids) AND e.event = ANY(:kinds)',
    { ids, kinds },
  );
  const stored = await clickhouse.rows<StoredRow>(
    `SELECT ${EVENT_COLUMNS} FROM events
      WHERE ${counting} AND ${isOneOf('event', kinds)} AND ${isOneOf('id', ids)}`,
  );
  return [...events, ...(await postgresStore.findVisits(projectId, ids)), ...stored.map(toEvent)];
}

const plain = ({ atMicros: _, ...event }: ListedEvent): StoredEvent => event;

/**
 * Finds the names in the newest visits. Leads and sales have the names of their click, which is
 * never newer than the visits.
 */
export async function findNewestNames(
  clickhouse: ClickHouse,
  projectId: string,
  ids: readonly string[],
): Promise<Map<string, NameThen>> {
  const { events, counting } = await readPending(projectId, 'e.link_id = ANY(:ids)', { ids });
  const names = await postgresStore.findNewestNames(projectId, ids);
  const ofRecords = `${counting} AND ${isOneOf('link_id', ids)}`;
  for (const { id, name } of await newestNames(clickhouse, ofRecords)) names.set(id, name);
  for (const { link_id, domain, key, url } of events.toSorted((a, b) => a.atMicros - b.atMicros)) {
    names.set(link_id!, { domain, key, url });
  }
  return names;
}

/** Name of a link or QR code in its newest event, and the time of that event. */
export interface NewestName {
  id: string;
  name: NameThen;
  namedAt: Date;
}

/**
 * Reads names from the newest ClickHouse events of links and QR codes.
 *
 * @param condition SQL that selects the events
 */
export async function newestNames(
  clickhouse: ClickHouse,
  condition: string,
): Promise<NewestName[]> {
  const newest = await clickhouse.rows<{
    id: string;
    last: [domain: string, key: string, url: string];
    latest: string | number;
  }>(
    `SELECT link_id AS id, [argMax(domain, at), argMax(key, at), argMax(url, at)] AS last, max(at) AS latest
       FROM events WHERE ${condition} AND link_id != '' GROUP BY link_id`,
  );
  return newest.map(({ id, last: [domain, key, url], latest }) => ({
    id,
    name: { domain, key, url },
    namedAt: new Date(Number(latest) / 1000),
  }));
}
