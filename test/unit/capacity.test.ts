import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { COSTS, PARTS, SIZES, VISIT_RATES } from '../../scripts/capacity/costs.ts';
import {
  DEFAULTS,
  loadOf,
  PLANNED,
  planFor,
  processorOf,
  visitMicros,
  type Workload,
} from '../../scripts/capacity/model.ts';
import { BURST_AT, dayOf, queueOf } from '../../scripts/capacity/outages.ts';

const MACHINES = { cores: 4, serverCores: 32, serverDisk: 16 };
const ONE = Object.fromEntries(PARTS.map((part) => [part, 1])) as Record<
  (typeof PARTS)[number],
  number
>;

const workload = (some: Partial<Workload>): Workload => ({ ...DEFAULTS, ...some });
const partOf = (some: Partial<Workload>, name: string) =>
  planFor(workload(some), MACHINES).parts.find(({ part }) => part === name)!;

describe('capacity: processor time', () => {
  it('of a visit lies on a line between two measured rates, by time a second', () => {
    const costs = [100, 40, 25];
    expect(visitMicros(costs, 10)).to.equal(100);
    for (const [n, rate] of VISIT_RATES.entries()) {
      expect(visitMicros(costs, rate)).to.be.closeTo(costs[n]!, 1e-9);
    }
    // 1,000/s take 40 ms per second and 4,000/s take 100 ms, so 2,500/s take 70 ms.
    expect(visitMicros(costs, 2_500)).to.be.closeTo(28, 1e-9);
    expect(visitMicros(costs, 50_000)).to.equal(25);
  });

  it('is the sum of what a part is asked to do, in processor seconds a second', () => {
    const load = { visits: 0, writes: 100, questions: 10, deliveries: 0 };
    const { idle, write = 0, question = 0 } = COSTS.api;
    expect(processorOf('api', load, ONE, DEFAULTS)).to.be.closeTo(
      idle / 1e3 + (100 * write + 10 * question) / 1e6,
      1e-9,
    );
    expect(loadOf(workload({ visits: 2_592_000, writes: 5_184_000 }), 3)).to.include({
      visits: 3,
      writes: 6,
    });
  });

  it('of every process is within the planned share at peak, and never falls with the load', () => {
    let before: number[] = [];
    for (const visits of [1e6, 1e7, 1e8, 1e9, 1e10]) {
      const { parts } = planFor(workload({ visits, deliveries: visits / 10 }), MACHINES);
      for (const { part, count, peak, fullAt } of parts) {
        if (fullAt === null) expect(peak / count, part).to.be.at.most(PLANNED);
      }
      const now = parts.map(({ peak }) => peak);
      for (const [n, peak] of now.entries()) expect(peak).to.be.at.least(before[n] ?? 0);
      before = now;
    }
  });
});

describe('capacity: memory, disk and limits', () => {
  it('counts bytes of links and of the visits of all months', () => {
    const { diskGb } = partOf({ visits: 1e9, links: 1e9, months: 2 }, 'postgres');
    const { linkInPostgres, visitInPostgres, visitInBlocks } = SIZES;
    expect(diskGb).to.be.closeTo(linkInPostgres + 2 * (visitInPostgres + visitInBlocks), 1e-6);
    const moved = partOf({ visits: 1e9, links: 0, months: 2, store: 'clickhouse' }, 'clickhouse');
    expect(moved.diskGb).to.be.closeTo(2 * SIZES.visitInClickHouse, 1e-6);
    const { memoryGb } = partOf({ links: 1e9 }, 'redis_lookups');
    expect(memoryGb).to.be.closeTo(SIZES.linkInRedis, 1e-6);
  });

  it('names the part that is full first; a plan for that load reaches its share', () => {
    const { first, parts } = planFor(workload({ visits: 1e8, deliveries: 1e7 }), MACHINES);
    expect(first.fullAt).to.equal(Math.min(...parts.map(({ fullAt }) => fullAt ?? Infinity)));
    const { fullAt, diskGb } = partOf({ visits: 1e8, links: 0 }, 'postgres');
    expect(partOf({ visits: 1e8 * 2, links: 0 }, 'postgres').fullAt).to.be.closeTo(
      fullAt!,
      fullAt! / 100,
    );
    expect(partOf({ visits: fullAt!, links: 0 }, 'postgres').diskGb).to.be.closeTo(
      16_000,
      16_000 / (diskGb > 0 ? 50 : 1),
    );
  });
});

describe('capacity: outages', () => {
  it('fill a queue, which empties at the rate that is left', () => {
    // 100/s for 60 s make 6,000, which drain at 400 − 100 per second.
    const { most, caughtUp } = queueOf(() => 100, { seconds: 60, storedPerSecond: 400 });
    expect(most).to.equal(6_000);
    expect(caughtUp).to.be.closeTo(20, 1);
    expect(queueOf(() => 100, { seconds: 60, storedPerSecond: 100 }).caughtUp).to.equal(Infinity);
  });

  it('meet a day whose busiest minutes are the peak', () => {
    const rateAt = dayOf(100, 4);
    const rates = Array.from({ length: 86_400 }, (_, second) => rateAt(second));
    expect(Math.max(...rates))
      .to.equal(400)
      .and.equal(rateAt(BURST_AT));
    expect(rates.reduce((sum, rate) => sum + rate, 0) / 86_400).to.be.closeTo(100, 2);
  });
});

describe('npm run simulate', () => {
  const simulate = (...args: string[]) =>
    spawnSync(process.execPath, ['dist/scripts/simulate.js', ...args], { encoding: 'utf8' });

  it('prints tables, or JSON with the same figures', () => {
    const { stdout, stderr } = simulate('--visits', '1e8', '--links', '1e7', '--clickhouse');
    expect(stderr).to.equal('');
    for (const part of PARTS) expect(stdout).to.match(new RegExp(`^${part} `, 'm'));
    const plan = JSON.parse(simulate('--visits', '1e8', '--json').stdout);
    expect(plan.workload).to.include({ visits: 1e8, store: 'postgres' });
    expect(plan.parts.map(({ part }: { part: string }) => part)).to.include('postgres');
    expect(stdout).to.include('First to be full');
  });

  it('refuses what is not a number, and options that it does not know', () => {
    const wrong = simulate('--visits', 'many');
    expect([wrong.status, wrong.stderr.trim()]).to.deep.equal([
      1,
      '--visits must be a number, at least 0',
    ]);
    expect(simulate('--fast').stderr).to.include('Usage:');
  });
});
