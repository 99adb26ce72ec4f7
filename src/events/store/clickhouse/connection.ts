import type { Readable } from 'node:stream';
import type { ClickHouseClient } from '@clickhouse/client';
import { prepareTable } from './table.ts';

/** Longest time of a statement, in ms: the worker's inserts are the longest. */
const TIMEOUT_MS = 120_000;
/** Longest time until a mutation is done, in ms; it rewrites all parts with rows that it deletes. */
const MUTATION_MS = 30 * 60_000;
const POLL_MS = 200;

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

/** A ClickHouse server, which is asked over HTTP. Its tables are created before the first statement. */
export class ClickHouse {
  readonly #url: URL;
  #connected: Promise<ClickHouseClient> | undefined;

  /** @param url `clickhouse://user:password@host:port/database`, or `clickhouses://…` for TLS */
  constructor(url: string) {
    this.#url = new URL(url);
  }

  /** Runs a query. Numbers of 64 bits may be texts in its rows. */
  async rows<Row extends object>(sql: string): Promise<Row[]> {
    return this.#use(async (client) => {
      const answer = await client.query({
        query: sql,
        format: 'JSONEachRow',
        clickhouse_settings: SETTINGS,
      });
      return answer.json<Row>();
    });
  }

  /**
   * Adds rows to a table. After an error, some of them may be stored.
   *
   * @param text values of the columns, in the text format of Postgres' COPY
   */
  async insert(table: string, columns: [string, ...string[]], text: Readable): Promise<void> {
    await this.#use((client) =>
      client.insert({ table, columns, values: text, format: 'TabSeparated' }),
    );
  }

  /**
   * Deletes rows of a table for good.
   *
   * @throws Error when it takes more than half an hour
   */
  async delete(table: string, condition: string): Promise<void> {
    const query = `ALTER TABLE ${table} DELETE WHERE ${condition}`;
    await this.#use((client) => client.command({ query, clickhouse_settings: SETTINGS }));
    for (const end = Date.now() + MUTATION_MS; Date.now() < end; ) {
      const [unfinished] = await this.rows<{ n: string | number }>(
        `SELECT count() AS n FROM system.mutations
          WHERE database = currentDatabase() AND table = ${literal(table)} AND NOT is_done`,
      );
      if (Number(unfinished!.n) === 0) return;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    throw new Error(`ClickHouse did not delete rows of ${table} in time`);
  }

  /** Ends its connections. */
  async close(): Promise<void> {
    const client = await this.#connected?.catch(() => undefined);
    this.#connected = undefined;
    await client?.close();
  }

  /**
   * Uses the client, which is connected first; what failed is tried again by the next statement.
   *
   * @throws Error without the statement, which has personal data
   */
  async #use<Result>(work: (client: ClickHouseClient) => Promise<Result>): Promise<Result> {
    const connected = (this.#connected ??= this.#open());
    try {
      await connected;
    } catch (error) {
      if (this.#connected === connected) this.#connected = undefined;
      throw withoutData(error);
    }
    try {
      return await work(await connected);
    } catch (error) {
      throw withoutData(error);
    }
  }

  async #open(): Promise<ClickHouseClient> {
    const { protocol, host, pathname, username, password } = this.#url;
    // Loaded where it is used only: it takes memory in every process.
    const { ClickHouseLogLevel, createClient } = await import('@clickhouse/client');
    const client = createClient({
      url: `${protocol === 'clickhouses:' ? 'https' : 'http'}://${host}`,
      username: decodeURIComponent(username) || 'default',
      password: decodeURIComponent(password),
      database: decodeURIComponent(pathname.slice(1)) || 'default',
      request_timeout: TIMEOUT_MS,
      // Else a busy process would use sockets that the server has closed.
      keep_alive: { eagerly_destroy_stale_sockets: true },
      // It would log statements.
      log: { level: ClickHouseLogLevel.OFF },
    });
    try {
      await prepareTable(client);
      return client;
    } catch (error) {
      await client.close();
      throw error;
    }
  }
}

/** The error of a server without the parts of the statement that its message repeats. */
function withoutData(error: unknown): unknown {
  const { code, type } = error as { code?: string; type?: string };
  return type === undefined ? error : new Error(`ClickHouse refused a statement: ${code} ${type}`);
}
