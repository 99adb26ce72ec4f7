import type pg from 'pg';
import {
  type PostgresOptions,
  type PostgresTarget,
  postgresOptions,
  takesWrites,
} from './postgres-url.ts';

/** Pause between two checks of the server, in ms. */
const CHECK_EVERY_MS = 2_000;

/** A connection, and the number of doubts that there had been when its server was chosen. */
type Connection = pg.Client & { doubts?: number };

/** Events of the pool of Knex that are listened to. */
export interface PoolEvents {
  on(event: 'createFail' | 'poolDestroyRequest', listener: () => void): unknown;
}

/**
 * Keeps the connections of a pool on that one of several servers that takes writes. It is looked for again when a
 * connection breaks or is refused, and when the server refuses a write; connections of before are not used any more then.
 * Where the server does not answer a check and another one takes writes, its connections are closed at once, and what they
 * were asked fails.
 */
export class Primary {
  readonly #target: PostgresTarget;
  /** How often it was in doubt whether the chosen server still takes writes. */
  #doubts = 0;
  #chosen: { doubts: number; options: Promise<PostgresOptions> } | undefined;
  readonly #open = new Set<Connection>();
  #timer: NodeJS.Timeout | undefined;
  #isChecking = false;

  constructor(target: PostgresTarget) {
    this.#target = target;
  }

  /** Options of a connection to the server, for Knex, which asks again when `expirationChecker` says so. */
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

  /** Settings of the pool: it tells of each connection, and asks before it uses one again. */
  readonly poolOptions = {
    afterCreate: (connection: Connection, done: (error: Error | null, one: Connection) => void) => {
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

  /** Looks for the server again before the next statement. */
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
      // A statement under way would wait for a server that went away without a word.
      for (const connection of this.#open) {
        if (connection.doubts !== this.#doubts) connection.end().catch(() => {});
      }
    } catch {
      // No server takes writes: statements tell.
    } finally {
      this.#isChecking = false;
    }
  }
}
