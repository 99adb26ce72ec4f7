import type pg from 'pg';
import {
  type PostgresOptions,
  type PostgresTarget,
  postgresOptions,
  takesWrites,
} from './postgres-url.ts';

/** Interval between two checks of the server, in ms. */
const CHECK_EVERY_MS = 2_000;

/** A connection, and the number of doubts at the time when its server was chosen. */
type Connection = pg.Client & { doubts?: number };

/** Events of Knex's pool that are listened to. */
export interface PoolEvents {
  on(event: 'createFail' | 'poolDestroyRequest', listener: () => void): unknown;
}

/**
 * Keeps the connections of a pool on the one of several servers that accepts writes. It is searched
 * again when a connection breaks or is refused, and when the server refuses a write; older
 * connections are no longer used then. If the server fails a check and another one accepts writes,
 * its connections are closed at once and their pending statements fail.
 */
export class Primary {
  readonly #target: PostgresTarget;
  /** Number of times that the role of the chosen server was in doubt. */
  #doubts = 0;
  #chosen: { doubts: number; options: Promise<PostgresOptions> } | undefined;
  readonly #open = new Set<Connection>();
  #timer: NodeJS.Timeout | undefined;
  #isChecking = false;

  constructor(target: PostgresTarget) {
    this.#target = target;
  }

  /**
   * Returns the options of a connection to the server. Knex calls it again when `expirationChecker`
   * returns true.
   */
  async connection(): Promise<PostgresOptions & { expirationChecker: () => boolean }> {
    const doubts = this.#doubts;
    if (this.#chosen?.doubts !== doubts) {
      const options = postgresOptions(this.#target);
      this.#chosen = { doubts, options };
      options.catch(() => this.doubt());
    }
    const options = await this.#chosen.options;
    return { ...options, expirationChecker: () => this.#doubts !== doubts };
  }

  /** Pool settings that report each connection, and check it before it is reused. */
  readonly poolOptions = {
    afterCreate: (
      connection: Connection,
      done: (error: Error | null, chosen: Connection) => void,
    ) => {
      connection.doubts = this.#chosen?.doubts ?? 0;
      this.#open.add(connection);
      connection.on('error', () => this.doubt());
      connection.once('end', () => this.#open.delete(connection));
      this.#timer ??= setInterval(() => void this.#check(), CHECK_EVERY_MS).unref();
      done(null, connection);
    },
    validate: ({ doubts }: Connection): boolean => doubts === this.#doubts,
  };

  /** Watches a pool that has these settings. */
  watch(pool: PoolEvents): void {
    pool.on('createFail', () => this.doubt());
    pool.on('poolDestroyRequest', () => clearInterval(this.#timer));
  }

  /** Searches the server again before the next statement. */
  doubt(): void {
    this.#doubts += 1;
  }

  async #check(): Promise<void> {
    if (this.#chosen === undefined || this.#isChecking) return;
    this.#isChecking = true;
    try {
      const options = await this.#chosen.options;
      if (await takesWrites(options).catch(() => false)) return;
      const next = await postgresOptions(this.#target);
      if (next.connectionString === options.connectionString) return;
      this.doubt();
      // A running statement would wait forever for a server that disappeared without closing the
      // connection.
      for (const connection of this.#open) {
        if (connection.doubts !== this.#doubts) connection.end().catch(() => {});
      }
    } catch {
      // If no server accepts writes, statements report it.
    } finally {
      this.#isChecking = false;
    }
  }
}
