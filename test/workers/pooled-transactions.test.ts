import { expect } from 'chai';
import { config } from '../../src/config.ts';
import { connectDb, type Knex, preparedRows } from '../../src/infra/db.ts';
// Starts the servers of the tests.
import '../support/servers.ts';

describe('transactions through a pgbouncer that assigns connections to transactions', () => {
  let pooled: Knex;
  before(() => {
    const url = new URL(config().DATABASE_URL);
    url.searchParams.set('pool_mode', 'transaction');
    pooled = connectDb(url.href, 1, 'test', { lock_timeout: 1_234 });
  });
  after(() => pooled.destroy());

  const read = async (trx: Knex) => {
    const { rows } = await trx.raw<{ rows: Record<string, string>[] }>(
      `SELECT pg_current_snapshot()::text AS snapshot, pg_current_xact_id_if_assigned()::text AS xid,
              current_setting('transaction_isolation') AS isolation, current_setting('lock_timeout') AS "lockTimeout"`,
    );
    return rows[0]!;
  };

  it('see one snapshot where they ask for it, and have the timeouts', async () => {
    const options = { isolationLevel: 'repeatable read', readOnly: true } as const;
    const other = connectDb(config().DATABASE_URL, 1, 'test');
    try {
      const [first, second] = await pooled.transaction(async (trx) => {
        const before = await read(trx);
        await other.raw('SELECT pg_current_xact_id()');
        return [before, await read(trx)];
      }, options);
      expect(first).to.include({ isolation: 'repeatable read', lockTimeout: '1234ms' });
      expect(second).to.deep.equal(first);
    } finally {
      await other.destroy();
    }
  });

  it('prepare no statements, which stay on a connection that they may not get again', async () => {
    const count = 'SELECT count(*) FROM pg_prepared_statements WHERE name = ?';
    const numbers = (pool: Knex) =>
      pool.transaction(async (trx) => {
        const once = () => preparedRows<{ count: number }>(trx, 'count', count, ['count']);
        return [...(await once()), ...(await once())].map((row) => row.count);
      });
    const other = connectDb(config().DATABASE_URL, 1, 'test');
    try {
      expect(await numbers(pooled)).to.deep.equal([0, 0]);
      expect(await numbers(other)).to.deep.equal([1, 1]);
    } finally {
      await other.destroy();
    }
  });

  it('are rolled back as a whole', async () => {
    const failure: unknown = await pooled
      .transaction(
        async (trx) => {
          await trx.raw('CREATE TABLE pooled_transactions ()');
          throw new Error('on purpose');
        },
        { isolationLevel: 'repeatable read' },
      )
      .catch((error: unknown) => error);
    expect(failure).to.have.property('message', 'on purpose');
    const { rows } = await pooled.raw<{ rows: { name: string | null }[] }>(
      "SELECT to_regclass('pooled_transactions')::text AS name",
    );
    expect(rows[0]!.name).to.equal(null);
  });
});
