import type { ClickHouseClient } from '@clickhouse/client';
import type { ClickHouseAddress } from '../../../infra/clickhouse-address.ts';
import { isWithoutTable } from './outage.ts';
import { prepareTable } from './table.ts';

/** Longest time of a statement, in ms: the worker's inserts are the longest. */
const TIMEOUT_MS = 120_000;
/** Longest time until a server says that it is there, in ms. */
const CHECK_MS = 3_000;
/** Time in which a node that was away is asked after the others, in ms. */
const AWAY_MS = 30_000;
/** Time after which it is tried again to prepare a node, in ms. */
const AGAIN_MS = 5_000;

/** A server: the only one, or a node of a cluster. */
export class Node {
  readonly #origin: string;
  readonly #address: ClickHouseAddress;
  #client: Promise<ClickHouseClient> | undefined;
  #prepared: Promise<number> | undefined;
  #awayUntil = 0;
  #preparedAgainAt = 0;

  constructor(origin: string, address: ClickHouseAddress) {
    this.#origin = origin;
    this.#address = address;
  }

  /** True for a while after it did not answer. */
  get isAway(): boolean {
    return Date.now() < this.#awayUntil;
  }

  /** Creates the tables, unless that is done. @returns the number of nodes of each shard */
  async prepare(): Promise<number> {
    if (this.#prepared === undefined && Date.now() < this.#preparedAgainAt) throw this.outage();
    const prepared = (this.#prepared ??= this.#prepare());
    try {
      return await prepared;
    } catch (error) {
      if (this.#prepared === prepared) this.#prepared = undefined;
      throw error;
    }
  }

  /** Does something with its client. */
  async use<Result>(work: (client: ClickHouseClient) => Promise<Result>): Promise<Result> {
    try {
      return await work(await this.#connect());
    } catch (error) {
      // A disk may have been replaced.
      if (isWithoutTable(error)) this.#prepared = undefined;
      throw error;
    }
  }

  /** @throws Error when the server does not say soon that it is there */
  async check(): Promise<void> {
    const client = await this.#connect();
    const { success } = await client.ping({
      select: false,
      abort_signal: AbortSignal.timeout(CHECK_MS),
    });
    if (success) {
      this.#awayUntil = 0;
      return;
    }
    if (this.#address.cluster !== undefined) {
      this.#awayUntil = Date.now() + AWAY_MS;
      this.#preparedAgainAt = Date.now() + AGAIN_MS;
    }
    throw this.outage();
  }

  /** The error of a server that is away. */
  outage(): Error {
    return new Error(`ClickHouse does not answer at ${new URL(this.#origin).host}`);
  }

  /** Ends its connections. */
  async close(): Promise<void> {
    const client = await this.#client;
    this.#client = undefined;
    this.#prepared = undefined;
    await client?.close();
  }

  async #prepare(): Promise<number> {
    // What hangs keeps questions waiting no longer than that.
    if (this.#address.cluster !== undefined) await this.check();
    return prepareTable(await this.#connect(), this.#address);
  }

  #connect(): Promise<ClickHouseClient> {
    return (this.#client ??= this.#open());
  }

  async #open(): Promise<ClickHouseClient> {
    const { username, password, database } = this.#address;
    // Loaded where it is used only: it takes memory in every process.
    const { ClickHouseLogLevel, createClient } = await import('@clickhouse/client');
    return createClient({
      url: this.#origin,
      username,
      password,
      database,
      request_timeout: TIMEOUT_MS,
      // Else a busy process would use sockets that the server has closed.
      keep_alive: { eagerly_destroy_stale_sockets: true },
      // It would log statements.
      log: { level: ClickHouseLogLevel.OFF },
    });
  }
}
