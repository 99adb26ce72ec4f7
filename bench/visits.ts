import { randomInt } from 'node:crypto';
import { newId } from '../src/ids.ts';
import { db } from '../src/infra/db.ts';
import { connectRedis, redisReady } from '../src/infra/redis.ts';
import { Producer } from '../src/queues/producer.ts';
import { encodeVisits } from '../src/visits/batch.ts';
import { visitJobs } from '../src/visits/jobs.ts';
import type { Visit } from '../src/visits/visit.ts';
import { type BenchOptions, inTurn, type Row } from './rows.ts';
import { type BenchService, seedLinks, withService, worker } from './service.ts';

const LINKS = 10_000;
/** Visits per round. */
const VISITS = 100_000;
/** Visits stored before the measured time of a round, so that the process is warm. */
const WARM = 20_000;
/**
 * Visits per job at 8,000 visits/s: those that a redirect process answers in the 25 ms for which
 * batches join a waiting job.
 */
const BATCH = 200;
const PLAIN_SECONDS = 4;
const STEADY_PER_SECOND = 8_000;
const STEADY_SECONDS = 8;

/**
 * Measures visits a second through one worker_clicks, from queue to queryable, against plain
 * inserts of event rows into the same table by one client; then the lag at a steady load.
 */
export function benchVisits({ rounds }: BenchOptions): Promise<Row[]> {
  return withService(async (service) => {
    await seedLinks(service, LINKS);
    const redis = connectRedis(service.servers.redisUrl, 'wait');
    await redisReady(redis);
    const producer = new Producer(redis);
    await plainInserts(service, 1);
    let stored = 0;
    const { plain, ours } = await inTurn(rounds, {
      plain: () => plainInserts(service, PLAIN_SECONDS),
      ours: async () => {
        await put(producer, service, WARM + VISITS);
        const runner = await service.run([worker('clicks')]);
        const first = await counted(service, stored + WARM);
        const began = performance.now();
        stored += WARM + VISITS;
        await counted(service, stored);
        const perSecond = ((stored - first) * 1000) / (performance.now() - began);
        await runner.stop();
        return perSecond;
      },
    });
    const steady = await lagAtSteadyLoad(service, producer, stored);
    await producer.close();
    redis.disconnect();
    return [
      {
        what: 'visits stored by one `worker_clicks`, from queue to queryable',
        unit: '/s',
        better: 'more',
        ours,
        baseline: { what: 'plain multi-row inserts of events, one client', figures: plain },
        aim: { ratio: 1.5 },
      },
      ...steady,
    ];
  });
}

async function lagAtSteadyLoad(
  service: BenchService,
  producer: Producer,
  stored: number,
): Promise<Row[]> {
  const runner = await service.run([worker('clicks')]);
  const before = await lagBuckets(runner.healthUrlOf('worker_clicks'));
  for (let second = 0; second < STEADY_SECONDS; second += 1) {
    const start = performance.now();
    await put(producer, service, STEADY_PER_SECOND);
    await new Promise((resolve) =>
      setTimeout(resolve, Math.max(0, 1000 - (performance.now() - start))),
    );
  }
  await counted(service, stored + STEADY_PER_SECOND * STEADY_SECONDS);
  const after = await lagBuckets(runner.healthUrlOf('worker_clicks'));
  return ([0.5, 0.99] as const).map((share) => ({
    what: `lag at 8,000 visits/s, p${share * 100} (upper bound)`,
    unit: 's',
    better: 'less',
    ours: [percentile(before, after, share)],
    ...(share === 0.99 && { aim: { ours: 2 } }),
  }));
}

let made = 0;

/** Adds a number of visits to the queue. */
export async function put(
  producer: Producer,
  { projectId }: BenchService,
  count: number,
): Promise<void> {
  const waiting: Promise<void>[] = [];
  for (let done = 0; done < count; done += BATCH) {
    const size = Math.min(BATCH, count - done);
    const visits = Array.from({ length: size }, () => aVisit(projectId));
    waiting.push(
      producer.add(visitJobs['visits.record'], encodeVisits(visits), {
        jobId: newId('job'),
        projectId: '',
      }),
    );
    if (waiting.length === 200) await Promise.all(waiting.splice(0));
  }
  await Promise.all(waiting);
}

/** Builds a visit of a browser to one of the links, each from a different visitor. */
export function aVisit(projectId: string): Visit {
  made += 1;
  const n = randomInt(LINKS);
  return {
    id: `bench.${made}`,
    at: Date.now(),
    projectId,
    linkId: `link_${String(n).padStart(24, '0')}`,
    domain: 'localhost',
    key: `k${n}`,
    destination: `https://example.com/landing/page-${n}?campaign=autumn`,
    ip: `${randomInt(1, 223)}.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}`,
    userAgent: `Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${100 + (made % 40)}.0.0.0 Safari/537.36`,
    referer: made % 3 === 0 ? 'https://news.example/today' : '',
    via: 'link',
  };
}

/** Waits until this many visits are counted. @returns the actual number */
async function counted({ projectId }: BenchService, visits: number): Promise<number> {
  for (;;) {
    const { rows } = await db().raw<{ rows: [{ count: number }] }>(
      'SELECT coalesce(sum(count), 0)::int AS count FROM events_stored WHERE project_id = ?',
      [projectId],
    );
    const [{ count }] = rows;
    if (count >= visits) return count;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function plainInserts({ projectId }: BenchService, seconds: number): Promise<number> {
  const rowsEach = 1_000;
  const began = performance.now();
  let rows = 0;
  while (performance.now() - began < seconds * 1000) {
    const from = rows;
    await db()('events').insert(
      Array.from({ length: rowsEach }, (_, n) => ({
        project_id: projectId,
        occurred_at: new Date(),
        id: `plain_${String(from + n).padStart(22, '0')}`,
        event: 'click',
        link_id: `link_${String(randomInt(LINKS)).padStart(24, '0')}`,
        domain: 'localhost',
        key: `k${n}`,
        url: 'https://example.com/landing/page?campaign=autumn',
        continent: 'EU',
        country: 'DE',
        region: 'Berlin',
        city: 'Berlin',
        device: 'Desktop',
        browser: 'Chrome',
        os: 'Windows',
        referer: '(direct)',
        referer_url: '(direct)',
        via: 'link',
        ip: '192.0.2.0',
      })),
    );
    rows += rowsEach;
  }
  const perSecond = (rows * 1000) / (performance.now() - began);
  await db().raw("DELETE FROM events WHERE id LIKE 'plain\\_%'");
  return perSecond;
}

type Buckets = Map<number, number>;

async function lagBuckets(healthUrl: string): Promise<Buckets> {
  const text = await (await fetch(`${healthUrl}/metrics`)).text();
  const lines = text.matchAll(/^shortlinks_visit_lag_seconds_bucket\{le="([^"]+)"\} (\d+)/gm);
  return new Map(
    [...lines].map(([, le, count]) => [le === '+Inf' ? Infinity : Number(le), Number(count)]),
  );
}

/**
 * Upper bound of the bucket that contains a percentile of the observations between two readings.
 */
function percentile(before: Buckets, after: Buckets, share: number): number {
  const total = (after.get(Infinity) ?? 0) - (before.get(Infinity) ?? 0);
  for (const [le, count] of after) {
    if (count - (before.get(le) ?? 0) >= total * share) return le;
  }
  return Infinity;
}
