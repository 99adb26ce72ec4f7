import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { pino } from 'pino';
import { migrateEntries, migrateLatest, rollbackAll } from '../../scripts/migrations.ts';
import { config } from '../../src/config.ts';
import { GROUPS, type GroupName } from '../../src/events/query/groups/index.ts';
import { append } from '../../src/events/store/postgres/append.ts';
import { buildBlocks } from '../../src/events/store/postgres/build-blocks.ts';
import { retainEvents } from '../../src/events/store/postgres/retention.ts';
import { postgresStore } from '../../src/events/store/postgres/store.ts';
import { ensurePartitions, pruneVisitGuards } from '../../src/events/store/postgres/upkeep.ts';
import { connectDb, db, type Knex } from '../../src/infra/db.ts';
import { cacheRedis, connectRedis, redisReady } from '../../src/infra/redis.ts';
import { CHANGED, decodeLink, linkName } from '../../src/lookup/codec.ts';
import { ALL_JOBS } from '../../workers/jobs.ts';
import { createDatabase, dropDatabase } from '../support/databases.ts';
import { anEvent } from '../support/events.ts';
import { eventually } from '../support/eventually.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace } from '../support/world.ts';

const log = pino({ level: 'silent' });
const A = 'https://example.com/a';
const IOS = 'https://apps.example.com/ios';

