import { expect } from 'chai';
import { config } from '../../src/config.ts';
import { domainMaintenanceJobs } from '../../src/domains/jobs.ts';
import { newId } from '../../src/ids.ts';
import { db } from '../../src/infra/db.ts';
import { connectRedis, type Redis, redisReady } from '../../src/infra/redis.ts';
import { outcomeJobs } from '../../src/jobs/jobs.ts';
import { BullQueues } from '../../src/queues/bull-queues.ts';
import { bulk, maintenance } from '../../src/queues/index.ts';
import { Inspector } from '../../src/queues/inspect.ts';
import { job, jobsOf } from '../../src/queues/job.ts';
import { Producer } from '../../src/queues/producer.ts';
import { registerSchedule, scheduleJobs } from '../../src/queues/schedule.ts';
import { ALL_JOBS } from '../../workers/jobs.ts';
import { eventually } from '../support/eventually.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace } from '../support/world.ts';

describe('maintenance', () => {
  let redis: Redis;
  let producer: Producer;
  let queues: BullQueues;
  let inspector: Inspector;

  before(async () => {
    redis = connectRedis(config().REDIS_URL, 'wait');
    await redisReady(redis);
    producer = new Producer(redis);
    queues = new BullQueues(redis);
    inspector = new Inspector(redis);
  });

  after(async () => {
    await producer.close();
    await queues.close();
    await inspector.close();
    redis.disconnect();
  });

  it('verifies a domain at once while forty of another workspace have a silent name server', async () => {
    const [hostile, regular] = [await aWorkspace(), await aWorkspace()];
    for (let n = 0; n < 40; n += 1) {
      const { body } = await hostile.api.post('/domains', {
        slug: `d${n}.${hostile.slug}.example`,
      });
      stack().dns.answer(body.verification.name, { silentOn: ['TXT'] });
    }
    const { body: domain } = await regular.api.post('/domains', {
      slug: `go.${regular.slug}.example`,
    });
    stack().dns.records.set(domain.verification.name, domain.verification.value);
    const isVerified = async () =>
      expect((await regular.api.get(`/domains/${domain.id}`)).body.verified).to.equal(true);
    const check = async () => {
      await producer.add(
        domainMaintenanceJobs['domains.check'],
        {},
        { jobId: newId('job'), projectId: '' },
      );
      await eventually(isVerified, 20_000);
    };
    // On a busy machine, the answer of the name server can come too late for the first check.
    await check().catch(check);
    await db()('domains').where({ project_id: hostile.projectId, verified: false }).delete();
  });

  it('keeps no failed run', async () => {
    const jobId = newId('job');
    const { unknown } = jobsOf(maintenance, { unknown: job<object>() });
    await producer.add(unknown, {}, { jobId, projectId: '' });
    expect(await inspector.stateOf(maintenance, jobId)).not.to.equal(undefined);
    await eventually(
      async () => expect(await inspector.stateOf(maintenance, jobId)).to.equal(undefined),
      8_000,
    );
  });

  it('removes scheduled jobs that the schedule no longer has', async () => {
    await scheduleJobs(queues, bulk, [
      { ...outcomeJobs['jobs.expire'], queue: bulk, everyMs: 60_000 },
    ]);
    const registered = () => redis.zscore('{q-bulk}:bulk:repeat', 'jobs.expire');
    expect(await registered()).not.to.equal(null);

    await registerSchedule(queues, ALL_JOBS);

    expect(await registered()).to.equal(null);
  });

  it('takes back runs that a clock which was two hours ahead has put off', async () => {
    const next = async () =>
      Number(await redis.zscore('{q-maintenance}:maintenance:repeat', 'abuse.prune'));
    const others = ALL_JOBS.filter(
      ({ queue, name }) => queue === maintenance && name !== 'abuse.prune',
    );
    await registerSchedule(queues, others);
    const { now } = Date;
    Date.now = () => now() + 2 * 3_600_000;
    try {
      await registerSchedule(queues, ALL_JOBS);
    } finally {
      Date.now = now;
    }
    expect(await next()).to.be.above(Date.now() + 1.5 * 3_600_000);

    await registerSchedule(queues, ALL_JOBS);

    expect(await next()).to.be.below(Date.now() + 3_700_000);
  });
});
