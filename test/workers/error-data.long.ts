import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { config } from '../../src/config.ts';
import { newId } from '../../src/ids.ts';
import { connectDb, db } from '../../src/infra/db.ts';
import { WorkspaceModel } from '../../src/infra/model.ts';
import { connectRedis, redisReady } from '../../src/infra/redis.ts';
import { serverOf } from '../../src/queues/bull-queues.ts';
import { keysOf } from '../support/keys.ts';
import { OwnService } from '../support/own-service.ts';
// Starts the servers of the tests.
import '../support/servers.ts';

const MARKER = 'ada.lovelace@secret.example';

class Customer extends WorkspaceModel {
  static override tableName = 'customers';
}

/** Failing statements with the marker among their values. */
const FAILING: [what: string, fail: () => Promise<unknown>][] = [
  ['a value of another type', async () => db().raw('SELECT ?::int', [MARKER])],
  ['quotes in a value', async () => db().raw('SELECT ?::int', [`"${MARKER}" or "${MARKER}"`])],
  ['malformed JSON', async () => db().raw('SELECT ?::json', [`{"email": ${MARKER}}`])],
  ['a value out of range', async () => db().raw('SELECT ?::date', [`9999999 ${MARKER}`])],
  ['a missing table', async () => db()('no_such_table').insert({ email: MARKER })],
  ['a missing column', async () => Customer.add('proj_1', { [MARKER.slice(0, 3)]: MARKER }, db())],
  [
    'a repeated key, in a transaction',
    () =>
      db().transaction(async (trx) => {
        await trx.raw('CREATE TEMP TABLE emails (email text PRIMARY KEY) ON COMMIT DROP');
        await trx('emails').insert({ email: MARKER });
        await trx('emails').insert({ email: MARKER });
      }),
  ],
  [
    'a failed check',
    () =>
      db().transaction(async (trx) => {
        await trx.raw("CREATE TEMP TABLE emails (email text CHECK (email = '')) ON COMMIT DROP");
        await trx('emails').insert({ email: MARKER });
      }),
  ],
];

/** Returns all text that a log or a dead letter can show of an error. */
function textOf(error: unknown): string {
  const some = error as Error & { nativeError?: Error };
  const fields = JSON.stringify(some, Object.getOwnPropertyNames(some));
  return `${some.message}\n${some.stack}\n${fields}\n${some.nativeError === undefined ? '' : textOf(some.nativeError)}`;
}

describe('errors of the database', () => {
  for (const [what, fail] of FAILING) {
    it(`contain no data of a statement with ${what}`, async () => {
      const error: unknown = await fail().then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      expect(error).to.be.an('error');
      expect((error as Error).message).to.contain('(in: ');
      expect(textOf(error)).not.to.contain('lovelace');
    });
  }

  it('put no data into logs and dead letters', async () => {
    const name = `errors-${newId('job').slice(-8)}`;
    // The worker runs in a separate process, whose output is read.
    const worker = `
      import { db, closeDb } from './dist/src/infra/db.js';
      import { makeLog } from './dist/src/infra/log.js';
      import { connectRedis, redisReady } from './dist/src/infra/redis.js';
      import { defineQueue } from './dist/src/queues/definition.js';
      import { Inspector } from './dist/src/queues/inspect.js';
      import { handlers, job, jobsOf } from './dist/src/queues/job.js';
      import { Producer } from './dist/src/queues/producer.js';
      import { serve } from './dist/src/queues/worker.js';
      const redis = connectRedis(process.env.REDIS_URL, 'wait');
      await redisReady(redis);
      const queue = defineQueue(${JSON.stringify(name)}, { attempts: 2 });
      const jobs = jobsOf(queue, { fail: job() });
      const fail = handlers(jobs, {
        fail: (email) => db().raw('INSERT INTO customers (id) VALUES (?::int)', [email.toLowerCase()]),
      });
      const worker = serve(queue, fail, { redis, log: makeLog('test', 'debug'), concurrency: 1 });
      const producer = new Producer(redis);
      const inspector = new Inspector(redis);
      await producer.add(jobs.fail, ${JSON.stringify(MARKER.toUpperCase())}, { jobId: 'one', projectId: 'proj_1' });
      while ((await inspector.depth(queue)).failed === 0) await new Promise((resolve) => setTimeout(resolve, 20));
      await worker.close();
      await producer.close();
      await inspector.close();
      await closeDb();
      redis.disconnect();`;
    const run = promisify(execFile);
    const { stdout, stderr } = await run(process.execPath, ['--input-type=module', '-e', worker]);
    expect(stdout).to.contain('job failed for good').and.to.contain('invalid input syntax');
    expect(stdout + stderr).not.to.contain(MARKER);

    const redis = connectRedis(config().REDIS_URL, 'wait');
    await redisReady(redis);
    try {
      const job = await redis.hgetall(`{q-${name}}:${name}:one`);
      expect(job['failedReason']).to.contain('invalid input syntax');
      expect(JSON.stringify(job)).not.to.contain(MARKER);
      const server = serverOf(redis, { name });
      await server.del(...(await keysOf(server, `{q-${name}}*`)));
    } finally {
      redis.disconnect();
    }
  });
});