describe('upkeep', () => {
  it('is on the schedule in Redis, each job once', async () => {
    const redis = connectRedis(config().REDIS_URL, 'fail-fast');
    await redisReady(redis);
    try {
      for (const { queue, name } of ALL_JOBS.filter(({ everyMs }) => everyMs !== undefined)) {
        const next = await redis.zscore(`{q-${queue.name}}:${queue.name}:repeat`, name);
        expect(next, name).not.to.equal(null);
      }
    } finally {
      redis.disconnect();
    }
    expect(stack().restarts('worker_scheduler')).to.equal(0);
  });

  it('creates partitions in advance, and repeatedly without errors', async () => {
    await ensurePartitions();
    await ensurePartitions();
    const { rows } = await db().raw<{ rows: { count: number }[] }>(
      "SELECT count(*) FROM pg_inherits WHERE inhparent = 'events'::regclass",
    );
    expect(rows[0]!.count).to.be.greaterThan(4);
  });

  it('moves events from the default partition to that of their month', async () => {
    const { projectId } = await aWorkspace();
    const [first, last] = ['2031-03-01T00:00:00.000Z', '2031-03-31T23:59:59.999Z'];
    const outside = ['2031-02-28T23:59:59.999Z', '2031-04-01T00:00:00.000Z'];
    const events = [first, last, ...outside].map((occurred_at, n) =>
      anEvent(projectId, { id: `evt_default_${n}`, occurred_at }),
    );
    await db().transaction((trx) => append(trx, events));
    const make = () => db().raw("SELECT ensure_events_partition('2031-03-15')");

    await Promise.all([make(), make()]);

    const where = async (table: string) =>
      (await db()(table).where({ project_id: projectId }).orderBy('id').pluck('id')) as string[];
    expect(await where('events_2031_03')).to.deep.equal(['evt_default_0', 'evt_default_1']);
    expect(await where('events_default')).to.deep.equal(['evt_default_2', 'evt_default_3']);
    expect(await where('events')).to.have.length(4);
  });

  it('creates partitions while another transaction reads, without delaying visits', async () => {
    const { projectId } = await aWorkspace();
    const [current] = (
      await db().raw<{ rows: { name: string; month: string }[] }>(
        `SELECT 'events_' || to_char(m, 'YYYY_MM') AS name, m::date::text AS month
           FROM (SELECT current_date + interval '3 months' AS m) AS ahead`,
      )
    ).rows;
    await db().raw('ALTER TABLE events DETACH PARTITION ??', [current!.name]);
    await db().raw('DROP TABLE ??', [current!.name]);
    const reader = await db().transaction();
    await reader.raw('SELECT count(*) FROM events');
    const made = ensurePartitions();
    const visit = anEvent(projectId, { id: 'evt_1', occurred_at: new Date().toISOString() });
    const before = Date.now();
    await db().transaction((trx) => append(trx, [visit]));
    const waited = Date.now() - before;
    await reader.commit();
    await made;
    expect(waited).to.be.lessThan(10_000);
    const { rows } = await db().raw<{ rows: { name: string | null }[] }>(
      'SELECT to_regclass(?)::text AS name',
      [current!.name],
    );
    expect(rows[0]!.name).to.equal(current!.name);
  });

  it('deletes expired guards, and keeps the others', async () => {
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

describe('upkeep that fails for one workspace', () => {
  it('does not prevent blocks and retention of others', async function () {
    const [first, second] = [await aWorkspace(), await aWorkspace()];
    const [failing, other] = [first, second].toSorted((a, b) =>
      a.projectId < b.projectId ? -1 : 1,
    );
    const projects = [failing!.projectId, other!.projectId];
    await db().raw(
      `CREATE FUNCTION fail_upkeep() RETURNS trigger AS $$ BEGIN RAISE EXCEPTION 'upkeep fails'; END $$ LANGUAGE plpgsql`,
    );
    try {
      for (const { projectId, set } of [failing!, other!]) {
        await set({ retentionDays: 60 });
        const event = anEvent(projectId, { id: 'evt_old', occurred_at: '2025-01-15T12:00:00Z' });
        await db().transaction((trx) => append(trx, [event]));
      }
      for (const table of ['event_block_columns', 'kept_counts']) {
        await db().raw(
          `CREATE TRIGGER fail_upkeep BEFORE INSERT OR UPDATE ON ${table} FOR EACH ROW
             WHEN (NEW.project_id = '${failing!.projectId}') EXECUTE FUNCTION fail_upkeep()`,
        );
      }
      for (const projectId of projects) await postgresStore.rebuild(projectId);
      // The scheduled job can have claimed the block.
      await eventually(async () => {
        await buildBlocks(log);
        const built = await db()('event_blocks')
          .whereIn('project_id', projects)
          .whereNotNull('size');
        expect(built.map(({ project_id }) => project_id)).to.deep.equal([other!.projectId]);
      });
      await retainEvents(log);
      const left = await db()('events').whereIn('project_id', projects);
      expect(left.map(({ project_id }) => project_id)).to.deep.equal([failing!.projectId]);
    } finally {
      await db().raw('DROP FUNCTION fail_upkeep CASCADE');
    }
    await eventually(async () => {
      const pending = await db()('event_blocks').whereIn('project_id', projects).whereNull('size');
      expect(pending).to.deep.equal([]);
    });
  });
});

describe('migrations', () => {
  it('go up, down and up again', async () => {
    const name = `migrations_${process.pid}`;
    const url = await createDatabase(name);
    try {
      await migrateLatest({ databaseUrl: url, secretKey: config().SECRET_KEY });
      await rollbackAll(url);
      const empty = connectDb(url, 1, 'test');
      const { rows } = await empty.raw<{ rows: { name: string }[] }>(
        "SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relname NOT LIKE 'knex%'",
      );
      await empty.destroy();
      expect(rows).to.deep.equal([]);
      await migrateLatest({ databaseUrl: url, secretKey: config().SECRET_KEY });
    } finally {
      await dropDatabase(name);
    }
  });
});

describe('a database of a newer version', function () {
  const name = `newer_${process.pid}`;
  let url: string;
  let newer: Knex;

  before(async () => {
    url = await createDatabase(name);
    newer = connectDb(url, 1, 'test');
  });

  after(async () => {
    await newer.destroy();
    await dropDatabase(name);
  });

  async function command(...args: string[]) {
    const env = { ...process.env, DATABASE_URL: url };
    const run = promisify(execFile)(process.execPath, args, { env });
    return run.then(
      ({ stdout }) => ({ code: 0, output: stdout, errors: '' }),
      ({ code, stdout, stderr }) => ({ code, output: stdout, errors: stderr }),
    );
  }

  it('is refused by commands in one sentence, and not changed', async () => {
    const migrate = 'dist/programs/migrate.js';
    const none = await command(migrate, 'status');
    expect([none.code, none.output]).to.satisfy(
      ([code, output]: [number, string]) => code === 0 && /^(pending {2}\d\S+\n)+$/.test(output),
    );
    await migrateLatest({ databaseUrl: url, secretKey: config().SECRET_KEY });
    await newer('knex_migrations').insert({ name: '9999_future.js' });
    const commands = [
      [migrate],
      [migrate, 'up'],
      [migrate, 'entries'],
      ['dist/programs/cli.js', 'host', 'list'],
    ];
    for (const args of commands) {
      const { code, errors } = await command(...args);
      expect(code, args.join(' ')).to.equal(1);
      expect(errors.replace(/^Uses .*\n/, '')).to.match(
        /^This database is of version 9999_future, this program \(\S+\) is of version \d+\w+ and does not know 9999_future: run the program [^\n]+\n$/,
      );
    }
    // The command must work while another process migrates.
    const status = await newer.transaction(async (trx) => {
      await trx.raw('SELECT pg_advisory_xact_lock(7305001)');
      return command(migrate, 'status');
    });
    expect(status.code).to.equal(0);
    expect(status.output).to.match(/^(applied {2}\d\S+\n)+unknown {2}9999_future\n$/);
  });
});

describe('look-up entries of an earlier version', () => {
  it('still redirect, are unchanged by migrations, and can be rebuilt from their rows afterwards', async () => {
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

    const { DATABASE_URL: databaseUrl, SECRET_KEY: secretKey } = config();
    const old = await claims();
    await migrateLatest({ databaseUrl, secretKey });
    expect(await claims()).to.deep.equal(old);
    await migrateEntries(databaseUrl);

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
  it('deletes months by plan and workspace, and keeps their counts', async () => {
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
      await db().transaction((trx) => append(trx, events));
    }
    const left = async ({ projectId }: { projectId: string }) =>
      (await db()('events').where({ project_id: projectId })).length;
    await retainEvents(log);
    expect([await left(free), await left(kept), await left(own)]).to.deep.equal([1, 3, 2]);
    for (const { projectId } of [free, own]) {
      const months = await db()('kept_counts').where({
        project_id: projectId,
        dimension: 'all',
        step: 'm',
      });
      expect(months).to.have.lengthOf(3 - (await left({ projectId })));
    }
    expect((await own.api.get('/analytics', { interval: 'all' })).body.clicks).to.equal(3);
  });

  it('drops empty partitions of the past', async () => {
    await db().raw("SELECT ensure_events_partition('2019-05-01')");
    const exists = async () => {
      const { rows } = await db().raw<{ rows: { name: string | null }[] }>(
        "SELECT to_regclass('events_2019_05')::text AS name",
      );
      return rows[0]!.name !== null;
    };
    expect(await exists()).to.equal(true);
    await retainEvents(log);
    expect(await exists()).to.equal(false);
  });

  it('drops empty partitions while another process drops them too', async () => {
    for (let month = 1; month <= 12; month += 1) {
      await db().raw('SELECT ensure_events_partition(make_date(2018, ?, 1))', [month]);
    }
    await Promise.all([retainEvents(log), retainEvents(log), retainEvents(log)]);
    const { rows } = await db().raw<{ rows: object[] }>(
      "SELECT 1 FROM pg_class WHERE relname ~ '^events_2018_'",
    );
    expect(rows).to.deep.equal([]);
  });

  it('keeps the counts of single links and QR codes in every group', async function () {
    const { api, projectId, set } = await aWorkspace();
    await set({ retentionDays: 40 });
    const { body: link } = await api.post('/links', { url: A, key: 'a' });
    const { body: gone } = await api.post('/links', { url: A, key: 'gone' });
    const { body: code } = await api.post('/qrcodes', { type: 'url', url: A });
    const long = `https://example.com/?q=${'long'.repeat(200)}`;
    const at = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
    const fields = { country: 'DE', continent: 'EU', city: 'Berlin', region: 'DE-BE', url: long };
    const events = [400, 399, 200, 100, 1].flatMap((days, n) => [
      anEvent(projectId, { id: `evt_a_${n}`, occurred_at: at(days), link_id: link.id, ...fields }),
      anEvent(projectId, {
        id: `evt_s_${n}`,
        occurred_at: at(days),
        link_id: link.id,
        event: 'sale',
        event_name: 'Purchase',
        amount_cents: 100,
      }),
      anEvent(projectId, {
        id: `evt_q_${n}`,
        occurred_at: at(days),
        link_id: code.id,
        event: 'scan',
      }),
    ]);
    const ofGone = [400, 100].map((days) =>
      anEvent(projectId, {
        id: `evt_g_${days}`,
        occurred_at: at(days),
        link_id: gone.id,
        key: 'gone',
      }),
    );
    await db().transaction((trx) => append(trx, [...events, ...ofGone]));
    const ask = (groupBy: string, query: object) =>
      api.get('/analytics', { groupBy, interval: 'all', ...query }).then(({ body }) => body);
    const names = Object.keys(GROUPS) as GroupName[];
    const groups = names.filter(
      (name, at) =>
        // Some groups have two names, and some read the current time.
        names.findIndex((other) => GROUPS[other] === GROUPS[name]) === at &&
        !['trend_live', 'kpis'].includes(name),
    );
    const queries = [
      { linkId: link.id },
      { linkId: link.id, event: 'sales' },
      { qrcodeId: code.id, event: 'scans' },
    ];
    const all = async () => {
      const answers: [question: string, answer: unknown][] = [];
      // A workspace can run about thirty heavy queries at a time, fewer than all of these.
      for (const query of queries) {
        const some = groups.map(
          async (groupBy): Promise<[string, unknown]> => [
            JSON.stringify({ groupBy, ...query }),
            await ask(groupBy, query),
          ],
        );
        answers.push(...(await Promise.all(some)));
      }
      return Object.fromEntries(answers);
    };
    const before = await all();
    expect(await ask('count', { linkId: link.id })).to.include({ clicks: 5, sales: 5 });

    await retainEvents(log);

    expect(await db()('events').where({ project_id: projectId })).to.have.length(3);
    for (const [question, answer] of Object.entries(await all())) {
      expect(answer, question).to.deep.equal(before[question]);
    }
    await api.delete(`/links/${gone.id}`);
    const top = (await ask('top_links', {})) as { id: string }[];
    const deleted = top.find(({ id }) => id === gone.id);
    expect(deleted).to.include({ clicks: 2, key: 'gone', domain: 'x.test' });
  });

  it('does not wait for readers of events, and does not delay visits', async () => {
    const { projectId } = await aWorkspace();
    await db().raw("SELECT ensure_events_partition('2019-06-01')");
    const reader = await db().transaction();
    await reader.raw('LOCK TABLE ONLY events IN ACCESS SHARE MODE');
    const retained = retainEvents(log);
    const visit = anEvent(projectId, { id: 'evt_1', occurred_at: new Date().toISOString() });
    const waits = [];
    for (let n = 0; n < 10; n += 1) {
      const before = Date.now();
      const event = { ...visit, id: `evt_${n}` };
      await db().transaction((trx) => append(trx, [event]));
      waits.push(Date.now() - before);
    }
    await reader.commit();
    await retained;
    expect(Math.max(...waits)).to.be.lessThan(10_000);
    const { rows } = await db().raw<{ rows: { name: string | null }[] }>(
      "SELECT to_regclass('events_2019_06')::text AS name",
    );
    expect(rows[0]!.name).to.equal(null);
  });
});
