import { expect } from 'chai';
import { freePort } from '../../scripts/ports.ts';
import { visitsAddUp, writesAddUp } from '../support/adding-up.ts';
import { eventually } from '../support/eventually.ts';
import { OwnService } from '../support/own-service.ts';
import { Replica } from '../support/replica.ts';
import { Visitors } from '../support/traffic.ts';

const A = 'https://example.com/a';
const KEYS = ['one', 'two', 'three'];
const VISITS_PER_SECOND = 100;
const SOON_MS = 20_000;

/** The primary always answers; its only replica is up or frozen. */
describe('visits and accepted writes that a replica has to confirm', function () {
  const own = new OwnService();
  let replica: Replica;

  before(async () => {
    await own.start({ REDIS_WAIT_REPLICAS: '1', LOG_LEVEL: 'warn' }, 'Procfile.small');
    replica = new Replica(await freePort(), own.redisAdminUrl);
  });

  after(async () => {
    replica.goOn();
    await own.stop();
    await replica.stop();
  });

  const safeIn = async (where: 'queue' | 'spool') => {
    const counts = ['redirect.1', 'redirect.2'].map(async (name) => {
      const text = await (await fetch(`${own.service.runner.healthUrlOf(name)}/metrics`)).text();
      const line = new RegExp(`shortlinks_visits_recorded_total\\{where="${where}"\\} (\\d+)`);
      return Number(line.exec(text)?.[1] ?? 0);
    });
    return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
  };
  const create = async (externalId: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${own.service.apiUrl}/links`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${own.apiKey}`,
        'content-type': 'application/json',
        ...headers,
      },
      body: JSON.stringify({ url: A, externalId, key: `key-${externalId}` }),
    });
    return { status: answer.status, id: ((await answer.json()) as { id?: string }).id };
  };
  const visiting = (name: string) =>
    new Visitors(name, own.service.redirectPorts, KEYS, VISITS_PER_SECOND);
  const allRedirected = async (visitors: Visitors) => {
    const visits = await visitors.stop();
    expect([...visits.others], 'answers other than redirects').to.deep.equal([]);
    expect([...visits.cut], 'answers cut off').to.deep.equal([]);
    return visits;
  };

  it('are answered, and spooled, while there is no replica, of which the log warns', async () => {
    for (const key of KEYS) await own.post('/links', { url: A, key });
    await eventually(() => {
      const warning = own.service.lines.find((line) =>
        line.includes('REDIS_URL: replicas connected: 0, and REDIS_WAIT_REPLICAS is 1'),
      );
      expect(warning).not.to.equal(undefined);
    }, SOON_MS);
    const visitors = visiting('without');
    await eventually(() => expect(visitors.tally.answered.size).to.be.above(100), SOON_MS);
    const visits = await allRedirected(visitors);
    expect(await safeIn('queue')).to.equal(0);
    await replica.start();
    await visitsAddUp(own, 'without', visits);
  });

  it('go to the queue while it is there', async () => {
    const before = await safeIn('queue');
    const first = visiting('present');
    await eventually(async () => expect(await safeIn('queue')).to.be.above(before), SOON_MS);
    await visitsAddUp(own, 'present', await allRedirected(first));
    const spooled = await safeIn('spool');
    const visitors = visiting('queued');
    await eventually(() => expect(visitors.tally.answered.size).to.be.above(100), SOON_MS);
    await visitsAddUp(own, 'queued', await allRedirected(visitors));
    expect(await safeIn('spool')).to.equal(spooled);
    const { status } = await create('present-1', { prefer: 'respond-async' });
    expect(status).to.equal(202);
  });

  it('are answered, and spooled, while it is frozen, and counted once when it goes on', async () => {
    const before = await safeIn('spool');
    replica.freeze();
    const visitors = visiting('frozen');
    const made: string[] = [];
    const accepted = new Map<string, string>();
    try {
      await eventually(async () => {
        expect(await safeIn('spool')).to.be.above(before + VISITS_PER_SECOND);
      }, SOON_MS);
      // Postgres stores the outcome, so the write is confirmed without the replica.
      expect((await create('frozen-1')).status).to.equal(201);
      made.push('frozen-1');
      // The first job is already in the queue when the missing replica is noticed.
      const first = await create('frozen-2', { prefer: 'respond-async' });
      expect(first.status).to.equal(202);
      accepted.set('frozen-2', first.id!);
      expect((await create('frozen-3', { prefer: 'respond-async' })).status).to.equal(500);
    } finally {
      replica.goOn();
    }
    const queued = await safeIn('queue');
    await eventually(async () => expect(await safeIn('queue')).to.be.above(queued), SOON_MS);
    await visitsAddUp(own, 'frozen', await allRedirected(visitors));
    await writesAddUp(own, 'frozen', { made, accepted, failed: new Map([['frozen-3', 500]]) });
    expect((await create('again', { prefer: 'respond-async' })).status).to.equal(202);
  });
});
