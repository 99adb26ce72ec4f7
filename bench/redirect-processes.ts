import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { SetupError } from '../scripts/embedded/servers.ts';
import { freePort } from '../scripts/ports.ts';
import { connectRedis, redisReady } from '../src/infra/redis.ts';
import { clicks } from '../src/queues/index.ts';
import { Inspector } from '../src/queues/inspect.ts';
import { processorMs, startBare, type Target } from './baselines.ts';
import { redisMs } from './processor.ts';
import { type BenchOptions, inTurn, type Row } from './rows.ts';
import { REDIRECT, seedLinks, withService } from './service.ts';
import { load, requireWrk } from './wrk.ts';

const KEYS = 10_000;
const SECONDS = 5;
/** Connections per process, so that requests always wait. */
const CONNECTIONS = 512;

/** Folder in which Linux keeps processor shares of groups of processes (cgroup v1). */
const GROUPS = '/sys/fs/cgroup/cpu';
/** Share of a core for each process, so that two of them leave enough for Redis and the load. */
const CORES = 0.4;
const PERIOD_US = 20_000;

interface Measured {
  perSecond: number;
  /** Processor time of a redirect. */
  processorUs: number;
  redisUs: number;
}

/**
 * Compares two redirect processes with one, while the same Redis acknowledges each visit. On two
 * cores, Redis and the load need as much of the processor as a process does, so two cannot have a
 * core each: every process gets the same share of a core, which leaves room for the rest. A process
 * is slower while the other core is busy; so one process is measured both alone and while a bare
 * server uses the share of the second.
 */
export function benchRedirectProcesses({ rounds }: BenchOptions): Promise<Row[]> {
  requireWrk();
  requireShares();
  return withService(async (service) => {
    await seedLinks(service, KEYS);
    const targets: Target[] = [];
    const groups: Share[] = [];
    for (const port of [service.redirectPort, await freePort()]) {
      const runner = await service.run([REDIRECT], { REDIRECT_PORT: String(port) });
      const target = { port, pid: runner.pidOf('redirect') };
      targets.push(target);
      groups.push(new Share(target.pid));
    }
    const redis = connectRedis(service.servers.redisUrl, 'wait');
    await redisReady(redis);
    const inspector = new Inspector(redis);
    const bare = await startBare();
    groups.push(new Share(bare.pid));
    const measure = async (processes: Target[], others: Target[] = []): Promise<Measured> => {
      const times = () => processes.reduce((sum, { pid }) => sum + processorMs(pid), 0);
      const [before, redisBefore] = [times(), await redisMs(redis)];
      const underLoad = ({ port }: Target) =>
        load({ port, connections: CONNECTIONS, seconds: SECONDS, keys: KEYS });
      const [loads] = await Promise.all([
        Promise.all(processes.map(underLoad)),
        Promise.all(others.map(underLoad)),
      ]);
      const [after, redisAfter] = [times(), await redisMs(redis)];
      const errors = loads.reduce((sum, one) => sum + one.errors, 0);
      if (errors > 0) throw new Error(`${errors} requests were not redirected`);
      await inspector.clear(clicks);
      const perSecond = loads.reduce((sum, one) => sum + one.perSecond, 0);
      const usOf = (ms: number) => (ms * 1_000) / (perSecond * SECONDS);
      return {
        perSecond,
        processorUs: usOf(after - before),
        redisUs: usOf(redisAfter - redisBefore),
      };
    };
    try {
      for (const { port } of targets) {
        await load({ port, connections: 32, seconds: 3, keys: KEYS, from: 0 });
      }
      await inspector.clear(clicks);
      const { one, beside, two } = await inTurn(rounds, {
        one: () => measure(targets.slice(0, 1)),
        beside: () => measure(targets.slice(0, 1), [bare]),
        two: () => measure(targets),
      });
      const row = (what: string, figure: keyof Measured): Row => ({
        what,
        unit: figure === 'perSecond' ? '/s' : 'µs',
        better: figure === 'perSecond' ? 'more' : 'less',
        ours: two.map((measured) => measured[figure]),
        baseline: {
          what: 'one beside a bare server',
          figures: beside.map((measured) => measured[figure]),
        },
      });
      const redirects = row(
        `redirects of two processes, each with ${CORES} of a core`,
        'perSecond',
      );
      return [
        { ...redirects, aim: { ratio: 1.8 } },
        {
          ...redirects,
          baseline: { what: 'one alone', figures: one.map(({ perSecond }) => perSecond) },
        },
        row('processor time of a redirect of two processes', 'processorUs'),
        row('processor time of Redis for a visit of two processes', 'redisUs'),
      ];
    } finally {
      for (const group of groups) group.end();
      bare.stop();
      await inspector.close();
      redis.disconnect();
    }
  });
}

/** @throws SetupError if processes cannot be given a processor share */
function requireShares(): void {
  if (existsSync(path.join(GROUPS, 'cpu.cfs_quota_us')) && process.getuid?.() === 0) return;
  throw new SetupError(`processes get a share of a core by ${GROUPS}, as root: not possible here`);
}

/** The processor share of a process. */
class Share {
  readonly #folder: string;

  constructor(pid: number) {
    this.#folder = path.join(GROUPS, `bench-${pid}`);
    mkdirSync(this.#folder);
    const write = (name: string, value: number) =>
      writeFileSync(path.join(this.#folder, name), String(value));
    write('cpu.cfs_period_us', PERIOD_US);
    write('cpu.cfs_quota_us', PERIOD_US * CORES);
    write('cgroup.procs', pid);
  }

  /** Removes the limit of the process. */
  end(): void {
    writeFileSync(
      path.join(GROUPS, 'cgroup.procs'),
      path.basename(this.#folder).slice('bench-'.length),
    );
    rmdirSync(this.#folder);
  }
}
