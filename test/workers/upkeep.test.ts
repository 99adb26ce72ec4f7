import { expect } from 'chai';
import { migrateLatest, rollbackAll } from '../../scripts/migrate.ts';
import { config } from '../../src/config.ts';
import { rebuildRollups } from '../../src/events/rebuild.ts';
import { retainEvents } from '../../src/events/retention.ts';
import { addEvents } from '../../src/events/store.ts';
import { sumUp } from '../../src/events/sum-up.ts';
import { ensurePartitions, pruneVisitGuards } from '../../src/events/upkeep.ts';
import { connectDb, db } from '../../src/infra/db.ts';
import { cacheRedis, connectRedis, redisReady } from '../../src/infra/redis.ts';
import { LINKS } from '../../src/links/kind.ts';
import { decodeLink } from '../../src/lookup/entry.ts';
import { CHANGED, linkName } from '../../src/lookup/publish.ts';
import { QR_CODES } from '../../src/qrcodes/kind.ts';
import { SCHEDULE } from '../../src/queues/schedule.ts';
import { rebuildEntries } from '../../src/records/rebuild.ts';
import { anEvent } from '../support/events.ts';
import { eventually } from '../support/eventually.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace } from '../support/world.ts';

const A = 'https://example.com/a';
const IOS = 'https://apps.example.com/ios';

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

describe('look-up entries of an older shape', () => {
  it('still lead on, and are made anew by the migration with all that their rows say', async () => {
    const { api, projectId, visit } = await aWorkspace();
    await api.post('/links', { url: A, key: 'a', ios: IOS });
    await api.post('/qrcodes', { type: 'url', url: A, key: 'q', ios: IOS });
    await api.post('/links', { url: A, key: 'p', password: 'x' });
    const claims = () => db()('claims').where({ project_id: projectId }).orderBy('key');
    const before = await claims();
    for (const { domain_id, key, record_id, entry } of before) {
      const { passwordHash } = decodeLink(entry);
      const extras = passwordHash === undefined ? '' : JSON.stringify({ passwordHash });
      const old = ['1', record_id, projectId, A, extras].join('\n');
      await db()('claims').where({ domain_id, key }).update({ entry: old });
      await cacheRedis().del(linkName(domain_id, key));
      await cacheRedis().publish(CHANGED, linkName(domain_id, key));
    }
    const phone = { userAgent: 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)' };
    await eventually(async () => expect((await visit('/a', phone)).headers.location).to.equal(A));
    expect((await visit('/p')).status).to.equal(403);

    await rebuildEntries(LINKS, db());
    await rebuildEntries(QR_CODES, db());

    const after = await claims();
    expect(after.map(({ entry }) => entry)).to.deep.equal(before.map(({ entry }) => entry));
    for (const { domain_id, key } of after) {
      await cacheRedis().publish(CHANGED, linkName(domain_id, key));
    }
    for (const key of ['a', 'q']) {
      await eventually(async () =>
        expect((await visit(`/${key}`, phone)).headers.location).to.equal(IOS),
      );
    }
  });
});

describe('retention', () => {
  it('takes old months of events away as plan and workspace say, and keeps their counts', async () => {
    const [free, kept, own] = [
      await aWorkspace({ plan: 'free' }),
      await aWorkspace({ plan: 'enterprise' }),
      await aWorkspace({ plan: 'enterprise' }),
    ];
    await own.set({ retentionDays: 400 });
    const monthsAgo = (months: number) => {
      const now = new Date();
      return new Date(
        Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 1, 12),
      ).toISOString();
    };
    for (const { projectId } of [free, kept, own]) {
      const events = [0, 3, 20].map((months) =>
        anEvent(projectId, { id: `evt_${months}`, occurred_at: monthsAgo(months) }),
      );
      await db().transaction((trx) => addEvents(trx, events));
    }
    const left = async ({ projectId }: { projectId: string }) =>
      (await db()('events').where({ project_id: projectId })).length;
    await retainEvents();
    expect([await left(free), await left(kept), await left(own)]).to.deep.equal([1, 3, 2]);
    for (const { projectId } of [free, own]) {
      const { domains } = await rebuildRollups(db(), projectId);
      expect(domains).to.include({ missing: 0, surplus: 0, different: 0 });
      const rows = await db()('rollups').where({
        project_id: projectId,
        dimension: 'all',
        step: 'm',
      });
      expect(rows).to.have.lengthOf(3);
    }
    expect((await own.api.get('/analytics', { interval: 'all' })).body.clicks).to.equal(3);
  });

  it('keeps what a week counted before its first days were taken away, however often it is rebuilt', async () => {
    const { projectId } = await aWorkspace();
    // Weeks begin on Mondays: that of 26 January 2026 is in two months.
    const events = ['2026-01-27', '2026-01-30', '2026-02-01', '2026-02-03'].map((day, n) =>
      anEvent(projectId, { id: `evt_week_${n}`, occurred_at: `${day}T12:00:00Z` }),
    );
    await db().transaction((trx) => addEvents(trx, events));
    await sumUp();
    const weeks = async () =>
      (
        await db()('rollups')
          .where({ project_id: projectId, dimension: 'city', step: 'w' })
          .orderBy('bucket')
      ).map(({ count }) => count);
    expect(await weeks()).to.deep.equal([3, 1]);
    await db()('workspaces').where({ id: projectId }).update({ events_from: '2026-02-01' });
    await db()('events')
      .where({ project_id: projectId })
      .where('occurred_at', '<', '2026-02-01')
      .delete();
    for (let n = 0; n < 2; n += 1) {
      const { domains } = await rebuildRollups(db(), projectId);
      expect(domains).to.include({ missing: 0, surplus: 0, different: 0 });
      expect(await weeks()).to.deep.equal([3, 1]);
    }
  });

  it('lets go of empty partitions of the past', async () => {
    await db().raw("SELECT ensure_events_partition('2019-05-01')");
    const exists = async () => {
      const { rows } = await db().raw<{ rows: { name: string | null }[] }>(
        "SELECT to_regclass('events_2019_05')::text AS name",
      );
      return rows[0]!.name !== null;
    };
    expect(await exists()).to.equal(true);
    await retainEvents();
    expect(await exists()).to.equal(false);
  });
});
