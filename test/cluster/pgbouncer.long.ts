import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { connectDb, execute, type Knex, rows } from '../../src/infra/db.ts';
import { eventually } from '../support/eventually.ts';
import { OwnService } from '../support/own-service.ts';
import { type Pgbouncer, startPooled } from '../support/pgbouncer.ts';
import { Visitors } from '../support/traffic.ts';
// Starts the servers of the tests.
import '../support/stack.ts';

const LOCK = 'SELECT pg_advisory_xact_lock(1)';

/** Selected tests, which `npm run test:pgbouncer` runs behind pgbouncer. */
describe('behind pgbouncer in transaction mode', function () {
  let pgbouncer: Pgbouncer;
  const own = new OwnService(async (dataDir) => {
    const pooled = await startPooled(dataDir);
    ({ pgbouncer } = pooled);
    return pooled;
  });

  before(async function () {
    if (spawnSync('pgbouncer', ['--version']).error !== undefined) this.skip();
    await own.start();
  });

  after(() => own.stop());

  async function withLimits<T>(
    limits: { statement_timeout?: number; lock_timeout?: number },
    work: (db: Knex) => Promise<T>,
  ): Promise<T> {
    const db = connectDb(pgbouncer.url, 1, 'test', limits);
    try {
      return await work(db);
    } finally {
      await db.destroy();
    }
  }
  const codeOf = (statement: Promise<unknown>) =>
    statement.then(
      () => undefined,
      (error: { code?: string }) => error.code,
    );

  it('creates links one by one and in bulk, redirects, and counts visits', async () => {
    const links = Array.from({ length: 100 }, (_, n) => ({ url: `https://example.com/${n}` }));
    const many = (await own.post('/links/bulk', links)) as { id: string }[];
    expect(many.map(({ id }) => id)).to.have.lengthOf(100);
    const { id, key } = await own.post('/links', { url: 'https://example.com/one' });
    const visitors = new Visitors('pooled', own.service.redirectPorts, [key], 50);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const { answered, cut, others } = await visitors.stop();
    expect([cut.size, others.size]).to.deep.equal([0, 0]);
    await eventually(async () => {
      const counted = await rows(own.db, 'SELECT visits FROM counters WHERE record_id = ?', [id]);
      expect(counted).to.deep.equal([{ visits: answered.size }]);
    });
  });

  it('ends statements and waits for locks in time, in a transaction and alone', async () => {
    await withLimits({ statement_timeout: 100 }, async (db) => {
      expect(await codeOf(execute(db, 'SELECT pg_sleep(20)'))).to.equal('57014');
      const inTransaction = db.transaction((trx) => execute(trx, 'SELECT pg_sleep(20)'));
      expect(await codeOf(inTransaction)).to.equal('57014');
      expect(await rows(db, 'SELECT ?::int AS one', [1])).to.deep.equal([{ one: 1 }]);
    });
    await own.db.transaction(async (holder) => {
      await execute(holder, LOCK);
      await withLimits({ lock_timeout: 100 }, async (db) => {
        expect(await codeOf(execute(db, LOCK))).to.equal('55P03');
        expect(await codeOf(db.transaction((trx) => execute(trx, LOCK)))).to.equal('55P03');
      });
    });
  });

  it('leaves no timeouts on the connections that others get', async () => {
    await withLimits({ statement_timeout: 1_234 }, async (db) => {
      expect(await rows(db, 'SHOW statement_timeout')).to.deep.equal([
        { statement_timeout: '1234ms' },
      ]);
    });
    expect(await rows(own.db, 'SHOW statement_timeout')).to.deep.equal([
      { statement_timeout: '0' },
    ]);
  });
});
