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

/** Longest time until a mutation is done, in ms; it rewrites all parts with rows that it deletes. */
const MUTATION_MS = 30 * 60_000;
/** Longest time until replicas have copied an insert, in ms. */
const COPIES_MS = 120_000;
const POLL_MS = 200;
/** Time after which a node of a cluster that has not answered a statement is asked if it is there, in ms. */
const WATCH_MS = 3_000;

/**
 * Lists of ids are part of statements, since servers before 19.14 take no parameters. Without a buffered answer, an error
 * that comes after the first rows would cut it off unnoticed.
 */
const SETTINGS = {
  max_query_size: '100000000',
  max_ast_elements: '10000000',
  max_expanded_ast_elements: '10000000',
  wait_end_of_query: 1,
} as const;

/** Nodes ask each other; one that is away must be noticed before the statement has taken too long. */
const BETWEEN_NODES = {
  connect_timeout_with_failover_ms: 1_000,
  receive_timeout: 20,
} as const;

/** An insert has ended when every shard has stored its rows, and fails when one of them has not. */
const BY_ALL_NODES = {
  insert_distributed_sync: 1,
  insert_distributed_timeout: '100',
  connect_timeout_with_failover_ms: 1_000,
  receive_timeout: 100,
} as const;

/** A text as a literal of ClickHouse's SQL. */
export const literal = (text: string): string =>
  `'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`;

/** Most texts that are compared one by one, which old servers do by dictionary, rather than row by row as with IN. */
const FEW = 8;

/** SQL that is true where an expression is one of some texts. */
export function isOneOf(expression: string, texts: readonly string[]): string {
  if (texts.length === 0) return '0';
  if (texts.length > FEW) return `${expression} IN (${texts.map(literal).join(', ')})`;
  return `(${texts.map((text) => `${expression} = ${literal(text)}`).join(' OR ')})`;
}

type Work<Result> = (client: ClickHouseClient, signal?: AbortSignal) => Promise<Result>;

/**
 * A ClickHouse server, or a cluster of them, which is asked over HTTP. Tables are created before the first statement.
 *
 * Every node of a cluster has a table with a part of the events, and one over the tables of all nodes, under whose name
 * questions and inserts go to any node.
 */
export class ClickHouse {
  readonly #address: ClickHouseAddress;
  readonly #nodes: Node[];
  /** The node that is asked first. */
  #first: number;
  /** Nodes of each shard. */
  #replicas = 1;

  /** @param url of the setting EVENTS_URL */
  constructor(url: string) {
    this.#address = parseClickHouseAddress(url);
    this.#nodes = this.#address.nodes.map((origin) => new Node(origin, this.#address));
    // Processes share the nodes.
    this.#first = Math.floor(Math.random() * this.#nodes.length);
  }

  get #isCluster(): boolean {
    return this.#address.cluster !== undefined;
  }

  /** Runs a query, in a cluster on a node that answers. Numbers of 64 bits may be texts in its rows. */
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
   * Resolves if an insert can succeed: all nodes must answer.
   *
   * @throws Error when one doesn't
   */
  async checkForInsert(): Promise<void> {
    await this.rows('SELECT 1');
    await Promise.all(this.#nodes.map((node) => node.check()));
  }

  /**
   * Adds rows to a table. After an error, some of them may be stored.
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
      // The text can be read once.
      { isOnce: true },
    );
    if (!this.#address.isReplicated) return;
    const stored = storedIn(table, this.#address);
    await Promise.all(
      this.#nodes.map((node) => node.use((client) => waitForCopies(client, stored))),
    );
  }

  /**
   * Deletes rows of a table for good, on all nodes.
   *
   * @throws Error when it takes more than half an hour, or a node is away
   */
  async delete(table: string, condition: string): Promise<void> {
    await this.#prepare();
    await Promise.all(this.#nodes.map((node) => node.check()));
    const stored = storedIn(table, this.#address);
    await Promise.all(
      this.#nodes.map((node) =>
        node.use((client) => deleteRows(client, stored, condition, this.#address.isReplicated)),
      ),
    ).catch((error: unknown) => {
      throw withoutData(error);
    });
  }

  /** Ends its connections. */
  async close(): Promise<void> {
    await Promise.all(this.#nodes.map((node) => node.close()));
  }

  /**
   * Uses the client of a node. What could not be prepared is tried again by the next statement.
   *
   * @param options.isOnce false if another node may be used when one doesn't answer
   * @throws Error without the statement, which has personal data
   */
  async #use<Result>(work: Work<Result>, { isOnce = false } = {}): Promise<Result> {
    const nodes = [...this.#nodes.slice(this.#first), ...this.#nodes.slice(0, this.#first)]
      // Those that were away come last.
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

  /** Creates tables on all nodes that answer. */
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
   * Ends a statement of a cluster when a node hangs: its own, or another one, for which old servers wait without an end. With
   * replicas, the statement can do without one that is known to be away.
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
      Promise.all([node, ...others].map((one) => one.check())).catch((error: unknown) =>
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
 * Waits until a replica has what others have stored: any of them may answer the next question. A quorum of inserts would do it
 * too, but old servers then keep the newest rows from mutations.
 */
async function waitForCopies(client: ClickHouseClient, table: string): Promise<void> {
  const of = `database = currentDatabase() AND table = ${literal(table)}`;
  const isThere = async (query: string) => {
    const answer = await client.query({ query, format: 'JSONEachRow' });
    const [row] = await answer.json<{ done: string | number }>();
    return Number(row?.done) === 1;
  };
  for (const end = Date.now() + COPIES_MS; Date.now() < end; ) {
    if (
      // What the replica has heard of, then what of that it still has to fetch.
      (await isThere(
        `SELECT log_pointer > log_max_index AS done FROM system.replicas WHERE ${of}`,
      )) &&
      (await isThere(
        `SELECT count() = 0 AS done FROM system.replication_queue WHERE ${of} AND type = 'GET_PART'`,
      ))
    ) {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error(`ClickHouse did not copy rows of ${table} in time`);
}

/**
 * Deletes rows of a table of a server.
 *
 * @param isReplicated true if the server hears of its own mutations from ZooKeeper, a moment later
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
