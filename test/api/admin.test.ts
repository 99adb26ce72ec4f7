import { hostname } from 'node:os';
import { expect } from 'chai';
import { keepRejected } from '../../src/events/ingest/rejected-visits.ts';
import { newId } from '../../src/ids.ts';
import { connectRedis, type Redis, redisReady } from '../../src/infra/redis.ts';
import { VERSION } from '../../src/infra/version.ts';
import { QUEUES } from '../../src/queues/index.ts';
import type { Visit } from '../../src/visits/visit.ts';
import { eventually } from '../support/eventually.ts';
import { FailedJobs } from '../support/failed-jobs.ts';
import { aPerson } from '../support/people.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace } from '../support/world.ts';

const ROUTES = [
  ['GET', '/admin/processes'],
  ['GET', '/admin/queues'],
  ['GET', '/admin/dead-letters'],
  ['GET', '/admin/dead-letters/writes:x'],
  ['POST', '/admin/dead-letters/writes:x/retry'],
  ['DELETE', '/admin/dead-letters/writes:x'],
  ['GET', '/admin/blocked-hosts'],
  ['PUT', '/admin/blocked-hosts/malware.example'],
  ['DELETE', '/admin/blocked-hosts/malware.example'],
  ['GET', '/admin/blocked-links'],
  ['DELETE', '/admin/blocked-links/link_x'],
  ['GET', '/admin/abuse-reports'],
  ['GET', '/admin/abuse-reports/rep_x'],
  ['PUT', '/admin/abuse-reports/rep_x/answer'],
] as const;

