import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { ClickHouseClient } from '@clickhouse/client';
import {
  type ClickHouseAddress,
  parseClickHouseAddress,
} from '../../../infra/clickhouse-address.ts';
import { Node } from './node.ts';
import { isOutage, withoutData } from './outage.ts';
import { storedIn } from './table.ts';

/** Time limit of a mutation, in ms. It rewrites all parts that contain deleted rows. */
const MUTATION_MS = 30 * 60_000;
/** Time limit for replicas to copy an insert, in ms. */
const COPIES_MS = 120_000;
const POLL_MS = 200;
/** Time without an answer after which a cluster node is checked for liveness, in ms. */
const WATCH_MS = 3_000;

/**
 * Lists of ids are part of the statement, because servers before 19.14 have no parameters. Answers
 * are buffered, because an error after the first rows would otherwise truncate the answer
 * unnoticed.
 */
const SETTINGS = {
  max_query_size: '100000000',
  max_ast_elements: '10000000',
  max_expanded_ast_elements: '10000000',
  wait_end_of_query: 1,
} as const;

/** Nodes query each other, and must notice an unavailable node before the statement times out. */
const BETWEEN_NODES = {
  connect_timeout_with_failover_ms: 1_000,
  receive_timeout: 20,
} as const;

/** An insert ends when every shard has stored its rows, and fails if one has not. */
const BY_ALL_NODES = {
  insert_distributed_sync: 1,
  insert_distributed_timeout: '100',
  connect_timeout_with_failover_ms: 1_000,
  receive_timeout: 100,
} as const;

/** Quotes a text as an SQL literal of ClickHouse. */
export const literal = (text: string): string =>
  `'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`;

/**
 * Maximum number of texts that are compared individually. Old servers do this by dictionary, but
 * evaluate IN row by row.
 */
const MAX_COMPARED = 8;

/** Builds SQL that is true if an expression equals one of some texts. */
export function isOneOf(expression: string, texts: readonly string[]): string {
  if (texts.length === 0) return '0';
  if (texts.length > MAX_COMPARED) return `${expression} IN (${texts.map(literal).join(', ')})`;
  return `(${texts.map((text) => `${expression} = ${literal(text)}`).join(' OR ')})`;
}

type Work<Result> = (client: ClickHouseClient, signal?: AbortSignal) => Promise<Result>;

/**
 * A ClickHouse server or cluster, queried over HTTP. Tables are created before the first statement.
 *
 * Every node of a cluster has a table with some of the events, and a distributed table over all
 * nodes, under whose name queries and inserts can go to any node.
 */
export class ClickHouse {
  readonly #address: ClickHouseAddress;
  readonly #nodes: Node[];
  /** Index of the node that is tried first. */
  #first: number;
  /** Number of nodes per shard. */
  #replicas = 1;

  /** @param url value of the setting EVENTS_URL */
  constructor(url: string) {
    this.#address = parseClickHouseAddress(url);
    this.#nodes = this.#address.nodes.map((origin) => new Node(origin, this.#address));
    // Spreads processes over the nodes.
    this.#first = Math.floor(Math.random() * this.#nodes.length);
  }

