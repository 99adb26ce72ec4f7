import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { connect } from 'node:net';
import path from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { expect } from 'chai';
import { connectRedis, type Redis } from '../../src/infra/redis.ts';
import { linkName } from '../../src/lookup/codec.ts';
import { browser } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { OwnService } from '../support/own-service.ts';

/**
 * Requests unknown keys without waiting for the answers.
 * @returns the number of answers by status and presence of `Retry-After`
 */
async function flood(port: number, count: number): Promise<Map<string | number, number>> {
  const EACH = 50;
  const answers = new Map<string | number, number>();
  const ask = async (first: number) => {
    const keys = Array.from({ length: EACH }, (_, n) => `flood-${first + n}`);
    const socket = connect(port, '127.0.0.1');
    const headers = 'Host: localhost\r\nUser-Agent: curl/8.0';
    const end = (at: number) => (at === EACH - 1 ? '\r\nConnection: close' : '');
    socket.write(
      keys.map((key, at) => `GET /${key} HTTP/1.1\r\n${headers}${end(at)}\r\n\r\n`).join(''),
    );
    const received = await textOf(socket);
    for (const head of received.match(/^HTTP\/1\.1 [^]*?\r\n\r\n/gm) ?? []) {
      const status = Number(head.slice(9, 12));
      const kind = /^Retry-After: \d/m.test(head) ? `${status}, Retry-After` : status;
      answers.set(kind, (answers.get(kind) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: count / EACH }, (_, n) => ask(n * EACH)));
  return answers;
}

const PROCESSES = [
  [0, 'redirect.1'],
  [1, 'redirect.2'],
] as const;

/** These tests kill servers, so the service has its own. */
describe('redirects during outages', function () {
  const own = new OwnService();
  let domainId: string;

  before(async () => {
    await own.start({}, 'Procfile.small');
    domainId = (await own.db('domains').where({ project_id: null }).first('id')).id as string;
  });

  after(() => own.stop());

  const location = (key: string, process: 0 | 1, visitor = 0) =>
    new Promise<string | number | undefined>((resolve, reject) => {
      const port = own.service.redirectPorts[process];
      const headers = { host: 'localhost', 'user-agent': browser(visitor) };
      get({ host: '127.0.0.1', port, path: `/${key}`, agent: false, headers }, (response) => {
        response.resume();
        resolve(response.headers.location ?? response.statusCode);
      }).on('error', reject);
    });
  const change = async (method: string, route: string, body: object) => {
    const answer = await fetch(own.service.apiUrl + route, {
      method,
      headers: { authorization: `Bearer ${own.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(answer.status, await answer.text()).to.equal(200);
  };
  async function withRedis<T>(work: (redis: Redis) => Promise<T>): Promise<T> {
    const redis = connectRedis(own.redisAdminUrl, 'wait');
    try {
      return await work(redis);
    } finally {
      redis.disconnect();
    }
  }
  const lookupsFrom = async (
    store: string,
    processes = PROCESSES.map(([, name]): string => name),
  ) => {
    const counts = processes.map(async (name) => {
      const text = await (await fetch(`${own.service.runner.healthUrlOf(name)}/metrics`)).text();
      return Number(
        new RegExp(`shortlinks_lookups_total\\{from="${store}"\\} (\\d+)`).exec(text)?.[1] ?? 0,
      );
    });
    return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
  };

  it('go to the present destinations after Redis has lost its last second', async () => {
    const older = 'https://example.com/older';
    const newer = 'https://example.com/newer';
    const changed = await own.post('/links', { url: older, key: 'changed', flexible: true });
    const deleted = await own.post('/links', { url: older, key: 'deleted' });
    const kept = await own.post('/links', { url: older, key: 'kept' });
    expect(kept.key).to.equal('kept');
    const names = ['changed', 'deleted'].map((key) => linkName(domainId, key));
    const before = await withRedis((redis) => redis.mget(...names));
    expect(before.every((value) => value !== null)).to.equal(true);
    await change('PATCH', `/links/${changed.id}`, { url: newer });
    await change('DELETE', `/links/${deleted.id}`, {});
    await withRedis(async (redis) => {
      await redis.config('SET', 'appendfsync', 'always');
      for (const [at, name] of names.entries()) await redis.set(name, before[at]!, 'EX', 86_400);
    });
    await own.killRedis();
    await own.startRedis();
    expect(await withRedis((redis) => redis.mget(...names))).to.deep.equal(before);
    for (const process of [0, 1] as const) {
      await eventually(async () => expect(await location('kept', process)).to.equal(older), 10_000);
      expect(await location('changed', process)).to.equal(newer);
      expect(await location('deleted', process)).to.equal(404);
    }
    // The entries stay current after invalidations return and processes use memory again, with
    // Redis before Postgres.
    for (const process of [0, 1] as const) {
      await eventually(async () => {
        const fromMemory = await lookupsFrom('near');
        for (let n = 0; n < 2; n += 1) await location('kept', process);
        expect(await lookupsFrom('near')).to.be.greaterThan(fromMemory);
      }, 60_000);
      expect(await location('changed', process)).to.equal(newer);
      expect(await location('deleted', process)).to.equal(404);
    }
    // The answer of Postgres replaces the outdated entry, so the next process finds it in Redis.
    const fromPostgres = await lookupsFrom('postgres');
    for (const process of [0, 1] as const) await location('deleted', process);
    expect(await lookupsFrom('postgres')).to.equal(fromPostgres);
    await change('PATCH', `/links/${changed.id}`, { url: older });
    for (const process of [0, 1] as const) {
      await eventually(async () => expect(await location('changed', process)).to.equal(older), 500);
    }
  });

  it('keep a connection to Postgres open, also after it was closed', async () => {
    const OWN = "FROM pg_stat_activity WHERE application_name = 'redirect'";
    const open = async () => {
      const { rows } = await own.db.raw<{ rows: { pid: number }[] }>(`SELECT pid ${OWN}`);
      return rows.map(({ pid }) => pid);
    };
    const before = await open();
    expect(before).to.have.length.of.at.least(2);
    await own.db.raw(`SELECT pg_terminate_backend(pid) ${OWN}`);
    await eventually(async () => {
      const others = (await open()).filter((pid) => !before.includes(pid));
      expect(others).to.have.length.of.at.least(2);
    }, 10_000);
  });

  it('of links in memory go on when Redis returns while Postgres does not answer', async () => {
    const hot = 'https://example.com/remembered';
    await own.post('/links', { url: hot, key: 'remembered' });
    for (const [process, name] of PROCESSES) {
      await eventually(async () => {
        const fromMemory = await lookupsFrom('near', [name]);
        expect(await location('remembered', process)).to.equal(hot);
        expect(await lookupsFrom('near', [name])).to.be.greaterThan(fromMemory);
      });
    }
    await own.stopRedis();
    const transaction = await own.db.transaction();
    await transaction.raw('LOCK TABLE claims, domains');
    try {
      await own.startRedis();
      for (const [process, name] of PROCESSES) {
        await eventually(async () => {
          const health = await fetch(`${own.service.runner.healthUrlOf(name)}/readyz`);
          const { failing } = (await health.json()) as { failing?: string[] };
          expect(failing ?? []).not.to.include('redis');
        });
        // Invalidations are connected within a second; memory from before must still be used.
        for (let visitor = 0; visitor < 10; visitor += 1) {
          expect(await location('remembered', process, visitor)).to.equal(hot);
          await new Promise((resolve) => setTimeout(resolve, 200));
        }
      }
    } finally {
      await transaction.rollback();
    }
  });

  it('of links in memory go on while a flood of unknown keys is refused, since Postgres does not answer', async () => {
    const hot = 'https://example.com/hot';
    await own.post('/links', { url: hot, key: 'hot' });
    await own.post('/links', { url: hot, key: 'cold' });
    await eventually(async () => {
      const fromMemory = await lookupsFrom('near');
      expect(await location('hot', 0)).to.equal(hot);
      expect(await lookupsFrom('near')).to.be.greaterThan(fromMemory);
    }, 60_000);
    const transaction = await own.db.transaction();
    await transaction.raw('LOCK TABLE claims');
    try {
      // At most 1,000 look-ups wait; the others are refused at once. A process that reads few
      // requests before the first look-ups time out needs more than one flood to get there.
      await eventually(async () => {
        const answers = await flood(own.service.redirectPorts[0]!, 2_000);
        expect([...answers]).to.deep.equal([['503, Retry-After', 2_000]]);
        expect(await location('hot', 0, 1)).to.equal(hot);
        expect(await lookupsFrom('refused')).to.be.greaterThan(0);
      });
    } finally {
      await transaction.rollback();
    }
    await eventually(async () => {
      expect(await location('unknown', 0)).to.equal(404);
      expect(await location('cold', 0)).to.equal(hot);
    });
  });

  it('of links that only Postgres has go on beside random long paths', async () => {
    const LINKS = 40;
    const keys = Array.from({ length: LINKS }, (_, n) => `only-in-postgres/${n}`);
    for (const key of keys) await own.post('/links', { url: 'https://example.com/a', key });
    await withRedis(async (redis) => {
      await redis.unlink(...keys.map((key) => linkName(domainId, key)));
    });
    const agent = new Agent({ keepAlive: true, maxSockets: 100 });
    const port = own.service.redirectPorts[0]!;
    const end = new AbortController();
    const statuses = new Map<number, number>();
    const attack = async () => {
      while (!end.signal.aborted) {
        const segments = Array.from({ length: 17 }, () => randomBytes(4).toString('hex'));
        const status = await new Promise<number>((resolve, reject) => {
          const options = { host: '127.0.0.1', port, path: `/${segments.join('/')}`, agent };
          const headers = { host: 'localhost', 'user-agent': browser() };
          get({ ...options, headers }, (response) => {
            response.resume().on('end', () => resolve(response.statusCode!));
          }).on('error', reject);
        });
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    const refused = await lookupsFrom('refused');
    const attacks = Promise.all(Array.from({ length: 100 }, attack));
    let unavailable = 0;
    for (const key of keys) {
      await eventually(async () => {
        const found = await location(key, 0);
        if (found === 503) unavailable += 1;
        expect(found).to.equal('https://example.com/a');
      });
    }
    end.abort();
    await attacks;
    agent.destroy();
    // On a busy machine a look-up may time out; behind those of the long paths most would.
    expect(unavailable).to.be.below(LINKS / 2);
    expect(statuses.get(404)).to.be.greaterThan(100);
    expect((await lookupsFrom('refused')) - refused).to.equal(0);
  });

  it('continue while both Redis and the disk refuse visits, all of which are counted afterwards', async () => {
    const link = await own.post('/links', { url: 'https://example.com/a', key: 'counted' });
    expect(await location('counted', 0)).to.equal('https://example.com/a');
    const spool = path.join(own.folders[1]!, 'spool');
    rmSync(spool, { recursive: true, force: true });
    writeFileSync(spool, 'no folder can be made here');
    await own.stopRedis();
    const COUNT = 60;
    for (let visitor = 1; visitor < COUNT; visitor += 1) {
      const process = (visitor % 2) as 0 | 1;
      expect(await location('counted', process, visitor)).to.equal('https://example.com/a');
    }
    const health = own.service.runner.healthUrlOf('redirect.1');
    const { status, body } = await fetch(`${health}/readyz`).then(async (answer) => ({
      status: answer.status,
      body: (await answer.json()) as { visits?: { held: number; notRecorded: number } },
    }));
    expect(status).to.equal(200);
    expect(body.visits?.held).to.be.greaterThan(20);
    expect(body.visits?.notRecorded).to.equal(0);
    await own.startRedis();
    await eventually(async () => {
      const rows = await own.db('events').where({ link_id: link.id });
      expect(rows).to.have.lengthOf(COUNT);
    });
    rmSync(spool);
    const answer = (await (await fetch(`${health}/readyz`)).json()) as object;
    expect(answer).to.include({ status: 'ready' }).and.not.to.have.property('visits');
  });
});