describe('a query without a connection', () => {
  const REASON =
    'no connection to Postgres within 5 s: it does not answer, or this process uses all of its 1';
  const reasonOf = (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'none',
      ({ message }: Error) => message,
    );

  it('says that Postgres does not answer', async () => {
    const silent = createServer();
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    const { port } = silent.address() as AddressInfo;
    const away = connectDb(`postgres://nobody:hidden@127.0.0.1:${port}/nothing`, 1, 'test');
    const sockets: Socket[] = [];
    silent.on('connection', (socket) => sockets.push(socket.on('error', () => {})));
    try {
      expect(await reasonOf(away.raw('SELECT 1'))).to.equal(REASON);
      expect(await reasonOf(away.transaction(() => Promise.resolve()))).to.equal(REASON);
    } finally {
      for (const socket of sockets) socket.destroy();
      silent.close();
      await away.destroy();
    }
  });

  it('is answered with 503 and Retry-After by the API', async () => {
    const own = new OwnService();
    await own.start({ DATABASE_POOL: '1' }, 'Procfile.small');
    const lock = await own.db.transaction();
    try {
      await lock.raw('LOCK TABLE folders IN ACCESS EXCLUSIVE MODE');
      const headers = { authorization: `Bearer ${own.apiKey}` };
      const answers = await Promise.all(
        Array.from({ length: 6 }, () => fetch(`${own.service.apiUrl}/folders`, { headers })),
      );
      const refused = answers.filter(({ status }) => status === 503);
      expect(refused).to.have.length.of.at.least(3);
      expect(refused[0]!.headers.get('retry-after')).to.equal('10');
      expect(await refused[0]!.json()).to.nested.include({ 'error.code': 'service_unavailable' });
    } finally {
      await lock.rollback();
      await own.stop();
    }
  });

  it('says that all connections are in use', async () => {
    const small = connectDb(config().DATABASE_URL, 1, 'test');
    const trx = await small.transaction();
    try {
      expect(await reasonOf(small.raw('SELECT 1'))).to.equal(REASON);
    } finally {
      await trx.rollback();
      await small.destroy();
    }
  });
});

describe('errors of Redis', () => {
  it('are logged without the arguments of their command', async () => {
    const script = `
      import { makeLog } from './dist/src/infra/log.js';
      import { connectRedis, redisReady } from './dist/src/infra/redis.js';
      const redis = connectRedis(process.env.REDIS_URL, 'wait');
      await redisReady(redis);
      await redis.call('HSET', 'key', ${JSON.stringify(MARKER)}).catch((err) => makeLog('test', 'info').warn({ err }, 'failed'));
      redis.disconnect();`;
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--input-type=module',
      '-e',
      script,
    ]);
    expect(stdout).to.contain('wrong number of arguments');
    expect(stdout).not.to.contain(MARKER);
  });
});
