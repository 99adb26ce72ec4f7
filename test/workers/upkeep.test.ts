import { expect } from 'chai';
import { migrateLatest, rollbackAll } from '../../scripts/migrate.ts';
import { config } from '../../src/config.ts';
import { ensurePartitions, pruneVisitGuards } from '../../src/events/upkeep.ts';
import { connectDb, db } from '../../src/infra/db.ts';
import { connectRedis, redisReady } from '../../src/infra/redis.ts';
import { SCHEDULE } from '../../src/queues/schedule.ts';
import { stack } from '../support/stack.ts';

describe('upkeep', () => {
  it('is on the schedule in Redis, each job once', async () => {
    const redis = connectRedis(config().REDIS_URL, 'fail-fast');
    await redisReady(redis);
    try {
      for (const { queue, job } of SCHEDULE) {
        expect(await redis.zscore(`{q-${queue.name}}:${queue.name}:repeat`, job), job).not.to.equal(
          null,
        );
      }
    } finally {
      redis.disconnect();
    }
    expect(stack().runner.restarts('worker_scheduler')).to.equal(0);
  });

  it('makes partitions ahead of time, and again without harm', async () => {
    await ensurePartitions();
    await ensurePartitions();
    const { rows } = await db().raw<{ rows: { count: number }[] }>(
      "SELECT count(*) FROM pg_inherits WHERE inhparent = 'events'::regclass",
    );
    expect(rows[0]!.count).to.be.greaterThan(4);
  });

  it('forgets guards whose repeats cannot come any more, and keeps the others', async () => {
    await db()('visit_guards').insert([
      { id: 'old', expires_at: new Date(Date.now() - 1) },
      { id: 'young', expires_at: new Date(Date.now() + 60_000) },
    ]);
    await pruneVisitGuards();
    expect(await db()('visit_guards').whereIn('id', ['old', 'young']).pluck('id')).to.deep.equal([
      'young',
    ]);
  });
});

describe('migrations', () => {
  it('go up, down and up again', async () => {
    const name = `migrations_${process.pid}`;
    await db().raw('CREATE DATABASE ??', [name]);
    const url = new URL(config().DATABASE_URL);
    url.pathname = `/${name}`;
    try {
      await migrateLatest(url.href);
      await rollbackAll(url.href);
      const empty = connectDb(url.href, 1, 'test');
      const { rows } = await empty.raw<{ rows: { name: string }[] }>(
        "SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relname NOT LIKE 'knex%'",
      );
      await empty.destroy();
      expect(rows).to.deep.equal([]);
      await migrateLatest(url.href);
    } finally {
      await db().raw('DROP DATABASE ??', [name]);
    }
  });
});