  get #isCluster(): boolean {
    return this.#address.cluster !== undefined;
  }

  /**
   * Runs a query; in a cluster, on a node that answers. 64-bit numbers may be texts in the rows.
   */
  async rows<Row extends object>(sql: string): Promise<Row[]> {
    const clickhouse_settings = { ...SETTINGS, ...(this.#isCluster && BETWEEN_NODES) };
    return this.#use(async (client, signal) => {
      const answer = await client.query({
        query: sql,
        format: 'JSONEachRow',
        clickhouse_settings,
        ...(signal && { abort_signal: signal }),
      });
      return answer.json<Row>();
    });
  }

  /**
   * Resolves if an insert can succeed, which requires that all nodes answer.
   *
   * @throws Error when a node does not answer
   */
  async checkForInsert(): Promise<void> {
    await this.rows('SELECT 1');
    await Promise.all(this.#nodes.map((node) => node.check()));
  }

  /**
   * Inserts rows into a table. After an error, some of them may be stored.
   *
   * @param text values of the columns, in the text format of Postgres' COPY
   */
  async insert(table: string, columns: [string, ...string[]], text: Readable): Promise<void> {
    const clickhouse_settings = this.#isCluster ? BY_ALL_NODES : {};
    await this.#use(
      (client, signal) =>
        client.insert({
          table,
          columns,
          values: text,
          format: 'TabSeparated',
          clickhouse_settings,
          ...(signal && { abort_signal: signal }),
        }),
      // The stream can be read only once.
      { isOnce: true },
    );
    if (!this.#address.isReplicated) return;
    const localTable = storedIn(table, this.#address);
    await Promise.all(
      this.#nodes.map((node) => node.use((client) => waitForCopies(client, localTable))),
    );
  }

  /**
   * Deletes rows of a table permanently, on all nodes.
   *
   * @throws Error when it takes more than half an hour, or a node is unavailable
   */
  async delete(table: string, condition: string): Promise<void> {
    await this.#prepare();
    await Promise.all(this.#nodes.map((node) => node.check()));
    const localTable = storedIn(table, this.#address);
    await Promise.all(
      this.#nodes.map((node) =>
        node.use((client) => deleteRows(client, localTable, condition, this.#address.isReplicated)),
      ),
    ).catch((error: unknown) => {
      throw withoutData(error);
    });
  }

  /** Closes all connections. */
  async close(): Promise<void> {
    await Promise.all(this.#nodes.map((node) => node.close()));
  }

  /**
   * Runs a statement on a node. If preparing the node failed, the next statement tries again.
   *
   * @param options.isOnce true if no other node may be used when one does not answer
   * @throws Error without the statement, which contains personal data
   */
  async #use<Result>(work: Work<Result>, { isOnce = false } = {}): Promise<Result> {
    const nodes = [...this.#nodes.slice(this.#first), ...this.#nodes.slice(0, this.#first)]
      // Nodes that were unavailable come last.
      .toSorted((a, b) => Number(a.isAway) - Number(b.isAway));
    let failure: unknown;
    for (const node of isOnce ? nodes.slice(0, 1) : nodes) {
      try {
        await this.#prepare();
        const result = await node.use((client) => this.#watched(node, client, work));
        this.#first = this.#nodes.indexOf(node);
        return result;
      } catch (error) {
        if (!isOutage(error)) throw withoutData(error);
        failure = error;
      }
    }
    throw withoutData(failure);
  }

  /** Creates the tables on all nodes that answer. */
  async #prepare(): Promise<void> {
    const outcomes = await Promise.allSettled(this.#nodes.map((node) => node.prepare()));
    const failures = outcomes.flatMap((outcome) =>
      outcome.status === 'rejected' ? [outcome.reason as unknown] : [],
    );
    const fault = failures.find((failure) => !isOutage(failure));
    if (fault !== undefined) throw fault;
    if (failures.length === this.#nodes.length) throw failures[0];
    for (const outcome of outcomes) {
      if (outcome.status === 'fulfilled') this.#replicas = Math.max(this.#replicas, outcome.value);
    }
  }

  /**
   * Ends a cluster statement when its own node hangs, or another one for which old servers wait
   * forever. With replicas, the statement can do without a node that is known to be unavailable.
   */
  async #watched<Result>(
    node: Node,
    client: ClickHouseClient,
    work: Work<Result>,
  ): Promise<Result> {
    if (!this.#isCluster) return work(client);
    const away = new AbortController();
    const timer = setInterval(() => {
      const others = this.#nodes.filter((other) => this.#replicas === 1 || !other.isAway);
      Promise.all([node, ...others].map((checked) => checked.check())).catch((error: unknown) =>
        away.abort(error),
      );
    }, WATCH_MS);
    try {
      return await work(client, away.signal);
    } catch (error) {
      throw away.signal.aborted ? away.signal.reason : error;
    } finally {
      clearInterval(timer);
    }
  }
}

/**
 * Waits until a replica has everything that the others have stored, because any of them may answer
 * the next query. Quorum inserts would do the same, but old servers then exclude the newest rows
 * from mutations.
 */
async function waitForCopies(client: ClickHouseClient, table: string): Promise<void> {
  const isTable = `database = currentDatabase() AND table = ${literal(table)}`;
  const isThere = async (query: string) => {
    const answer = await client.query({ query, format: 'JSONEachRow' });
    const [row] = await answer.json<{ done: string | number }>();
    return Number(row?.done) === 1;
  };
  for (const end = Date.now() + COPIES_MS; Date.now() < end; ) {
    if (
      // First the replication log that the replica knows of, then the entries that it still has to
      // fetch.
      (await isThere(
        `SELECT log_pointer > log_max_index AS done FROM system.replicas WHERE ${isTable}`,
      )) &&
      (await isThere(
        `SELECT count() = 0 AS done FROM system.replication_queue WHERE ${isTable} AND type = 'GET_PART'`,
      ))
    ) {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error(`ClickHouse did not copy rows of ${table} in time`);
}

/**
 * Deletes rows of a table on one server.
 *
 * @param isReplicated true if the server learns of its own mutations from ZooKeeper, a moment later
 */
async function deleteRows(
  client: ClickHouseClient,
  table: string,
  condition: string,
  isReplicated: boolean,
): Promise<void> {
  const mark = isReplicated ? randomUUID() : '';
  const marked = isReplicated ? `(${condition}) AND ${literal(mark)} != ''` : condition;
  const query = `ALTER TABLE ${table} DELETE WHERE ${marked}`;
  await client.command({ query, clickhouse_settings: SETTINGS });
  const isDone = `SELECT ${isReplicated ? 'countIf(is_done) > 0' : 'countIf(NOT is_done) = 0'} AS done FROM system.mutations
    WHERE database = currentDatabase() AND table = ${literal(table)} AND position(command, ${literal(mark)}) > 0`;
  for (const end = Date.now() + MUTATION_MS; Date.now() < end; ) {
    const answer = await client.query({ query: isDone, format: 'JSONEachRow' });
    const [row] = await answer.json<{ done: string | number }>();
    if (Number(row!.done) === 1) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error(`ClickHouse did not delete rows of ${table} in time`);
}
