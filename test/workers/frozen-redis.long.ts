import { expect } from 'chai';
import { connectDb, execute, rows } from '../../src/infra/db.ts';
import { eventually } from '../support/eventually.ts';
import { OwnService } from '../support/own-service.ts';

const FROZEN_MS = 12_000;
const A = 'https://example.com/a';

const delay = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('while Redis is frozen for 12 s', function () {
  const own = new OwnService();

  before(() => own.start({ WRITE_WAIT_MS: '3000' }, 'Procfile.small'));
  after(() => own.stop());

  async function send(method: string, route: string, body?: object, headers: object = {}) {
    const answer = await fetch(own.service.apiUrl + route, {
      method,
      headers: {
        authorization: `Bearer ${own.apiKey}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const { status } = answer;
    // oxlint-disable-next-line typescript/no-explicit-any -- tests look into bodies of every shape
    return { status, headers: answer.headers, body: (await answer.json()) as any };
  }

  it('writes return 202 and are executed once, and none is reported as failed', async () => {
    const keys = Array.from({ length: 20 }, (_, n) => `link-${n}`);
    const keyed = (key: string) => ({ 'idempotency-key': key });
    const pid = await own.redisPid();
    const create = (key: string, n: number) =>
      send('POST', '/links', { url: A, key }, n % 2 === 0 ? keyed(key) : {});
    // The first request of a new service is the slowest, so it is not among the concurrent ones.
    const first = await create(keys[0]!, 0);
    const answers = keys.slice(1, 10).map(async (key, n) => {
      // Requests are staggered, so that some are under way when the first is answered and Redis
      // freezes.
      await delay(n * 20);
      return create(key, n + 1);
    });
    await Promise.race(answers);
    process.kill(pid, 'SIGSTOP');
    // On a busy machine, all of them may have been answered by then.
    answers.push(...keys.slice(10).map((key, n) => create(key, n + 10)));
    let asked: Awaited<ReturnType<typeof send>>[] = [];
    let accepted: string[] = [];
    try {
      const thaw = delay(FROZEN_MS);
      const settled = [first, ...(await Promise.all(answers))];
      for (const { status } of settled) expect(status).to.be.oneOf([201, 202]);
      accepted = settled.filter(({ status }) => status === 202).map(({ body }) => body.id);
      expect(accepted).to.have.length.greaterThan(5);
      asked = await Promise.all(accepted.slice(0, 5).map((id) => send('GET', `/jobs/${id}`)));
      await thaw;
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    for (const { status, body } of asked) {
      expect([status, body.status]).to.be.deep.oneOf([
        [200, 'queued'],
        [200, 'running'],
        [200, 'done'],
      ]);
    }
    for (const id of accepted) {
      await eventually(async () => {
        const { status, body } = await send('GET', `/jobs/${id}`);
        expect([status, body.status]).to.deep.equal([200, 'done']);
      });
    }
    const { body: links } = await send('GET', '/links');
    expect(links.map(({ key }: { key: string }) => key).toSorted()).to.deep.equal(keys.toSorted());
    const again = await send('POST', '/links', { url: A, key: keys[18] }, keyed(keys[18]!));
    expect([again.status, again.headers.get('idempotent-replayed')]).to.deep.equal([201, 'true']);
    expect((await send('GET', '/links')).body).to.have.length(20);
  });

  /** Freezes Redis while `work` runs, for at least `ms`. */
  async function whileFrozen<Result>(ms: number, work: () => Promise<Result>): Promise<Result> {
    const pid = await own.redisPid();
    process.kill(pid, 'SIGSTOP');
    try {
      const [result] = await Promise.all([work(), delay(ms)]);
      return result;
    } finally {
      process.kill(pid, 'SIGCONT');
    }
  }

  it('a write on its queue is not answered as failed where its outcome cannot be read', async () => {
    const pid = await own.redisPid();
    const holder = connectDb(own.commandEnv['DATABASE_URL']!, 1, 'test');
    const waiting = () =>
      rows(
        own.db,
        `SELECT pid FROM pg_stat_activity WHERE application_name = 'api' AND wait_event_type = 'Lock'`,
      );
    const lock = () => execute(holder, 'BEGIN; LOCK TABLE jobs IN ACCESS EXCLUSIVE MODE');
    const unlock = () => execute(holder, 'ROLLBACK');
    try {
      await lock();
      const headers = { 'idempotency-key': 'unreadable' };
      const answer = send('POST', '/links', { url: A, key: 'unreadable' }, headers);
      await eventually(async () => expect(await waiting()).to.have.lengthOf(1));
      // The request has no answer yet and reads Redis next, which does not reply until the table is
      // locked again.
      process.kill(pid, 'SIGSTOP');
      await unlock();
      await eventually(async () => expect(await waiting()).to.have.lengthOf(0));
      await lock();
      process.kill(pid, 'SIGCONT');
      const { status, body } = await answer;
      expect(status).to.equal(202);
      await unlock();
      await eventually(async () => {
        expect((await send('GET', `/jobs/${body.id}`)).body.status).to.equal('done');
      });
    } finally {
      process.kill(pid, 'SIGCONT');
      await holder.destroy();
    }
  });

  it('an API that is stopped under load does every write that it answers, once', async () => {
    const startedAt = Date.now();
    const sent: Promise<{ name: string; status: number; job: string }>[] = [];
    const create = async (n: number) => {
      const name = `stopped-${n}`;
      const body = { url: A, key: name, comments: name };
      const headers = [{}, { 'idempotency-key': name }, { prefer: 'respond-async' }][n % 3];
      const answer = await (n % 4 === 3
        ? send('POST', '/links/bulk', [body], headers)
        : send('POST', '/links', body, headers)
      ).catch(() => ({ status: 0, headers: new Headers() }));
      return { name, status: answer.status, job: answer.headers.get('location') ?? '' };
    };
    const load = setInterval(() => sent.push(create(sent.length)), 50);
    try {
      await delay(1_000);
      await whileFrozen(FROZEN_MS + 8_000, async () => {
        await delay(6_000);
        own.service.runner.kill('api', 'SIGTERM');
      });
    } finally {
      clearInterval(load);
    }
    const answers = await Promise.all(sent);
    const promised = answers.filter(({ status }) => status >= 200 && status < 300);
    const accepted = promised.filter(({ status }) => status === 202);
    console.log(
      `      ${Date.now() - startedAt} ms: ${answers.length} sent, ${promised.length} answered, ${accepted.length} with 202`,
    );
    expect(accepted.length).to.be.greaterThan(20);
    // 0 means that the API was down, and 500 that its connection was certainly unusable.
    for (const { status } of answers) expect([0, 200, 201, 202, 500, 503]).to.include(status);
    const refused = new Set(answers.filter(({ status }) => status >= 500).map(({ name }) => name));
    await eventually(async () => {
      const rows: { comments: string; count: string }[] = await own
        .db('links')
        .where('comments', 'like', 'stopped-%')
        .groupBy('comments')
        .select('comments')
        .count();
      const stored = new Map(rows.map(({ comments, count }) => [comments, Number(count)]));
      expect(promised.filter(({ name }) => stored.get(name) !== 1)).to.deep.equal([]);
      expect([...stored].filter(([name]) => refused.has(name))).to.deep.equal([]);
    });
    for (const { job } of accepted) {
      await eventually(async () => {
        const { status, body } = await send('GET', job);
        expect([job, status, body.status]).to.deep.equal([job, 200, 'done']);
      });
    }
  });

  it('a write that the disk does not take either is 503 with Retry-After', async () => {
    const unblock = own.blockSpool();
    try {
      const answers = await whileFrozen(8_000, () =>
        Promise.all(
          Array.from({ length: 10 }, (_, n) =>
            send('POST', '/links', { url: A, key: `none-${n}` }),
          ),
        ),
      );
      for (const { status, headers, body } of answers) {
        expect([status, body.error.code]).to.deep.equal([503, 'service_unavailable']);
        expect(headers.get('retry-after')).to.equal('10');
      }
    } finally {
      unblock();
    }
  });

  it('an unknown job id is 404', async () => {
    expect((await send('GET', `/jobs/job_${'0'.repeat(46)}`)).status).to.equal(404);
  });
});
