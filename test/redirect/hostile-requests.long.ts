import { Agent, get } from 'node:http';
import { createConnection } from 'node:net';
import { expect } from 'chai';
import { db } from '../../src/infra/db.ts';
import { isDataError, isOutage } from '../../src/infra/outage.ts';
import { connectRedis, type Redis } from '../../src/infra/redis.ts';
import { linkName } from '../../src/lookup/codec.ts';
import { browser } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace, visit, type World } from '../support/world.ts';

const A = 'https://example.com/a';

/** Sends a request over a keep-alive connection, as a flood does. */
function statusOf(path: string, host: string, agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    const [port] = stack().redirectPorts;
    const headers = { host, 'user-agent': browser() };
    get({ host: '127.0.0.1', port, path, agent, headers }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
    }).on('error', reject);
  });
}

/** Hostile requests must not change the responses to others. */
describe('a hostile request', () => {
  let world: World;
  let domainId: string;
  let cache: Redis;

  before(async () => {
    world = await aWorkspace();
    domainId = (await world.api.get('/domains')).body[0].id;
    cache = connectRedis(process.env['CACHE_REDIS_URL'] ?? process.env['REDIS_URL']!, 'wait');
  });

  after(() => cache.disconnect());

  /** Creates links that only Postgres has. */
  async function coldLinks(prefix: string, count: number): Promise<string[]> {
    const keys = Array.from({ length: count }, (_, n) => `${prefix}-${n}`);
    const { status } = await world.api.post(
      '/links/bulk',
      keys.map((key) => ({ url: A, key })),
    );
    expect(status).to.equal(200);
    // Keys are deleted one by one, since each can belong to another node of a cluster.
    await Promise.all(keys.map((key) => cache.del(linkName(domainId, key))));
    return keys;
  }

  it('is not found when Postgres cannot store its key, and does not affect other look-ups', async () => {
    const hostile = [
      '/r%00x',
      '/f%00',
      '/.%00',
      '/_%00',
      '/ab%00',
      '/r%00+',
      '/_/file/r%00',
      '/_/stats/f%00',
      '/_/continue/x/r%00',
      '/_/domains/ask?domain=%00',
      '/_/domains/ask?domain=a%00.test',
    ];
    const keys = await coldLinks('calm', hostile.length);
    for (const [at, path] of hostile.entries()) {
      expect((await world.visit(path)).status, path).to.be.oneOf([400, 404]);
      expect((await world.visit(`/${keys[at]!}`)).status, `after ${path}`).to.equal(302);
    }
    expect((await visit('/x', { host: 'r\x80\xff.test' })).status).to.be.oneOf([400, 404]);
    expect(stack().restarts('redirect')).to.equal(0);
  });

  it('causes no query of its own among thousands of unknown keys and hosts', async () => {
    const COUNT = 3_000;
    const agent = new Agent({ keepAlive: true, maxSockets: 50 });
    const transactions = async () => {
      const { rows } = await db().raw<{ rows: { count: number }[] }>(
        `SELECT xact_commit AS count FROM pg_stat_database WHERE datname = current_database()`,
      );
      return rows[0]!.count;
    };
    const [cold] = await coldLinks('flooded', 1);
    // Other work of the service runs transactions too, the more the longer the test takes.
    const idleSince = Date.now();
    const countIdle = await transactions();
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    const countBefore = await transactions();
    const perMs = (countBefore - countIdle) / (Date.now() - idleSince);
    const askedSince = Date.now();
    const paths = Array.from({ length: COUNT }, (_, n) => n);
    const ask = async () => {
      for (let n = paths.pop(); n !== undefined; n = paths.pop()) {
        const path = n % 3 === 0 ? `/made-up-${n}` : `/made/${n}/up`;
        const host = n % 2 === 0 ? world.domain : `h${n}.made-up.example`;
        expect(await statusOf(path, host, agent)).to.equal(404);
      }
    };
    const asking = Promise.all(Array.from({ length: 50 }, ask));
    expect((await world.visit(`/${cold!}`)).status).to.equal(302);
    await asking;
    agent.destroy();
    // Postgres publishes its counters up to a second late.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    const count = (await transactions()) - countBefore;
    const others = 2 * perMs * (Date.now() - askedSince);
    expect(count - others, 'transactions').to.be.below(COUNT / 2);
  });

  it('does not delay other links when it is one of hundreds of passwords', async () => {
    for (const key of ['locked', 'other']) {
      const { status } = await world.api.post('/links', { url: A, key, password: 'open sesame' });
      expect(status).to.equal(201);
    }
    await world.api.post('/links', { url: A, key: 'plain' });
    await world.visit('/plain');
    const guesses = Array.from({ length: 300 }, (_, n) =>
      world.visit('/locked', {
        form: { password: 'wrong' },
        headers: { 'x-forwarded-for': `198.18.${n >> 8}.${n & 255}` },
      }),
    );
    const guessing = { on: true };
    const all = Promise.all(guesses).finally(() => {
      guessing.on = false;
    });
    const times: number[] = [];
    while (guessing.on) {
      const start = performance.now();
      expect((await world.visit('/plain')).status).to.equal(302);
      times.push(performance.now() - start);
    }
    const opened = await world.visit('/other', {
      form: { password: 'open sesame' },
      headers: { 'x-forwarded-for': '198.18.9.9' },
    });
    expect(opened.status).to.equal(303);
    const p95 = times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)]!;
    console.log(`      p95 of plain redirects beside 300 guesses: ${p95.toFixed(0)} ms`);
    expect(p95).to.be.below(500);
    const answers = await all;
    for (const { status, headers } of answers) {
      expect(status).to.be.oneOf([403, 503]);
      if (status === 503) expect(Number(headers['retry-after'])).to.be.greaterThan(0);
    }
    expect(answers.filter(({ status }) => status === 403).length).to.be.greaterThan(10);
  });

  it('is counted by address, also when the connection is reset at once', async () => {
    const { body: link } = await world.api.post('/links', { url: A, key: 'reset' });
    await world.visit('/reset', { headers: { 'x-forwarded-for': '192.0.2.1' } });
    const [port] = stack().redirectPorts;
    const resetting = Array.from({ length: 200 }, (_, n) => {
      const lines = [
        'GET /reset HTTP/1.1',
        `Host: ${world.domain}`,
        `User-Agent: ${browser(n)}`,
        'Accept-Language: en',
        `X-Forwarded-For: 198.51.100.${n + 1}`,
      ];
      return new Promise<void>((resolve) => {
        const socket = createConnection(port, '127.0.0.1', () => {
          socket.write(`${lines.join('\r\n')}\r\n\r\n`, () => socket.resetAndDestroy());
        });
        socket.on('error', () => {});
        socket.on('close', () => resolve());
      });
    });
    await Promise.all(resetting);
    await world.visit('/reset', { headers: { 'x-forwarded-for': '203.0.113.1' } });
    const events = () =>
      db()('events').where({ project_id: world.projectId, link_id: link.id }).select('ip');
    const rows = await eventually(async () => {
      const found = await events();
      expect(found.some(({ ip }) => String(ip).startsWith('203.0.113.'))).to.equal(true);
      return found;
    });
    expect(rows.filter(({ ip }) => ip === null || ip === '')).to.deep.equal([]);
  });

  it('is an outage only when Postgres is unreachable or unable to work', async () => {
    const failed = async (sql: string, value?: string) => {
      const asked = value === undefined ? db().raw(sql) : db().raw(sql, [value]);
      return asked.then(
        () => undefined,
        (error: unknown) => error,
      );
    };
    const nul = await failed('SELECT ?::text', 'a\0b');
    expect([isOutage(nul), isDataError(nul)]).to.deep.equal([false, true]);
    const number = await failed('SELECT ?::int', 'x');
    expect([isOutage(number), isDataError(number)]).to.deep.equal([false, true]);
    const column = await failed('SELECT nothing_of_this_name');
    expect([isOutage(column), isDataError(column)]).to.deep.equal([false, false]);
    const cancelled = await failed('SELECT pg_cancel_backend(pg_backend_pid()), pg_sleep(1)');
    expect([isOutage(cancelled), isDataError(cancelled)]).to.deep.equal([true, false]);
    const gone = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    expect([isOutage(gone), isDataError(gone)]).to.deep.equal([true, false]);
  });
});
