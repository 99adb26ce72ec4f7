import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { type Servers, startServers } from '../../scripts/embedded/servers.ts';
import { migrateLatest, migrateTo } from '../../scripts/migrations.ts';
import { partitionTables } from '../../scripts/partition.ts';
import { connectDb, execute, type Knex, rows } from '../../src/infra/db.ts';
import { connectRedis, scanKeys } from '../../src/infra/redis.ts';
import { ENTRY_NAMES } from '../../src/lookup/codec.ts';
import { databaseUrlOf } from '../support/databases.ts';
import { eventually } from '../support/eventually.ts';
import { OwnService } from '../support/own-service.ts';
import { allowDatabases, postgresAdminUrl } from '../support/private-admin.ts';
import { type Row, rowsOf } from '../support/rows.ts';
import { schemaOf } from '../support/schema.ts';
import { Visitors } from '../support/traffic.ts';
import { withoutServers } from '../support/without-servers.ts';

const run = promisify(execFile);

const PARTS = 16;
const TABLES = [
  'links',
  'link_tags',
  'qrcodes',
  'qrcode_tags',
  'customers',
  'counters',
  'claims',
] as const;
/** Scheduled jobs read all workspaces, and would read every partition. */
const IDLE = ['worker_scheduler', 'worker_maintenance'];

/*
 * An operator partitions the tables of an installation with data, and merges them again. In
 * between, the server's statistics of each partition show which ones the requests of a workspace
 * read and write.
 */
