import pg from 'pg';

/** Timeouts of a statement and of its waits for locks, in ms. */
export interface Limits {
  statement_timeout?: number;
  lock_timeout?: number;
}

type Answer = (error: Error | null, result?: pg.QueryResult) => void;

/**
 * Creates the driver's client for a pgbouncer with `pool_mode=transaction`, which rejects timeouts
 * as start-up parameters and assigns a connection to one transaction at a time. Timeouts are
 * therefore set per transaction: they are sent together with BEGIN, and a statement outside of a
 * transaction gets its own, which takes three round trips instead of one.
 *
 * @param limits timeouts of each transaction
 */
export function pooledClient(limits: Limits): typeof pg.Client {
  const settings = Object.entries(limits).map(([name, ms]) => ` SET LOCAL ${name} = ${ms};`);
  const begun = (text: string) => `${text}${settings.join('')}`;
  return class extends pg.Client {
    // Knex calls it with a statement and a callback, COPY with a stream.
    // oxlint-disable-next-line typescript/no-explicit-any -- one body for all overloads
    override query(statement: any, ...rest: any[]): any {
      const text = (statement as { text?: string }).text;
      const answer = rest.at(-1) as Answer | undefined;
      // Prepared statements belong to a connection, and another one may get the next transaction.
      if (text !== undefined) delete (statement as pg.QueryConfig).name;
      // Every transaction begins so, with an isolation level or without.
      if (text?.startsWith('BEGIN')) return super.query(begun(text), answer as never);
      if (text === undefined || this.getTransactionStatus() !== 'I') {
        return super.query(statement, ...rest);
      }
      this.#alone(statement as pg.QueryConfig).then(
        (result) => answer?.(null, result),
        (error: Error) => answer?.(error),
      );
      return undefined;
    }

    async #alone(statement: pg.QueryConfig): Promise<pg.QueryResult> {
      await super.query(begun('BEGIN;'));
      const result = await super.query(statement).catch(async (error: unknown) => {
        await super.query('ROLLBACK').catch(() => {});
        throw error;
      });
      await super.query('COMMIT');
      return result;
    }
  };
}
