import type { ClickHouseClient } from '@clickhouse/client';
import type { ClickHouseAddress } from '../../../infra/clickhouse-address.ts';
import { isWithoutTable } from './outage.ts';
import { prepareTable } from './table.ts';

/** Time limit of a statement, in ms. Inserts of the worker take longest. */
const TIMEOUT_MS = 120_000;
/** Time limit of a liveness check, in ms. */
const CHECK_MS = 3_000;
/** Time for which a node that was unavailable is tried last, in ms. */
const AWAY_MS = 30_000;
/** Delay before a failed preparation of a node is tried again, in ms. */
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

  /** True for a while after the node did not answer. */
  get isAway(): boolean {
    return Date.now() < this.#awayUntil;
  }

  /**
   * Creates the tables unless they exist.
   *
   * @returns the number of nodes per shard
   */
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

  /** Runs a function with the client of the node. */
  async use<Result>(work: (client: ClickHouseClient) => Promise<Result>): Promise<Result> {
    try {
      return await work(await this.#connect());
    } catch (error) {
      // The disk may have been replaced.
      if (isWithoutTable(error)) this.#prepared = undefined;
      throw error;
    }
  }

  /** @throws Error when the server does not pass a liveness check in time */
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

  /** Makes the error for an unavailable server. */
  outage(): Error {
    return new Error(`ClickHouse does not answer at ${new URL(this.#origin).host}`);
  }

  /** Closes the connections. */
  async close(): Promise<void> {
    const client = await this.#client;
    this.#client = undefined;
    this.#prepared = undefined;
    await client?.close();
  }

  async #prepare(): Promise<number> {
    // A hanging node delays queries no longer than the check.
    if (this.#address.cluster !== undefined) await this.check();
    return prepareTable(await this.#connect(), this.#address);
  }

  #connect(): Promise<ClickHouseClient> {
    return (this.#client ??= this.#open());
  }

  async #open(): Promise<ClickHouseClient> {
    const { username, password, database } = this.#address;
    // Loaded on first use, because it takes memory in every process.
    const { ClickHouseLogLevel, createClient } = await import('@clickhouse/client');
    return createClient({
      url: this.#origin,
      username,
      password,
      database,
      request_timeout: TIMEOUT_MS,
      // Otherwise a busy process would use sockets that the server has closed.
      keep_alive: { eagerly_destroy_stale_sockets: true },
      // The client would log statements, which contain personal data.
      log: { level: ClickHouseLogLevel.OFF },
    });
  }
}
