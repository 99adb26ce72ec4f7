import { execFile } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { pino } from 'pino';
import { type Servers, startServers } from '../../scripts/embedded/servers.ts';
import { newId } from '../../src/ids.ts';
import { connectDb, type Knex } from '../../src/infra/db.ts';
import { connectRedis } from '../../src/infra/redis.ts';
import { Spool } from '../../src/infra/spool.ts';
import { clicks } from '../../src/queues/index.ts';
import { Inspector } from '../../src/queues/inspect.ts';
import { Producer } from '../../src/queues/producer.ts';
import { VisitSpool } from '../../src/redirect/spool.ts';
import { visitJobs } from '../../src/visits/jobs.ts';
import type { Visit } from '../../src/visits/visit.ts';
import { createWorkspace, updateWorkspace } from '../../src/workspaces/commands.ts';
import { browser } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { S3Server } from '../support/s3-server.ts';
import { type Service, startService } from '../support/service.ts';
import { Visitors } from '../support/traffic.ts';
import { withoutServers } from '../support/without-servers.ts';
// Starts the servers of the tests.
import '../support/servers.ts';

const run = promisify(execFile);

/** Tables that visits do not change. */
const RECORDS = ['links', 'tags', 'link_tags', 'users', 'domains', 'installation'];

/*
 * Backs up an installation with divided tables under visits, while others wait in the spool and in
 * the queue. Then everything is deleted, and a new installation restores the backup into whole
 * tables.
 */
