import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { OwnService } from '../support/own-service.ts';

const FROZEN_MS = 12_000;
const A = 'https://example.com/a';

const delay = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('while Redis is frozen for 12 s', function () {
  this.timeout(180_000);
  const own = new OwnService();

  before(() => own.start({ WRITE_WAIT_MS: '3000' }));
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
    // The first request of a new service is its slowest; the others could all be answered with it.
    const first = await create(keys[0]!, 0);
    const answers = keys.slice(1).map(async (key, n) => {
      // Staggered: when one is answered and Redis freezes, the next ones are on their way.
      await delay(n * 20);
      return create(key, n + 1);
    });
    await Promise.race(answers);
    process.kill(pid, 'SIGSTOP');
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
      }, 60_000);
    }
    const { body: links } = await send('GET', '/links');
    expect(links.map(({ key }: { key: string }) => key).toSorted()).to.deep.equal(keys.toSorted());
    const again = await send('POST', '/links', { url: A, key: keys[18] }, keyed(keys[18]!));
    expect([again.status, again.headers.get('idempotent-replayed')]).to.deep.equal([201, 'true']);
    expect((await send('GET', '/links')).body).to.have.length(20);
  });

  it('an unknown job id is 404', async () => {
    expect((await send('GET', `/jobs/job_${'0'.repeat(46)}`)).status).to.equal(404);
  });
});
