import { expect } from 'chai';
import { newId } from '../../src/ids.ts';
import { connectRedis, type Redis, redisReady } from '../../src/infra/redis.ts';
import { linkMaintenanceJobs } from '../../src/links/jobs.ts';
import { Producer } from '../../src/queues/producer.ts';
import { eventually } from '../support/eventually.ts';
import { OwnService } from '../support/own-service.ts';
import { checkDelivery, Receiver } from '../support/receiver.ts';
import { Site } from '../support/site.ts';

describe('checks of destinations', function () {
  const own = new OwnService();
  let redis: Redis;
  let producer: Producer;
  const sites: Site[] = [];
  let site: Site;
  let receiver: Receiver;

  before(async () => {
    const settings = {
      OUTBOUND_ALLOW: '127.0.0.0/8',
      DESTINATION_CHECK_HOURS: '24',
      DESTINATION_FAILURES: '2',
    };
    await own.start(settings, 'Procfile.small');
    redis = connectRedis(own.redisUrl, 'wait');
    await redisReady(redis);
    producer = new Producer(redis);
    [site, receiver] = [await aSite('127.0.0.1'), await Receiver.start()];
  });

  after(async () => {
    await producer?.close();
    redis?.disconnect();
    for (const one of sites) await one.stop();
    await receiver?.stop();
    await own.stop();
  });

  async function aSite(address: string): Promise<Site> {
    const started = await Site.start(address);
    sites.push(started);
    return started;
  }

  const get = async (route: string) => {
    const answer = await fetch(own.service.apiUrl + route, {
      headers: { authorization: `Bearer ${own.apiKey}` },
    });
    expect(answer.status).to.equal(200);
    return answer.json();
  };

  const checkOf = async (id: string) => (await get(`/links/${id}`)).destinationCheck;

  const inState = async (state: string): Promise<string[]> =>
    (await get(`/links?destinationState=${state}`)).map(({ id }: { id: string }) => id);

  /** Runs the due checks until a condition holds, since a scheduled run can be under way. */
  const run = (condition: () => Promise<void>) =>
    eventually(async () => {
      const jobId = newId('job');
      await producer.add(linkMaintenanceJobs['destinations.check'], {}, { jobId, projectId: '' });
      await eventually(condition, 6_000);
    });

  /** Makes the checks of links due, and runs them. */
  const check = async (...links: { id: string }[]) => {
    const since = new Date();
    const ids = links.map(({ id }) => id);
    await own.db('destination_checks').whereIn('link_id', ids).update({ next_check_at: since });
    await run(async () => {
      const checks = await Promise.all(ids.map(checkOf));
      for (const one of checks) expect(one?.checkedAt >= since.toISOString()).to.equal(true);
    });
  };

  it('say of each link whether its destination answers, and lists are filtered by it', async () => {
    const other = await aSite('127.0.0.2');
    const arrived = other.answer('/arrived', { body: 'here' });
    const made = async (path: string, answer: Parameters<Site['answer']>[1]) =>
      own.post('/links', { url: site.answer(path, answer) });
    const ok = await made('/ok', { body: 'fine' });
    const moved = await made('/moved', { status: 301, headers: { location: '/ok' } });
    const away = await made('/away', { status: 302, headers: { location: arrived } });
    const gone = await made('/gone', { status: 404 });
    const shut = await made('/shut', { status: 403 });
    const getOnly = await made('/get', ({ method }, response) => {
      response.writeHead(method === 'HEAD' ? 501 : 200).end();
    });
    const app = await own.post('/links', { url: 'myapp://open' });
    expect(ok.destinationCheck).to.equal(null);

    await check(ok, moved, away, gone, shut, getOnly);

    const stateOf = async ({ id }: { id: string }) => (await checkOf(id)).state;
    expect(await checkOf(ok.id)).to.include({ state: 'ok', status: 200, error: null });
    expect(await checkOf(moved.id)).to.include({ state: 'ok', leadsTo: `${site.url}/ok` });
    expect(await checkOf(away.id)).to.include({ state: 'redirecting', leadsTo: arrived });
    expect(await checkOf(gone.id)).to.include({
      state: 'failing',
      status: 404,
      error: 'must respond with status 2xx, not 404',
      failures: 1,
      brokenSince: null,
    });
    expect(await stateOf(shut)).to.equal('unclear');
    expect(await stateOf(getOnly)).to.equal('ok');
    expect(await inState('redirecting')).to.deep.equal([away.id]);
    expect(await inState('failing')).to.deep.equal([gone.id]);
    expect(await inState('unchecked')).to.deep.equal([app.id]);
  });

  it('are about the worst of all destinations of a link', async () => {
    const fine = site.answer('/fine', { body: 'fine' });
    const lost = site.answer('/lost', { status: 410 });
    const shown = async (fields: object) => {
      const link = await own.post('/links', { url: fine, ...fields });
      await check(link);
      const { url, state } = await checkOf(link.id);
      return [url, state];
    };
    expect(await shown({ ios: fine, geo: { DE: fine } })).to.deep.equal([fine, 'ok']);
    expect(await shown({ android: lost })).to.deep.equal([lost, 'failing']);
    expect(await shown({ geo: { DE: fine, FR: lost } })).to.deep.equal([lost, 'failing']);
    expect(await shown({ expiredUrl: lost })).to.deep.equal([lost, 'failing']);
    const rules = [{ value: { language: 'fr' }, url: lost }];
    expect(await shown({ rules })).to.deep.equal([lost, 'failing']);
    const testVariants = [fine, lost].map((url) => ({ url, percentage: 50 }));
    expect(await shown({ testVariants })).to.deep.equal([lost, 'failing']);
  });

  it('publish link.broken once after failures in a row, and link.recovered when it answers', async () => {
    await own.post('/webhooks', {
      name: 'ours',
      url: receiver.url,
      kinds: ['link.broken', 'link.recovered'],
    });
    const url = site.answer('/page', { status: 500 });
    const link = await own.post('/links', { url, password: 'pw' });
    const kinds = () => receiver.received.map(({ body }) => body.type);

    await check(link);
    expect(await checkOf(link.id)).to.include({ state: 'failing', failures: 1 });
    await check(link);
    expect(await checkOf(link.id)).to.include({ state: 'broken', failures: 2, status: 500 });
    await check(link);
    expect(await inState('broken')).to.deep.equal([link.id]);
    await eventually(() => expect(kinds()).to.deep.equal(['link.broken']));

    // A new destination without a check has neither state nor event.
    site.answer('/repaired', { body: 'fine' });
    await own
      .db('links')
      .where({ id: link.id })
      .update({ url: `${site.url}/repaired` });
    expect(await checkOf(link.id)).to.equal(null);
    await check(link);
    expect(await checkOf(link.id)).to.include({ state: 'ok', brokenSince: null });
    await eventually(() => expect(kinds()).to.deep.equal(['link.broken', 'link.recovered']));
    for (const one of receiver.received) {
      checkDelivery(one);
      expect(one.body.data).to.include({ id: link.id }).and.not.to.have.property('password');
    }
  });

  it('ask a host once a second, and leave it alone for an hour when it asks for a pause', async () => {
    const busy = await aSite('127.0.0.3');
    const times: number[] = [];
    const paths = Array.from({ length: 6 }, (_, n) => `/${n + 1}`);
    for (const path of paths) {
      busy.answer(path, (_request, response) => {
        times.push(Date.now());
        response.writeHead(times.length < paths.length ? 200 : 429).end();
      });
    }
    const links = await Promise.all(
      [...paths, '/1', '/2'].map((path) => own.post('/links', { url: busy.url + path })),
    );
    const chosen = own.db('destination_checks').whereIn(
      'link_id',
      links.map(({ id }) => id),
    );

    await run(async () => {
      expect(await chosen.clone().whereNotNull('state')).to.have.length(paths.length);
    });

    expect(times).to.have.length(paths.length);
    // Five pauses of a second. On a busy machine the first request can arrive late; without one of
    // the pauses, the sum would be four.
    expect(times.at(-1)! - times[0]!).to.be.above(4_050);
    const soon = new Date(Date.now() + 59 * 60_000);
    await eventually(async () =>
      expect(await chosen.clone().where('next_check_at', '<', soon)).to.deep.equal([]),
    );
  });
});