describe('/admin', () => {
  let redis: Redis;
  let failedJobs: FailedJobs;
  const operator = async () => (await aPerson({ isOperator: true })).api;
  const at = (id: string, action = '') => `/admin/dead-letters/${encodeURIComponent(id)}${action}`;

  before(async () => {
    redis = connectRedis(process.env['REDIS_URL']!, 'wait');
    await redisReady(redis);
    failedJobs = new FailedJobs(redis);
  });

  after(async () => {
    await failedJobs.close();
    redis.disconnect();
  });

  /** Stores a visit as a dead letter, as if the database had refused it. */
  async function aRejectedVisit(projectId: string): Promise<{ id: string; visit: Visit }> {
    const visit: Visit = {
      id: newId('event'),
      at: Date.now(),
      projectId,
      linkId: '',
      domain: 'rejected.test',
      key: '_root',
      destination: 'https://example.com/',
      ip: '192.0.2.1',
      userAgent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/139.0.0.0',
      referer: '',
      via: 'link',
    };
    const error = Object.assign(new Error('insert … - value out of range'), { code: '22003' });
    const { id } = await keepRejected(visit, error, null);
    return { id: `visits:${id}`, visit };
  }

  for (const [method, path] of ROUTES) {
    it(`is for operators only: ${method} ${path}`, async () => {
      const world = await aWorkspace();
      const { api: owner } = await aPerson({
        in: { projectId: world.projectId, slug: world.slug, role: 'owner' },
      });
      const put = path.endsWith('/answer') ? { decision: 'dismiss' } : { reason: 'a' };
      const body = method === 'POST' ? {} : method === 'PUT' ? put : undefined;
      expect((await world.api.send(method, path, body)).status).to.equal(403);
      expect((await owner.send(method, path, body)).status).to.equal(403);
      const anonymous = await fetch(stack().apiUrl + path, { method });
      expect(anonymous.status).to.be.oneOf(method === 'GET' ? [401] : [401, 403]);
    });
  }

  describe('GET /admin/processes', () => {
    interface Shown {
      id: string;
      name: string;
      state: string;
      pid: number;
    }
    const shown = async (): Promise<Shown[]> =>
      (await (await operator()).get('/admin/processes')).body;

    it('shows every process as ready', async () => {
      const [version, host] = [VERSION, hostname()];
      await eventually(async () => {
        const ready = (await shown()).filter(({ state }) => state === 'ready');
        const workers = [...Object.keys(QUEUES), 'scheduler'].map((name) => `worker_${name}`);
        expect(ready.map(({ name }) => name)).to.deep.equal(
          ['api', 'redirect', ...workers]
            .flatMap((name) =>
              stack()
                .copies(name)
                .map(() => name),
            )
            .toSorted(),
        );
        for (const one of ready) expect(one).to.include({ version, host });
      });
    });

    it('takes out a process that ends, and shows the one that follows it', async () => {
      const before = (await shown()).filter(({ name }) => name === 'worker_currency');
      stack().signal('worker_currency', 'SIGTERM');
      await eventually(async () => {
        const now = (await shown()).filter(({ name }) => name === 'worker_currency');
        expect(now).to.have.lengthOf(stack().copies('worker_currency').length);
        for (const one of now) {
          expect(one).to.include({ state: 'ready' });
          expect(before.map(({ pid }) => pid)).not.to.include(one.pid);
        }
      });
    });

    it('shows what fails, and for an hour who fell silent', async () => {
      const beat = JSON.parse((await redis.hvals('processes'))[0]!);
      const heartbeats = {
        failing: { seenAt: Date.now(), failing: ['postgres'] },
        silent: { seenAt: Date.now() - 16_000, failing: [] },
        forgotten: { seenAt: Date.now() - 3_601_000, failing: [] },
      };
      for (const [id, { seenAt, failing }] of Object.entries(heartbeats)) {
        const text = { ...beat, id, failing, seenAt: new Date(seenAt).toISOString() };
        await redis.hset('processes', id, JSON.stringify(text));
      }
      try {
        const states = (await shown()).flatMap(({ id, state }) =>
          id in heartbeats ? [[id, state]] : [],
        );
        expect(Object.fromEntries(states)).to.deep.equal({
          failing: 'not_ready',
          silent: 'silent',
        });
      } finally {
        await redis.hdel('processes', ...Object.keys(heartbeats));
      }
    });
  });

  it('shows the depth, activity and workers of every queue', async () => {
    const [api, { api: client, projectId }] = [await operator(), await aWorkspace()];
    const stateOf = async (name: string) => {
      const { body } = await api.get('/admin/queues');
      return body.queues.find((queue: { name: string }) => queue.name === name);
    };
    const before = await stateOf('writes');
    for (const name of ['a', 'b', 'c']) await client.post('/tags', { name });
    await eventually(async () => {
      const now = await stateOf('writes');
      expect(now.completedLastHour).to.be.at.least(before.completedLastHour + 3);
      expect(now.workers).to.equal(stack().copies('worker_writes').length);
    });
    const { failed, failedLastHour } = await stateOf('currency');
    const id = await failedJobs.add(projectId);
    const after = await stateOf('currency');
    expect(after.failed).to.equal(failed + 1);
    expect(after.failedLastHour).to.equal(failedLastHour + 1);
    await api.delete(at(id));
  });

  it('lists, shows, retries and discards jobs that failed for good', async () => {
    const [api, { projectId }] = [await operator(), await aWorkspace()];
    const [first, second] = [await failedJobs.add(projectId), await failedJobs.add(projectId)];
    const listed = (await api.get('/admin/dead-letters', { source: 'currency' })).body;
    expect(listed.slice(0, 2).map(({ id }: { id: string }) => id)).to.deep.equal([second, first]);
    expect((await api.get('/admin/dead-letters', { limit: 1, page: 2 })).body[0].id).to.equal(
      first,
    );
    const { body } = await api.get(at(first));
    expect(body).to.deep.include({
      source: 'currency',
      job: 'nobody.does',
      projectId,
      attempts: 1,
      error: 'no handler for job "nobody.does"',
      requestId: 'asked',
      data: { n: 1 },
    });
    const { status, body: retried } = await api.post(at(first, '/retry'));
    expect([status, retried]).to.deep.equal([200, { status: 'queued' }]);
    await eventually(async () => expect((await api.get(at(first))).body.attempts).to.equal(2));
    for (const id of [first, second]) {
      expect((await api.delete(at(id))).status).to.equal(204);
      expect((await api.get(at(id))).status).to.equal(404);
      expect((await api.post(at(id, '/retry'))).status).to.equal(404);
      expect((await api.delete(at(id))).status).to.equal(404);
    }
  });

  it('lists, shows, retries and discards visits that the database refused', async () => {
    const [api, world] = [await operator(), await aWorkspace()];
    const [first, second] = [
      await aRejectedVisit(world.projectId),
      await aRejectedVisit(world.projectId),
    ];
    const listed = (await api.get('/admin/dead-letters', { source: 'visits' })).body;
    expect(listed.slice(0, 2).map(({ id }: { id: string }) => id)).to.deep.equal([
      second.id,
      first.id,
    ]);
    expect((await api.get('/admin/queues')).body.rejectedVisits).to.be.at.least(2);
    const { body } = await api.get(at(first.id));
    expect(body.error).to.equal('value out of range (22003)');
    expect(body.data).to.deep.equal(first.visit);
    expect((await api.post(at(first.id, '/retry'))).body).to.deep.equal({ status: 'stored' });
    expect((await world.api.get('/analytics')).body.clicks).to.equal(1);
    expect((await api.delete(at(second.id))).status).to.equal(204);
    for (const { id } of [first, second]) {
      expect((await api.get(at(id))).status).to.equal(404);
      expect((await api.post(at(id, '/retry'))).status).to.equal(404);
      expect((await api.delete(at(id))).status).to.equal(404);
    }
    expect((await world.api.get('/analytics')).body.clicks).to.equal(1);
  });

  it('refuses bad requests', async () => {
    const api = await operator();
    for (const query of [{ source: 'nothing' }, { page: 11 }, { limit: 101 }, { nope: 1 }]) {
      expect((await api.get('/admin/dead-letters', query)).status).to.equal(422);
    }
    for (const id of ['x', 'nothing:x', 'writes:', ':x', 'visits:%00', 'writes:events']) {
      expect((await api.get(at(id))).status, id).to.equal(404);
    }
  });
});
