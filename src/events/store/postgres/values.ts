import { type Db, db, rows } from '../../../infra/db.ts';

/*
 * Ids of values. Each workspace has a list of the values of every dimension, and `destination`: the whole destination URLs,
 * which filters search.
 */

/** The values of some lists of which the ids are wanted. */
export class WantedValues {
  readonly lists = new Map<string, { projectId: string; list: string; values: Set<string> }>();

  /** Adds values of a list. */
  add(projectId: string, list: string, values: Iterable<string>): void {
    const name = nameOf(projectId, list);
    let wanted = this.lists.get(name);
    if (wanted === undefined) {
      wanted = { projectId, list, values: new Set() };
      this.lists.set(name, wanted);
    }
    for (const value of values) wanted.values.add(value);
  }
}

/** The ids of the values of a list, which has all that were wanted. */
export type ValueIds = (projectId: string, list: string) => ReadonlyMap<string, number>;

const nameOf = (projectId: string, list: string) => `${projectId} ${list}`;

/** Most ids that are remembered; with their values, some 30 MB. */
const REMEMBERED = 200_000;

/** Ids that are known, by list. */
class RememberedIds {
  readonly #lists = new Map<string, Map<string, number>>();
  #size = 0;

  of(name: string): ReadonlyMap<string, number> | undefined {
    return this.#lists.get(name);
  }

  add(name: string, value: string, id: number): void {
    if (this.#size >= REMEMBERED) {
      this.#lists.clear();
      this.#size = 0;
    }
    let list = this.#lists.get(name);
    if (list === undefined) {
      list = new Map();
      this.#lists.set(name, list);
    }
    list.set(value, id);
    this.#size += 1;
  }
}

const remembered = new RememberedIds();

/**
 * Finds the ids of values, and adds values that are new. Ids never change.
 *
 * @param connection where new values are added: ids that were read in a transaction are not remembered, since it may be
 *   rolled back
 */
export async function valueIds(connection: Db, { lists }: WantedValues): Promise<ValueIds> {
  const found = new Map<string, Map<string, number>>();
  let unknown: WantedValue[] = [];
  for (const [name, { projectId, list, values }] of lists) {
    const known = remembered.of(name);
    const ids = new Map<string, number>();
    for (const value of values) {
      const id = known?.get(value);
      if (id === undefined) unknown.push({ projectId, list, value });
      else ids.set(value, id);
    }
    found.set(name, ids);
  }
  const isLasting = !connection.isTransaction;
  const take = (stored: readonly StoredValue[]) => {
    for (const { id, projectId, list, value } of stored) {
      const name = nameOf(projectId, list);
      found.get(name)!.set(value, id);
      if (isLasting) remembered.add(name, value, id);
    }
    unknown = unknown.filter(
      ({ projectId, list, value }) => !found.get(nameOf(projectId, list))!.has(value),
    );
  };
  // First, since values that are not remembered are new ones, most of the time.
  if (unknown.length > 0) take(await insert(connection, unknown));
  if (unknown.length > 0) take(await select(connection, unknown));
  return (projectId, list) => found.get(nameOf(projectId, list))!;
}

interface WantedValue {
  projectId: string;
  list: string;
  value: string;
}
type StoredValue = WantedValue & { id: number };

const STORED = 'v.id, v.project_id AS "projectId", v.dimension AS list, v.value';
const WANTED = `json_to_recordset(?) AS w("projectId" text, list text, value text)`;

const select = (connection: Db, wanted: readonly WantedValue[]): Promise<StoredValue[]> =>
  rows(
    connection,
    `SELECT ${STORED} FROM ${WANTED}
       JOIN event_values v ON v.project_id = w."projectId" AND v.dimension = w.list AND md5(v.value) = md5(w.value)`,
    [JSON.stringify(wanted)],
  );

const insert = (connection: Db, wanted: readonly WantedValue[]): Promise<StoredValue[]> =>
  rows(
    connection,
    // In the same order everywhere, so that two transactions cannot deadlock.
    `INSERT INTO event_values AS v (project_id, dimension, value)
     SELECT w."projectId", w.list, w.value FROM ${WANTED}
      ORDER BY w."projectId" COLLATE "C", w.list COLLATE "C", w.value COLLATE "C"
     ON CONFLICT DO NOTHING RETURNING ${STORED}`,
    [JSON.stringify(wanted)],
  );

/** Finds the ids of values of a list of a workspace; values without one are missing. */
export async function findIds(
  projectId: string,
  list: string,
  values: readonly string[],
  connection: Db = db(),
): Promise<Map<string, number>> {
  if (values.length === 0) return new Map();
  const wanted = values.map((value) => ({ projectId, list, value }));
  return new Map((await select(connection, wanted)).map(({ id, value }) => [value, id]));
}

/** Most characters of values that are remembered, 32 to 64 MB; an id takes as much as so many. */
const ANSWERED = 32 * 2 ** 20;
const ID_CHARACTERS = 64;

/** Values by their ids, of answers. */
class AnsweredValues {
  readonly #values = new Map<number, string>();
  #characters = 0;

  get(id: number): string | undefined {
    return this.#values.get(id);
  }

  add(id: number, value: string): void {
    this.#characters += value.length + ID_CHARACTERS;
    if (this.#characters > ANSWERED) {
      this.#values.clear();
      this.#characters = value.length + ID_CHARACTERS;
    }
    this.#values.set(id, value);
  }
}

const answered = new AnsweredValues();

/** Finds values by their ids. Values never change, and none is deleted: those of the last answers are remembered. */
export async function findValues(ids: readonly number[]): Promise<Map<number, string>> {
  const values = new Map<number, string>();
  const unknown: number[] = [];
  for (const id of ids) {
    const value = answered.get(id);
    if (value === undefined) unknown.push(id);
    else values.set(id, value);
  }
  if (unknown.length === 0) return values;
  const found = await rows<{ id: number; value: string }>(
    db(),
    'SELECT id, value FROM event_values WHERE id = ANY(?::bigint[])',
    [unknown],
  );
  for (const { id, value } of found) {
    values.set(id, value);
    answered.add(id, value);
  }
  return values;
}