describe('tables partitioned by workspace', function () {
  let servers: Servers;
  const own = new OwnService(async (dataDir) => {
    servers = await startServers({ dataDir, env: withoutServers() });
    await allowDatabases(servers.databaseUrl, dataDir);
    return servers;
  });
  let schema: string[];
  let data: Map<string, Row[]>;
  let keys: string[];

  before(() => own.start());

  after(() => own.stop());

  const request = (method: string, route: string, body?: object | string) =>
    fetch(own.service.apiUrl + route, {
      method,
      headers: {
        authorization: `Bearer ${own.apiKey}`,
        'content-type': typeof body === 'string' ? 'text/csv' : 'application/json',
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });

  async function call(method: string, route: string, body?: object | string) {
    const answer = await request(method, route, body);
    const result = await answer.json();
    expect(answer.ok, `${method} ${route}: ${JSON.stringify(result)}`).to.equal(true);
    return result;
  }

  /** Runs the CLI as the operator, on this database or another one. */
  async function cli(args: string[], databaseUrl = servers.databaseUrl) {
    const env = {
      ...withoutServers(),
      DATABASE_URL: databaseUrl,
      REDIS_URL: own.redisUrl,
      CACHE_REDIS_URL: own.redisUrl,
      SECRET_KEY: own.secretKey,
      DATA_DIR: own.folders[1],
    };
    try {
      const { stdout } = await run(process.execPath, ['dist/programs/cli.js', ...args, '--json'], {
        env,
      });
      return { result: JSON.parse(stdout) };
    } catch (error) {
      const { code, stderr } = error as { code: number; stderr: string };
      return { code, error: JSON.parse(stderr).error };
    }
  }

  /** Reads the rows of all tables, in any order. */
  async function rowsNow(database: Knex = own.db): Promise<Map<string, Row[]>> {
    const found = await rowsOf(database);
    // Progress of scheduled jobs and last use of keys keep changing.
    return new Map(
      TABLES.map((table) => [
        table,
        found.get(table)!.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
      ]),
    );
  }

  /** Counts the partitions of each table. */
  async function partsOf(database: Knex = own.db): Promise<Record<string, number>> {
    const found = await rows<{ name: string; parts: number }>(
      database,
      `SELECT relname AS name, (SELECT count(*) FROM pg_inherits WHERE inhparent = c.oid) AS parts
         FROM pg_class c WHERE relname = ANY(?) AND relkind IN ('r', 'p')`,
      [[...TABLES]],
    );
    return Object.fromEntries(found.map(({ name, parts }) => [name, parts]));
  }

  const each = (parts: number) => Object.fromEntries(TABLES.map((table) => [table, parts]));

  async function withDatabase<T>(
    name: string,
    work: (url: string, database: Knex) => Promise<T>,
  ): Promise<T> {
    await execute(own.db, `CREATE DATABASE ${name}`);
    const url = databaseUrlOf(servers.databaseUrl, name);
    const database = connectDb(url, 1, 'test');
    try {
      return await work(url, database);
    } finally {
      await database.destroy();
    }
  }

  it('are made of those that an installation has, while it is stopped', async () => {
    const tag = await call('POST', '/tags', { name: 'one' });
    const urls = Array.from({ length: 100 }, (_, n) => ({
      url: `https://example.com/${n}`,
      externalId: `e${n}`,
      tagIds: [tag.id],
    }));
    const made = (await call('POST', '/links/bulk', urls)) as { key: string }[];
    keys = made.map(({ key }) => key);
    await call('POST', '/qrcodes', {
      type: 'url',
      url: 'https://example.com/qr',
      tagIds: [tag.id],
    });
    const visitors = new Visitors('before', own.service.redirectPorts, [keys[0]!], 50);
    await eventually(async () => {
      expect(await rows(own.db, 'SELECT visits FROM counters')).to.have.lengthOf(1);
    });
    await visitors.stop();
    expect((await cli(['partition', '--parts', '16'])).error.message).to.match(
      /^The service is running \(.*\): stop it first\.$/,
    );
    await own.service.runner.stop();

    schema = await schemaOf(own.db);
    data = await rowsNow();
    expect(await partsOf()).to.deep.equal(each(0));
    const { result } = await cli(['partition', '--parts', String(PARTS)]);
    expect(result).to.deep.equal(
      TABLES.map((table) => ({ table, parts: PARTS, rows: data.get(table)!.length })),
    );
    expect(await partsOf()).to.deep.equal(each(PARTS));
    expect(await rowsNow()).to.deep.equal(data);
    expect((await cli(['partition', '--parts', String(PARTS)])).result).to.deep.equal([]);
  });

  it('are read and written in the partition of a workspace, and of its domain, alone', async () => {
    // With this many other rows, the planner prefers an index to a sequential scan.
    await execute(
      own.db,
      `INSERT INTO workspaces (id, slug, name, plan) SELECT 'ws_n' || n, 'n' || n, 'n', 'pro' FROM generate_series(1, 60) n`,
    );
    await execute(
      own.db,
      `INSERT INTO domains (id, project_id, slug, verification_token, verified)
       SELECT 'dom_n' || n, 'ws_n' || n, 'n' || n || '.test', 't', true FROM generate_series(1, 60) n`,
    );
    await execute(
      own.db,
      `INSERT INTO links (project_id, id, user_id, domain_id, key, url)
       SELECT 'ws_n' || n % 60 + 1, 'link_n' || n, 'u', 'dom_n' || n % 60 + 1, 'k' || n, 'https://example.com/' || n
         FROM generate_series(1, 12000) n`,
    );
    await execute(
      own.db,
      `INSERT INTO counters (project_id, record_id, visits) SELECT project_id, id, 1 FROM links
       ON CONFLICT DO NOTHING`,
    );
    await execute(
      own.db,
      `INSERT INTO claims (domain_id, key, project_id, record_id, entry)
       SELECT domain_id, key, project_id, id, 'x' FROM links WHERE id LIKE 'link_n%'`,
    );
    await own.db.raw(`ANALYZE ${TABLES.join(', ')}`);
    const redis = connectRedis(own.redisUrl, 'wait');
    for (const match of ENTRY_NAMES) {
      for await (const names of scanKeys(redis, match)) {
        await Promise.all(names.map((name) => redis.unlink(name)));
      }
    }
    redis.disconnect();
    await own.startAgain({});
    for (const name of IDLE) own.service.runner.kill(name, 'SIGSTOP');
    await endConnections();
    const admin = connectDb(postgresAdminUrl(servers.databaseUrl, servers.dataDir), 1, 'test');
    await execute(admin, 'SELECT pg_stat_reset()');
    await admin.destroy();

    // Visitors look up many keys at once that neither memory nor Redis has.
    const visitors = new Visitors('after', own.service.redirectPorts, [...keys, 'unknown'], 200);
    const { id } = await call('POST', '/links', { url: 'https://example.com/new', key: 'new' });
    await call('PATCH', `/links/${id}`, { url: 'https://example.com/changed', key: 'moved' });
    await call('PUT', '/links/upsert', { url: 'https://example.com/upsert', externalId: 'up' });
    const many = Array.from({ length: 100 }, (_, n) => ({ url: `https://example.com/many/${n}` }));
    const bulk = (await call('POST', '/links/bulk', many)) as { id: string }[];
    const ids = bulk.map((link) => link.id);
    await call('PATCH', '/links/bulk', { linkIds: ids, data: { title: 'many' } });
    const refused = await request('POST', '/links', { url: 'https://example.com/', key: 'moved' });
    expect(refused.status).to.equal(409);
    const csv = 'url,key\nhttps://example.com/,moved\nhttps://example.com/imported,imported\n';
    const { id: importId } = await call('POST', '/imports', csv);
    await eventually(async () => {
      expect((await call('GET', `/imports/${importId}`)).state).to.equal('done');
    });
    await call('GET', '/links?pageSize=20');
    await call('GET', `/links/${id}`);
    const qrcode = await call('POST', '/qrcodes', { type: 'url', url: 'https://example.com/2' });
    await call('DELETE', `/qrcodes/${qrcode.id}`);
    let clickId = '';
    await eventually(async () => {
      const [click] = await rows<{ id: string }>(
        own.db,
        `SELECT id FROM events WHERE project_id = ? AND event = 'click' LIMIT 1`,
        [own.projectId],
      );
      clickId = click!.id;
    });
    await call('POST', '/track/lead', { clickId, eventName: 'Sign up', customerExternalId: 'c1' });
    await call('POST', '/track/sale', {
      customerExternalId: 'c1',
      amount: 100,
      currency: 'usd',
      paymentProcessor: 'stripe',
      invoiceId: 'in_1',
    });
    for (const groupBy of ['count', 'timeseries', 'top_links', 'countries']) {
      await call('GET', `/analytics?groupBy=${groupBy}&interval=all`);
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
    const { answered } = await visitors.stop();
    await eventually(async () => {
      const [{ visits }] = (await rows(
        own.db,
        'SELECT sum(visits)::int AS visits FROM counters WHERE project_id = ? AND visits < 100',
        [own.projectId],
      )) as [{ visits: number }];
      expect(visits).to.be.at.least(answered.size);
    });
    await call('DELETE', `/links/${id}`);
    await call('DELETE', `/links/bulk?linkIds=${ids.join(',')}`);

    const used = await usedPartitions();
    const [{ claims }] = (await rows(
      own.db,
      'SELECT DISTINCT tableoid::regclass::text AS claims FROM claims WHERE project_id = ?',
      [own.projectId],
    )) as [{ claims: string }];
    const [{ links }] = (await rows(
      own.db,
      'SELECT DISTINCT tableoid::regclass::text AS links FROM links WHERE project_id = ?',
      [own.projectId],
    )) as [{ links: string }];
    const part = links.replace('links', '');
    const expected = TABLES.map((table) => (table === 'claims' ? claims : `${table}${part}`));
    expect(used).to.deep.equal(expected.toSorted());
  });

  /**
   * Terminates the connections of the service, which then report their reads and writes to the
   * server; the service reconnects.
   */
  async function endConnections(): Promise<void> {
    await rows(
      own.db,
      `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name <> 'chaos'`,
    );
  }

  /**
   * Lists the partitions that the service has read or written, without the checks of these tests.
   */
  async function usedPartitions(): Promise<string[]> {
    await endConnections();
    const found = await rows<{ name: string }>(
      own.db,
      `SELECT relname AS name FROM pg_stat_user_tables
        WHERE relname ~ '^(${TABLES.join('|')})_p[0-9]+$'
          AND seq_scan + coalesce(idx_scan, 0) + n_tup_ins + n_tup_upd + n_tup_del > 0`,
    );
    return found.map(({ name }) => name).toSorted();
  }

  it('are restored from a backup as they were', async () => {
    for (const name of IDLE) own.service.runner.kill(name, 'SIGCONT');
    await own.service.runner.stop();
    const folder = path.join(own.folders[1]!, 'backup');
    data = await rowsNow();
    await cli(['backup', '--to', folder]);
    await withDatabase('restored', async (url, database) => {
      expect(await cli(['restore', '--from', folder, '--overwrite'], url)).to.have.property(
        'result',
      );
      expect(await partsOf(database)).to.deep.equal(each(PARTS));
      expect(await rowsNow(database)).to.deep.equal(data);
    });
  });

  it('are joined again with all that they had', async () => {
    const { result } = await cli(['partition', '--parts', '1']);
    expect(result).to.have.lengthOf(TABLES.length);
    expect(await rowsNow()).to.deep.equal(data);
    expect(await schemaOf(own.db)).to.deep.equal(schema);
  });

  it('take all migrations that come later', async () => {
    await withDatabase('migrated', async (databaseUrl, database) => {
      const names = readdirSync('dist/programs/migrations').filter((name) => name.endsWith('.js'));
      await migrateTo(databaseUrl, names.filter((name) => name < '0013').toSorted());
      await partitionTables(databaseUrl, 2);
      await migrateLatest({ databaseUrl, secretKey: own.secretKey });
      expect(await partsOf(database)).to.deep.equal(each(2));
      await partitionTables(databaseUrl, 1);
      expect(await schemaOf(database)).to.deep.equal(schema);
    });
  });
});
