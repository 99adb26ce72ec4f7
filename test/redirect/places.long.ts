import { mkdtempSync, rmSync } from 'node:fs';
import { get, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { freePort } from '../../scripts/ports.ts';
import { connectRedis, type Redis } from '../../src/infra/redis.ts';
import { linkName } from '../../src/lookup/codec.ts';
import { browser } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { OneProcess } from '../support/one-process.ts';
import { OwnService } from '../support/own-service.ts';
import { Replica } from '../support/replica.ts';

const A = 'https://example.com/a';
const B = 'https://example.com/b';
/** Time after which a change must be visible, in ms; the documented limit is 100 ms. */
const SEEN_MS = 500;

/** A redirect process with a local replica, the Redis of the queues, and no Postgres. */
describe('a redirect process without Postgres', function () {
  const own = new OwnService();
  const dataDir = mkdtempSync(path.join(tmpdir(), 'shortlinks-place-'));
  let replica: Replica;
  let port: number;
  let settings: Record<string, string>;
  let redirect: OneProcess;
  let primary: Redis;
  let domainId: string;

  before(async () => {
    await own.start();
    domainId = (await own.db('domains').where({ project_id: null }).first('id')).id as string;
    primary = connectRedis(own.redisUrl, 'wait');
    replica = new Replica(await freePort(), own.redisAdminUrl);
    await replica.start();
    port = await freePort();
    settings = {
      DATABASE_URL: 'none',
      REDIS_URL: own.redisUrl,
      CACHE_REDIS_URL: `redis://127.0.0.1:${replica.port}`,
      SECRET_KEY: own.secretKey,
      DATA_DIR: dataDir,
      REDIRECT_PORT: String(port),
      HEALTH_PORT: '0',
    };
    redirect = new OneProcess('redirect', settings);
    await redirect.logged('ready');
  });

  after(async () => {
    await redirect?.stop();
    primary?.disconnect();
    await replica?.stop();
    await own.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const visit = (key: string, visitor = 0) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const headers = { host: 'localhost', 'user-agent': browser(visitor) };
      get({ host: '127.0.0.1', port, path: `/${key}`, agent: false, headers }, (response) => {
        response.resume();
        resolve(response);
      }).on('error', reject);
    });
  const location = async (key: string, visitor = 0) => {
    const { headers, statusCode } = await visit(key, visitor);
    return headers.location ?? statusCode;
  };
  const change = async (method: string, route: string, body: object) => {
    const answer = await fetch(own.service.apiUrl + route, {
      method,
      headers: { authorization: `Bearer ${own.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(answer.status, await answer.text()).to.equal(200);
  };
  const lookupsFrom = async (store: string) => {
    const { healthPort } = await redirect.logged('ready');
    const text = await (await fetch(`http://127.0.0.1:${String(healthPort)}/metrics`)).text();
    const found = new RegExp(`shortlinks_lookups_total\\{from="${store}"\\} (\\d+)`).exec(text);
    return Number(found?.[1] ?? 0);
  };
  const inMemory = (key: string, destination: string) =>
    eventually(async () => {
      const before = await lookupsFrom('near');
      expect(await location(key)).to.equal(destination);
      // The metric is some hundred milliseconds late.
      await eventually(
        async () => expect(await lookupsFrom('near')).to.be.greaterThan(before),
        400,
      );
    });
  /** Removes a key from everything near the process. */
  const evict = async (key: string) => {
    const name = linkName(domainId, key);
    await primary.del(name);
    await eventually(async () => expect(await replica.cli('exists', name)).to.equal('0'));
  };
  const events = async (linkId: string) =>
    Number((await own.db('events').where({ link_id: linkId }).count())[0]?.['count']);

  it('serves what its replica knows, from memory the second time, and counts the visits', async () => {
    const link = await own.post('/links', { url: A, key: 'hot' });
    expect(await location('hot', 1)).to.equal(A);
    await inMemory('hot', A);
    expect(await lookupsFrom('redis')).to.be.greaterThan(0);
    await eventually(async () => expect(await events(link.id)).to.be.at.least(2));
  });

  it('is given what was evicted by a process that has Postgres, which fills the cache', async () => {
    await own.post('/links', { url: A, key: 'evicted' });
    await evict('evicted');
    expect(await location('evicted')).to.equal(A);
    expect(await primary.get(linkName(domainId, 'evicted'))).to.contain(A);
  });

  it('answers 404 for a key that nothing has, which is remembered until one is made', async () => {
    expect(await location('later')).to.equal(404);
    const name = linkName(domainId, 'later');
    await eventually(async () => expect(await primary.get(name)).to.match(/^0@[^|]+\|$/));
    expect(await primary.ttl(name)).to.be.within(1, 30);
    const asked = await lookupsFrom('remote');
    await eventually(async () => {
      const fromRedis = await lookupsFrom('redis');
      expect(await location('later')).to.equal(404);
      expect(await lookupsFrom('redis')).to.be.greaterThan(fromRedis);
    });
    expect(await lookupsFrom('remote')).to.be.at.most(asked + 1);
    await own.post('/links', { url: A, key: 'later' });
    await eventually(async () => expect(await location('later')).to.equal(A), SEEN_MS);
  });

  it('sees updates and deletions of what it remembers', async () => {
    const link = await own.post('/links', { url: A, key: 'changed' });
    await inMemory('changed', A);
    await change('PATCH', `/links/${link.id}`, { url: B });
    await eventually(async () => expect(await location('changed')).to.equal(B), SEEN_MS);
    await inMemory('changed', B);
    await change('DELETE', `/links/${link.id}`, {});
    await eventually(async () => expect(await location('changed')).to.equal(404), SEEN_MS);
  });

  it('counts the visits of a limited link, beginning with what Postgres has counted', async () => {
    const link = await own.post('/links', { url: A, key: 'limited' });
    expect(await location('limited', 1)).to.equal(A);
    await eventually(async () => expect(await events(link.id)).to.equal(1));
    await change('PATCH', `/links/${link.id}`, { maxVisits: 2 });
    await eventually(async () => {
      expect(await location('limited', 2)).to.equal(A);
      expect(await location('limited', 3)).to.equal(410);
    });
  });

  it('takes passwords, and limits tries', async () => {
    await own.post('/links', { url: A, key: 'locked', password: 'open sesame' });
    const unlock = (password: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const headers = {
          host: 'localhost',
          'user-agent': browser(1),
          'content-type': 'application/x-www-form-urlencoded',
        };
        request(
          { host: '127.0.0.1', port, path: '/locked', method: 'POST', agent: false, headers },
          (response) => {
            response.resume();
            resolve(response.statusCode);
          },
        )
          .on('error', reject)
          .end(new URLSearchParams({ password }).toString());
      });
    expect(await unlock('open sesame')).to.be.oneOf([302, 303]);
    const statuses: (number | undefined)[] = [];
    for (let n = 0; n < 6; n += 1) statuses.push(await unlock('wrong'));
    expect(statuses.at(-1)).to.equal(429);
  });

  it('serves what is known near it, and refuses the rest for a moment, while nobody answers', async () => {
    await own.post('/links', { url: A, key: 'known' });
    await own.post('/links', { url: A, key: 'cold' });
    await inMemory('hot', A);
    await evict('cold');
    own.service.runner.kill('worker_writes', 'SIGSTOP');
    try {
      expect(await location('hot')).to.equal(A);
      expect(await location('known')).to.equal(A);
      const cold = await visit('cold');
      expect(cold.statusCode).to.equal(503);
      expect(cold.headers['retry-after']).to.match(/^\d+$/);
      expect((await redirect.readiness()).status).to.equal(200);
    } finally {
      own.service.runner.kill('worker_writes', 'SIGCONT');
    }
    await eventually(async () => expect(await location('cold')).to.equal(A));
  });

  it('asks while its replica is cut off, so that changes are seen, and goes on when both are gone', async () => {
    const link = await own.post('/links', { url: A, key: 'cut' });
    await inMemory('cut', A);
    await replica.setCut(true);
    await change('PATCH', `/links/${link.id}`, { url: B });
    await eventually(async () => expect(await location('cut')).to.equal(B), 3_000);
    own.service.runner.kill('worker_writes', 'SIGSTOP');
    try {
      // The replica still has the older destination.
      await eventually(async () => expect(await location('cut')).to.equal(A), 3_000);
      expect(await location('hot')).to.equal(A);
    } finally {
      own.service.runner.kill('worker_writes', 'SIGCONT');
    }
    await replica.setCut(false);
    await replica.inSync();
    await eventually(async () => expect(await location('cut')).to.equal(B));
    await inMemory('cut', B);
  });

  it('asks while its replica is gone', async () => {
    await inMemory('hot', A);
    await replica.kill();
    await eventually(async () => expect(await location('hot')).to.equal(A), 3_000);
    expect((await redirect.readiness()).status).to.equal(200);
    await replica.start();
    await inMemory('hot', A);
  });

  it('starts, serves and spools while the other Redis is gone, and delivers every visit afterwards', async () => {
    const link = await own.post('/links', { url: A, key: 'spooled' });
    await inMemory('spooled', A);
    const counted = await eventually(async () => {
      const one = await events(link.id);
      await delay(500);
      expect(await events(link.id)).to.equal(one);
      return one;
    });
    await own.stopRedis();
    const VISITS = 30;
    // A process without processor time answers 503, which is no visit, and visitors try again.
    let refused = 0;
    const redirects = async (visitor: number) => {
      const answer = await location('spooled', 100 + visitor);
      if (answer === 503) refused += 1;
      expect(answer === 503 ? await location('spooled', 100 + visitor) : answer).to.equal(A);
    };
    for (let visitor = 1; visitor <= VISITS / 2; visitor += 1) await redirects(visitor);
    await redirect.stop();
    redirect = new OneProcess('redirect', settings);
    await redirect.logged('ready');
    for (let visitor = VISITS / 2 + 1; visitor <= VISITS; visitor += 1) await redirects(visitor);
    expect(refused).to.be.below(VISITS / 3);
    await own.startRedis();
    await eventually(async () => expect(await events(link.id)).to.equal(counted + VISITS));
    await replica.inSync();
    await inMemory('spooled', A);
  });

  it('does not start with another SECRET_KEY', async () => {
    const other = new OneProcess('redirect', {
      ...settings,
      REDIRECT_PORT: '0',
      SECRET_KEY: 'another key of thirty-two characters',
    });
    await other.logged('SECRET_KEY is not that of the other processes');
    expect(await other.ended()).to.equal(1);
  });

  it('is the only kind of process that starts so', async () => {
    const other = new OneProcess('worker_clicks', settings);
    await other.logged('DATABASE_URL is none, with which only redirect processes run');
    expect(await other.ended()).to.equal(1);
  });

  it('looks up what others are asked for most before it takes its first visitor', async () => {
    await own.post('/links', { url: A, key: 'busiest' });
    await inMemory('busiest', A);
    const names = Array.from({ length: 8 }, (_, number) => `lookup:hot:${number}`);
    await eventually(async () => {
      for (let n = 0; n < 20; n += 1) await location('busiest');
      expect((await primary.mget(...names)).join('')).to.contain('localhost/busiest');
    });
    // A start gives up after a second, which a busy machine can exceed, so it is repeated.
    await eventually(async () => {
      await redirect.stop();
      redirect = new OneProcess('redirect', settings);
      const { warmed } = await redirect.logged('the most requested links');
      expect(warmed).to.be.greaterThan(0);
    });
    await redirect.logged('ready');
    expect(await location('busiest')).to.equal(A);
    await eventually(async () => expect(await lookupsFrom('near')).to.equal(1));
  });
});
