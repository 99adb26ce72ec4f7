import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { type Servers, startServers } from '../../scripts/embedded/servers.ts';
import { migrateLatest } from '../../scripts/migrations.ts';
import { freePort } from '../../scripts/ports.ts';
import { connectDb, type Knex } from '../../src/infra/db.ts';
import { connectRedis, type Redis } from '../../src/infra/redis.ts';
import { createDatabase, dropDatabase } from '../support/databases.ts';
import { eventually } from '../support/eventually.ts';
import { OneProcess } from '../support/one-process.ts';
import { redisAdminUrl } from '../support/private-admin.ts';
import { RedisNode } from '../support/redis-node.ts';
import { withoutServers } from '../support/without-servers.ts';
// Starts the servers of the tests.
import '../support/servers.ts';

/*
 * Tests processes that a process manager or a container runs one by one: ports, signals, and
 * messages about their servers.
 */

/** Time after which a process has noticed a Redis outage, in ms. */
const NOTICED_MS = 1_500;

describe('a process by itself', function () {
  const processes: OneProcess[] = [];
  const run = (name: string, settings: Record<string, string | undefined> = {}) => {
    const one = new OneProcess(name, settings);
    processes.push(one);
    return one;
  };

  afterEach(async () => {
    await Promise.all(processes.splice(0).map((one) => one.stop()));
  });

  it('leaves its health port to another of its kind, and says which one it has', async () => {
    const both = ['', ''].map(() => run('worker_scheduler', { HEALTH_PORT: undefined }));
    const lines = await Promise.all(both.map((one) => one.logged('ready')));
    const ports = lines.map(({ healthPort }) => healthPort);
    expect(new Set(ports)).to.have.length(2);
    const warnings = both.flatMap(({ lines: all }) => all.filter(({ taken }) => taken === 3111));
    expect(warnings).to.have.length.above(0);
    for (const one of both) expect((await one.readiness()).status).to.equal(200);
  });

  it('ends in order when the shell that a process manager started gets a signal', async () => {
    const scheduler = run('worker_scheduler', { HEALTH_PORT: '0' });
    await scheduler.logged('ready');
    expect(await scheduler.stop()).to.equal(0);
    expect(scheduler.lines.at(-1)).to.include({ msg: 'shutting down', signal: 'SIGTERM' });
  });

  it('ends within 10 s of SIGTERM while a connection to a silent Postgres is being opened', async () => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => sockets.push(socket.on('error', () => {})));
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    const { port } = silent.address() as AddressInfo;
    try {
      const redirect = run('redirect', {
        DATABASE_URL: `postgres://nobody:secret@127.0.0.1:${port}/nothing`,
        HEALTH_PORT: '0',
        REDIRECT_PORT: '0',
      });
      await redirect.logged('ready');
      expect(sockets).not.to.have.length(0);
      const stoppedAt = Date.now();
      expect(await redirect.stop()).to.equal(0);
      expect(Date.now() - stoppedAt).to.be.lessThan(10_000);
    } finally {
      for (const socket of sockets) socket.destroy();
      silent.close();
    }
  });

  const outages: [what: string, begin: (node: RedisNode) => Promise<unknown>][] = [
    ['Redis is away', (node) => node.kill()],
    ['Redis does not answer', (node) => node.cli('client', 'pause', '60000')],
  ];
  for (const [what, begin] of outages) {
    it(`ends within 10 s of SIGTERM while ${what}`, async () => {
      const node = new RedisNode(await freePort(), ['save ""']);
      await node.start();
      try {
        const settings = {
          REDIS_URL: `redis://127.0.0.1:${node.port}`,
          API_PORT: '0',
          REDIRECT_PORT: '0',
          HEALTH_PORT: '0',
        };
        const names = ['api', 'redirect', 'worker_writes', 'worker_scheduler'];
        const all = names.map((name) => run(name, settings));
        await Promise.all(all.map((one) => one.logged('ready')));
        await begin(node);
        await pause(NOTICED_MS);
        const stoppedAt = Date.now();
        const ends = all.map(async (one) => {
          const code = await one.stop();
          return { code, isQuick: Date.now() - stoppedAt < 10_000 };
        });
        expect(await Promise.all(ends)).to.deep.equal(
          names.map(() => ({ code: 0, isQuick: true })),
        );
      } finally {
        await node.stop();
      }
    });
  }

  const servers = [
    { name: 'api', usual: 3100 },
    { name: 'redirect', usual: 3101 },
  ];
  for (const { name, usual } of servers) {
    it(`listens on a platform’s PORT: ${name}`, async () => {
      const port = await freePort();
      const ports = { API_PORT: undefined, REDIRECT_PORT: undefined, PORT: String(port) };
      const server = run(name, { ...ports, HEALTH_PORT: undefined });
      const { healthPort } = await server.logged('ready');
      const taken = server.lines.find((line) => line['taken'] !== undefined);
      expect(taken?.['taken'] ?? healthPort).to.equal(usual);
      expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).to.equal(200);
    });
  }

  describe('on servers of its own', () => {
    const dataDir = mkdtempSync(path.join(tmpdir(), 'shortlinks-processes-'));
    const name = `processes_${process.pid}`;
    let servers: Servers;
    let settings: Record<string, string>;
    let db: Knex;
    let redis: Redis;

    before(async () => {
      const { SECRET_KEY } = process.env as Record<string, string>;
      const url = await createDatabase(name);
      const env = { ...withoutServers(), DATABASE_URL: url, SECRET_KEY: SECRET_KEY! };
      servers = await startServers({ dataDir, env });
      settings = {
        DATABASE_URL: url,
        REDIS_URL: servers.redisUrl,
        CACHE_REDIS_URL: servers.redisUrl,
        DATA_DIR: dataDir,
        HEALTH_PORT: '0',
        API_PORT: '0',
        REDIRECT_PORT: '0',
      };
      db = connectDb(url, 1, 'test');
      redis = connectRedis(redisAdminUrl(servers.redisUrl, dataDir), 'wait');
    });

    after(async () => {
      redis?.disconnect();
      await db?.destroy();
      await servers?.stop();
      await dropDatabase(name);
      rmSync(dataDir, { recursive: true, force: true });
    });

    it('says which migrations are missing until they have been run, and which it does not know', async () => {
      const all = ['redirect', 'worker_writes'].map((process) => run(process, settings));
      const empty = 'the database has no schema: npm run migrate';
      await Promise.all(all.map((one) => one.logged(empty)));
      for (const one of all) {
        const { status, body } = await one.readiness();
        expect(status).to.equal(503);
        expect(body['failing']).to.include('schema');
        expect(body['schema']).to.deep.equal({ version: '', problem: empty });
      }
      await migrateLatest(servers);
      const { name: last } = await db('knex_migrations').orderBy('name', 'desc').first('name');
      const version = last.replace(/\.js$/, '');
      const tell = (status: number, problem?: string) =>
        Promise.all(
          all.map((one) =>
            eventually(async () => {
              const answer = await one.readiness();
              expect(answer.status).to.equal(status);
              if (problem === undefined) expect(answer.body['schema']).to.deep.equal({ version });
              else expect(answer.body['schema']).to.deep.include({ problem });
            }),
          ),
        );
      await tell(200);

      await db('knex_migrations').where({ name: last }).delete();
      await tell(503, `migration ${version} has not been run: npm run migrate`);
      await db('knex_migrations').insert([{ name: last }, { name: '9999_future.js' }]);
      const newer =
        'the schema is newer than this version, which does not know 9999_future: run the version that migrated it';
      await tell(200, newer);
      await Promise.all(all.map((one) => one.logged(newer)));
      await db('knex_migrations').where({ name: '9999_future.js' }).delete();
    });

    it('warns of a Redis that may lose jobs, and not of a look-up cache that may lose entries', async () => {
      await migrateLatest(servers);
      await redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
      await redis.config('SET', 'appendonly', 'no');
      const warning =
        'REDIS_URL: maxmemory-policy is allkeys-lru, which deletes queued jobs and visits when memory is full: set noeviction; there is no append-only file, so a restart loses jobs and visits since the last snapshot: set appendonly yes';
      const names = ['redirect', 'worker_scheduler'];
      const warned = names.map((one) => run(one, settings));
      await Promise.all(warned.map((one) => one.logged(warning)));
      await Promise.all(warned.map((one) => one.stop()));

      const { REDIS_URL } = process.env;
      const quiet = names.map((one) => run(one, { ...settings, REDIS_URL }));
      await Promise.all(quiet.map((one) => one.logged('ready')));
      await Promise.all(quiet.map((one) => one.stop()));
      // A busy machine may make a process warn of something else, as of a slow readiness check.
      const messages = quiet.flatMap(({ lines }) => lines.map(({ msg }) => String(msg)));
      expect(messages).to.include('ready');
      expect(messages.filter((message) => message.startsWith('REDIS_URL'))).to.deep.equal([]);
    });
  });
});