describe('a backup', function () {
  const folder = mkdtempSync(path.join(tmpdir(), 'shortlinks-backup-'));
  const backup = path.join(folder, 'monday');
  const { SECRET_KEY: _, ...environment } = withoutServers();
  let servers: Servers | undefined;
  let service: Service | undefined;
  let database: Knex | undefined;
  let apiKey: string;
  let linkId: string;
  let records: Record<string, unknown>;
  /** Visitors answered before the backup began, and all visitors ever answered. */
  let before: Set<string>;
  let ever: Set<string>;

  after(async () => {
    await stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function start(name: string): Promise<{ service: Service; database: Knex }> {
    const dataDir = path.join(folder, name);
    servers = await startServers({ dataDir, env: { ...environment, DATA_DIR: dataDir } });
    const settings = { CACHE_REDIS_URL: servers.redisUrl, DATA_DIR: dataDir, LOG_LEVEL: 'error' };
    service = await startService(servers, settings);
    database = connectDb(servers.databaseUrl, 2, 'test');
    return { service, database };
  }

  /** Divides a table without rows by the hash of the workspace, as an operator can. */
  const divide = (one: Knex, table: string) =>
    one.raw(`
      ALTER TABLE ${table} RENAME TO whole;
      CREATE TABLE ${table} (LIKE whole INCLUDING ALL) PARTITION BY HASH (project_id);
      CREATE TABLE ${table}_0 PARTITION OF ${table} FOR VALUES WITH (MODULUS 2, REMAINDER 0);
      CREATE TABLE ${table}_1 PARTITION OF ${table} FOR VALUES WITH (MODULUS 2, REMAINDER 1);
      DROP TABLE whole`);

  /** Reads the names of the tables that have partitions. */
  const divided = (one: Knex): Promise<string[]> =>
    one('pg_class').where({ relkind: 'p' }).orderBy('relname').pluck('relname');

  async function stop(): Promise<void> {
    await database?.destroy();
    await service?.runner.stop();
    await servers?.stop();
    [database, service, servers] = [undefined, undefined, undefined];
  }

  /** Runs the CLI as the operator of a named installation, or of the one in the default folder. */
  const cli = (name: string | undefined, ...args: string[]) => cliWith({}, name, ...args);

  async function cliWith(settings: object, name: string | undefined, ...args: string[]) {
    const { DATA_DIR: __, ...others } = { ...environment, ...settings };
    const env = name === undefined ? others : { ...others, DATA_DIR: path.join(folder, name) };
    const script = path.resolve('dist/programs/cli.js');
    try {
      const { stdout } = await run(process.execPath, [script, ...args, '--json'], {
        env,
        cwd: folder,
      });
      return { code: 0, result: JSON.parse(stdout) };
    } catch (error) {
      const { code, stderr } = error as { code: number; stderr: string };
      return { code, error: JSON.parse(stderr).error };
    }
  }

  async function call(route: string, body?: object) {
    const answer = await fetch(service!.apiUrl + route, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const result = await answer.json();
    expect(answer.ok, `${route}: ${JSON.stringify(result)}`).to.equal(true);
    return result;
  }

  async function recordsOf(one: Knex): Promise<Record<string, unknown>> {
    const found: Record<string, unknown> = {};
    for (const table of RECORDS) {
      const { rows } = await one.raw<{ rows: { row: object }[] }>(
        'SELECT to_jsonb(t) AS row FROM ?? t ORDER BY to_jsonb(t)::text',
        [table],
      );
      found[table] = rows.map(({ row }) => row);
    }
    return found;
  }

  /** Reads the visitors of all stored visits, in any order. */
  async function stored(one: Knex): Promise<string[]> {
    const urls = await one('events').where({ event: 'click' }).pluck('referer_url');
    return urls.map((url: string) => url.replace('https://visitor.example/', ''));
  }

  it('is written while visitors come', async () => {
    const first = await start('first');
    for (const table of ['link_tags', 'counters']) await divide(first.database, table);
    const made = await createWorkspace(first.database, { slug: 'acme', plan: 'enterprise' });
    apiKey = made.apiKey;
    await updateWorkspace(first.database, 'acme', { requestsPerMinute: 0 });
    const url = 'https://example.com/';
    const { id: tagId } = await call('/tags', { name: 'one' });
    linkId = (await call('/links', { url, key: 'a', tagIds: [tagId] })).id;
    await call('/links', { url, key: 'sealed', password: 'open sesame' });
    await call('/links', { url, key: 'hostile', comments: 'tab\t back\\slash \\N \r\n ? $1 "x"' });
    records = await recordsOf(first.database);

    const visitors = new Visitors('v', first.service.redirectPorts, ['a'], 200);
    await eventually(async () => {
      expect(await stored(first.database)).to.have.length.greaterThan(100);
    });
    // From now on, visits wait in the queue; those below wait in the spool.
    const waiting = ['worker_clicks', 'worker_maintenance'];
    for (const name of waiting) first.service.runner.kill(name, 'SIGSTOP');
    const visits: Visit[] = Array.from({ length: 30 }, (__, n) => ({
      id: newId('event'),
      at: Date.now(),
      projectId: made.id,
      linkId,
      domain: 'localhost',
      key: 'a',
      destination: url,
      ip: '192.0.2.1',
      userAgent: browser(n),
      referer: `https://visitor.example/spooled-${n}`,
      via: 'link',
    }));
    const spool = new VisitSpool(path.join(folder, 'first', 'spool'), pino({ level: 'silent' }));
    await spool.append(visits);
    await spool.close();
    const jobs = new Spool<object>({
      folder: path.join(folder, 'first', 'spool'),
      kind: 'jobs',
      perDelivery: 1,
      log: pino({ level: 'silent' }),
    });
    await jobs.append([
      {
        queue: 'writes',
        name: 'folder.create',
        data: { id: newId('folder'), name: 'Spooled' },
        options: { jobId: newId('job'), projectId: made.id, acceptedAt: Date.now() },
      },
    ]);
    await jobs.close();
    const redis = connectRedis(servers!.redisUrl, 'wait');
    const half = visits.slice(0, 15);
    await new Producer(redis).add(visitJobs['visits.record'], half, {
      jobId: newId('job'),
      projectId: '',
    });
    redis.disconnect();
    await new Promise((resolve) => setTimeout(resolve, 500));
    before = new Set([...visitors.tally.answered, ...visits.map((__, n) => `spooled-${n}`)]);
    first.service.runner.kill('worker_clicks', 'SIGCONT');
    const { code, result } = await cli('first', 'backup', '--to', backup);
    first.service.runner.kill('worker_maintenance', 'SIGCONT');
    expect(code).to.equal(0);
    expect(result).to.deep.include({
      folder: backup,
      spooledVisits: 30,
      spooledJobs: 1,
      hasSecretKey: true,
    });
    expect(result.rows).to.be.greaterThan(100);
    const [age] = await first.service.metric('worker_maintenance', 'shortlinks_backup_age_seconds');
    expect(age).to.be.within(0, 3_600).and.not.equal(0);
    const { answered, others } = await visitors.stop();
    expect(others).to.deep.equal(new Map());
    ever = new Set([...answered, ...before]);
  });

  it('is refused where something is, or where it is damaged', async () => {
    const there = await cli('first', 'backup', '--to', backup);
    expect([there.code, there.error.code]).to.deep.equal([1, 'setup']);
    expect(there.error.message).to.contain('is not empty');
    const running = await cli('first', 'restore', '--from', backup);
    expect(running.error.message).to.contain('The service is running (api,');
    const damaged = path.join(folder, 'damaged');
    cpSync(backup, damaged, { recursive: true });
    appendFileSync(path.join(damaged, 'tables', 'links.gz'), 'x');
    const bad = await cli('second', 'restore', '--from', damaged);
    expect(bad.error.message).to.match(/links\.gz is missing or damaged/);
    const nowhere = await cli(undefined, 'restore', '--from', backup);
    expect(nowhere.error.message).to.match(/^There is no .* set DATA_DIR to the folder of a new/);
    expect(existsSync(path.join(folder, '.data'))).to.equal(false);
    const none = await cli('second', 'restore', '--from', folder);
    expect(none.error.message).to.contain('is no complete backup');
  });

  it('is named by its time beside earlier ones, of which the oldest are deleted', async () => {
    const into = path.join(folder, 'generations');
    const long = '2020-01-01T030000';
    for (const name of [long, '2020-01-02T030000', 'of-another-program', `${long}.partial`]) {
      mkdirSync(path.join(into, name), { recursive: true });
      writeFileSync(path.join(into, name, 'manifest.json'), '{}');
      utimesSync(path.join(into, name), new Date(0), new Date(0));
    }
    mkdirSync(path.join(into, '2020-01-03T030000'));
    const { code, result } = await cli('first', 'backup', '--into', into, '--keep', '2');
    expect([code, result.deleted]).to.deep.equal([0, 1]);
    const written = path.basename(result.folder);
    expect(written).to.match(/^20[2-9]\d-\d\d-\d\dT\d{6}$/);
    expect(readdirSync(into)).to.have.members([
      '2020-01-02T030000',
      // No backup, since it has no manifest.
      '2020-01-03T030000',
      'of-another-program',
      written,
    ]);
    const wrong = [
      [['--to', into, '--into', into], '--to and --into exclude each other'],
      [['--to', into, '--keep', '2'], '--keep needs --into'],
      [['--into', into, '--keep', '0'], '--keep must be at least 1'],
    ] as const;
    for (const [args, message] of wrong) {
      const refused = await cli('first', 'backup', ...args);
      expect([refused.code, refused.error.message]).to.deep.equal([2, message]);
    }
  });

  it('is uploaded to a bucket without the key, and is read from there', async () => {
    const s3 = await S3Server.start();
    try {
      const into = 's3://backups/links';
      const { code, result } = await cliWith(s3.settings, 'first', 'backup', '--into', into);
      expect([code, result.hasSecretKey, result.deleted]).to.deep.equal([0, false, 0]);
      expect(result.folder).to.match(/^s3:\/\/backups\/links\/20[2-9]\d-\d\d-\d\dT\d{6}$/);
      const stored = [...s3.objects.keys()].map((key) => key.split('/').at(-1));
      expect(stored).to.include('manifest.json').and.not.include('secret.key');
      const from = ['restore', '--from', result.folder];
      const running = await cliWith(s3.settings, 'first', ...from);
      expect(running.error.message).to.contain('The service is running (api,');
      s3.objects.delete([...s3.objects.keys()].find((key) => key.endsWith('links.gz'))!);
      const damaged = await cliWith(s3.settings, 'first', ...from);
      expect(damaged.error.message).to.match(/links\.gz is missing or damaged/);
      const unset = await cli('first', ...from);
      expect(unset.error.message).to.equal(
        'Set S3_ENDPOINT, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY',
      );
    } finally {
      await s3.stop();
    }
  });

  it('has everything after everything was destroyed: each visit once, those under way too', async () => {
    await stop();
    rmSync(path.join(folder, 'first'), { recursive: true });
    expect(await cli('second', 'restore', '--from', backup)).to.have.property('code', 0);
    const second = await start('second');
    expect(await recordsOf(second.database)).to.deep.equal(records);
    expect(await divided(second.database)).to.deep.equal(['events']);
    const sealed = await call('/links/info?domain=localhost&key=sealed');
    expect(sealed.password).to.equal('open sesame');

    await eventually(async () => {
      const folders = await call('/folders');
      expect(folders.map(({ name }: { name: string }) => name)).to.deep.equal(['Spooled']);
    });
    await eventually(async () => {
      expect(await stored(second.database)).to.include.members([...before]);
      expect(readdirSync(path.join(folder, 'second', 'spool'))).to.deep.equal([]);
    });
    const redis = connectRedis(servers!.redisUrl, 'wait');
    await eventually(async () => {
      const depth = await new Inspector(redis).depth(clicks);
      expect(Object.values(depth)).to.deep.equal([0, 0, 0, 0, 0]);
    });
    redis.disconnect();
    const visitors = await stored(second.database);
    expect(new Set(visitors).size).to.equal(visitors.length);
    expect([...ever]).to.include.members(visitors);
    expect((await call('/analytics?interval=24h')).clicks).to.equal(visitors.length);
    const counted = await second.database('counters').where({ record_id: linkId }).first('visits');
    expect(counted).to.deep.equal({ visits: visitors.length });
  });

  it('replaces what is there only if it is told to', async () => {
    await stop();
    const refused = await cli('second', 'restore', '--from', backup);
    expect(refused.code).to.equal(1);
    expect(refused.error.message).to.contain('The installation is not empty: it has 1 workspaces');
    const { code, result } = await cli('second', 'restore', '--from', backup, '--overwrite');
    expect(code).to.equal(0);
    expect(result.rows).to.be.greaterThan(100);
  });
});
