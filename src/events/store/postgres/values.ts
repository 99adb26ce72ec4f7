import { type Db, db, rows } from '../../../infra/db.ts';

/*
 * Ids of values. Each workspace has a list of values for every dimension, and for columns of
 * blocks that are no dimension.
 */

/** Values of some lists whose ids are requested. */
export class RequestedValues {
  readonly lists = new Map<string, { projectId: string; list: string; values: Set<string> }>();

  /** Requests the ids of values of a list. */
  add(projectId: string, list: string, values: Iterable<string>): void {
    const name = nameOf(projectId, list);
    let requested = this.lists.get(name);
    if (requested === undefined) {
      requested = { projectId, list, values: new Set() };
      this.lists.set(name, requested);
    }
    for (const value of values) requested.values.add(value);
  }
}

/** Returns the ids of a list by value, with all values that were requested. */
export type ValueIds = (projectId: string, list: string) => ReadonlyMap<string, number>;

const nameOf = (projectId: string, list: string) => `${projectId} ${list}`;

/** Maximum number of cached ids; with their values, they take about 30 MB. */
const MAX_CACHED_IDS = 200_000;

/** Cache of ids, by list. */
class IdCache {
  readonly #lists = new Map<string, Map<string, number>>();
  #size = 0;

  of(name: string): ReadonlyMap<string, number> | undefined {
    return this.#lists.get(name);
  }

  add(name: string, value: string, id: number): void {
    if (this.#size >= MAX_CACHED_IDS) {
      this.#lists.clear();
      this.#size = 0;
    }
    let ids = this.#lists.get(name);
    if (ids === undefined) {
      ids = new Map();
      this.#lists.set(name, ids);
    }
    ids.set(value, id);
    this.#size += 1;
  }
}

const idCache = new IdCache();

/**
 * Finds the ids of values, and adds new values. Ids never change.
 *
 * @param connection for adding new values: ids read in a transaction are not cached, because it may
 * be rolled back
 */
export async function valueIds(connection: Db, { lists }: RequestedValues): Promise<ValueIds> {
  const result = new Map<string, Map<string, number>>();
  let unknown: RequestedValue[] = [];
  for (const [name, { projectId, list, values }] of lists) {
    const cached = idCache.of(name);
    const ids = new Map<string, number>();
    for (const value of values) {
      const id = cached?.get(value);
      if (id === undefined) unknown.push({ projectId, list, value });
      else ids.set(value, id);
    }
    result.set(name, ids);
  }
  const isLasting = !connection.isTransaction;
  const take = (values: readonly StoredValue[]) => {
    for (const { id, projectId, list, value } of values) {
      const name = nameOf(projectId, list);
      result.get(name)!.set(value, id);
      if (isLasting) idCache.add(name, value, id);
    }
    unknown = unknown.filter(
      ({ projectId, list, value }) => !result.get(nameOf(projectId, list))!.has(value),
    );
  };
  // Inserted first, because values that are not cached are usually new.
  if (unknown.length > 0) take(await insert(connection, unknown));
  if (unknown.length > 0) take(await select(connection, unknown));
  return (projectId, list) => result.get(nameOf(projectId, list))!;
}

interface RequestedValue {
  projectId: string;
  list: string;
  value: string;
}
type StoredValue = RequestedValue & { id: number };

const STORED = 'v.id, v.project_id AS "projectId", v.dimension AS list, v.value';
const WANTED = `json_to_recordset(?) AS w("projectId" text, list text, value text)`;

const select = (connection: Db, values: readonly RequestedValue[]): Promise<StoredValue[]> =>
  rows(
    connection,
    `SELECT ${STORED} FROM ${WANTED}
       JOIN event_values v ON v.project_id = w."projectId" AND v.dimension = w.list AND md5(v.value) = md5(w.value)`,
    [JSON.stringify(values)],
  );

const insert = (connection: Db, values: readonly RequestedValue[]): Promise<StoredValue[]> =>
  rows(
    connection,
    // In the same order in all transactions, so that two cannot deadlock.
    `INSERT INTO event_values AS v (project_id, dimension, value)
     SELECT w."projectId", w.list, w.value FROM ${WANTED}
      ORDER BY w."projectId" COLLATE "C", w.list COLLATE "C", w.value COLLATE "C"
     ON CONFLICT DO NOTHING RETURNING ${STORED}`,
    [JSON.stringify(values)],
  );

/**
 * Finds the ids of values in a list of a workspace; unknown values are left out.
 *
 * @param connection one that sees only committed values
 */
export async function findIds(
  projectId: string,
  list: string,
  values: readonly string[],
  connection: Db = db(),
): Promise<Map<string, number>> {
  const name = nameOf(projectId, list);
  const cached = idCache.of(name);
  const ids = new Map<string, number>();
  const unknown: RequestedValue[] = [];
  for (const value of values) {
    const id = cached?.get(value);
    if (id === undefined) unknown.push({ projectId, list, value });
    else ids.set(value, id);
  }
  if (unknown.length === 0) return ids;
  for (const { id, value } of await select(connection, unknown)) {
    ids.set(value, id);
    idCache.add(name, value, id);
  }
  return ids;
}

/** Maximum number of cached characters, 32 to 64 MB; an id counts as its size in characters. */
const MAX_CACHED_LENGTH = 32 * 2 ** 20;
const ID_CHARACTERS = 64;

/** Cache of values by id, for answers. */
class ValueCache {
  readonly #values = new Map<number, string>();
  #characters = 0;

  get(id: number): string | undefined {
    return this.#values.get(id);
  }

  add(id: number, value: string): void {
    this.#characters += value.length + ID_CHARACTERS;
    if (this.#characters > MAX_CACHED_LENGTH) {
      this.#values.clear();
      this.#characters = value.length + ID_CHARACTERS;
    }
    this.#values.set(id, value);
  }
}

const valueCache = new ValueCache();

/**
 * Finds values by id. Values never change and are never deleted, so those of recent answers are
 * cached.
 */
export async function findValues(ids: readonly number[]): Promise<Map<number, string>> {
  const values = new Map<number, string>();
  const unknown: number[] = [];
  for (const id of ids) {
    const value = valueCache.get(id);
    if (value === undefined) unknown.push(id);
    else values.set(id, value);
  }
  if (unknown.length === 0) return values;
  const stored = await rows<{ id: number; value: string }>(
    db(),
    'SELECT id, value FROM event_values WHERE id = ANY(?::bigint[])',
    [unknown],
  );
  for (const { id, value } of stored) {
    values.set(id, value);
    valueCache.add(id, value);
  }
  return values;
}
