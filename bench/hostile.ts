import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { parseProcfile, type Runner } from '../scripts/procfile.ts';
import { connectRedis } from '../src/infra/redis.ts';
import type { RegularTally, RegularTarget } from '../test/fuzz/regular.ts';
import { proportional, withDescendants } from '../test/support/processes.ts';
import { percentileOf } from './figures.ts';
import {
  ATTACKS,
  type Attack,
  keepAttacking,
  prepareTarget,
  type Target,
} from './hostile-attacks.ts';
import { addOutcome, describe, newReport, table } from './report.ts';
import { type BenchService, seedLinks, versions, withService } from './service.ts';

/*
 * Usage: `npm run hostile [-- NAME …] [--seconds 60]`. A stranger or a hostile tenant runs one
 * attack after the other, while a regular tenant opens links, creates them, lists them and gets QR
 * codes. Prints latencies of the regular tenant without and with each attack, statuses of the
 * attack, and the memory of all processes before, during and after it. `--busy` is for a machine
 * with other load: workers then do not yield the processor, which they would never get.
 * HOSTILE_ANSWERS prints answers that are refusals.
 */

const KINDS = ['redirect', 'first redirect', 'write', 'read', 'image'] as const;
const KEYS = Array.from({ length: 10 }, (_, n) => `regular-${n}`);
const COLD_LINKS = 20_000;
const SAMPLE_MS = 1_000;
/** Time for the service to settle after an attack before memory is read again, in ms. */
const SETTLE_MS = 10_000;

/** Memory in MB by process, including its children. */
type Memory = Map<string, number>;

/** Updates the maximum memory of each process. */
function raise(most: Memory, memory: Memory): void {
  for (const [name, size] of memory) most.set(name, Math.max(most.get(name) ?? 0, size));
}

class Bench {
  readonly #service: BenchService;
  readonly #runner: Runner;
  readonly #target: Target;
  readonly #seconds: number;
  #redisPid = 0;
  #cold = 0;

  constructor(service: BenchService, runner: Runner, target: Target, seconds: number) {
    this.#service = service;
    this.#runner = runner;
    this.#target = target;
    this.#seconds = seconds;
  }

  async run(attack: Attack): Promise<{ latencies: string[][]; memory: string[][] }> {
    await attack.prepare?.(this.#target);
    const without = await this.#regular(Math.max(10, this.#seconds / 2));
    const restarts = this.#restarts();
    const before = await this.#memory();
    const most: Memory = new Map(before);
    const sampling = setInterval(
      () => void this.#memory().then((now) => raise(most, now)),
      SAMPLE_MS,
    );
    const end = new AbortController();
    const attacking = keepAttacking(attack, this.#target, end.signal);
    const beside = await this.#regular(this.#seconds);
    end.abort();
    const statuses = await attacking;
    clearInterval(sampling);
    await pause(SETTLE_MS);
    const after = await this.#memory();
    const answers = [...statuses].map(([status, count]) => `${count} × ${status || 'none'}`);
    const restarted = [...this.#restarts()].filter(([name, count]) => count > restarts.get(name)!);
    console.error(`${attack.name}: ${answers.join(', ')}`);
    return {
      latencies: KINDS.map((kind) => [
        attack.name,
        kind,
        ...[without, beside].flatMap(({ latencies }) => {
          const all = latencies[kind] ?? [];
          return [0.5, 0.99].map((share) => percentileOf(all, share).toFixed(0));
        }),
        failuresOf(beside, kind),
        kind === KINDS[0] ? answers.join(', ') : '',
      ]),
      memory: [...before].map(([name, size]) => [
        attack.name,
        name,
        ...[size, most.get(name)!, after.get(name) ?? 0].map((figure) => figure.toFixed(0)),
        restarted.some(([one]) => one === name) ? 'ended and restarted' : '',
      ]),
    };
  }

  #restarts(): Map<string, number> {
    return new Map(this.#runner.names.map((name) => [name, this.#runner.restarts(name)]));
  }

  /** Sends the requests of the regular tenant for a number of seconds. */
  async #regular(seconds: number): Promise<RegularTally> {
    const { apiUrl, redirectPort, apiKey } = this.#service;
    const target: RegularTarget = {
      apiPort: Number(new URL(apiUrl).port),
      redirectPorts: [redirectPort],
      apiKey,
      host: 'localhost',
      keys: KEYS,
      coldLinks: COLD_LINKS,
      firstCold: this.#cold,
    };
    this.#cold += Math.ceil(seconds * 4) + 4;
    const worker = new Worker(new URL('../test/fuzz/regular.js', import.meta.url), {
      workerData: target,
    });
    await pause(seconds * 1_000);
    const tally = new Promise<RegularTally>((resolve, reject) => {
      worker.once('message', resolve).once('error', reject);
    });
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    worker.postMessage('stop');
    return tally;
  }

  async #memory(): Promise<Memory> {
    const memory: Memory = new Map();
    const { redisUrl, dataDir } = this.#service.servers;
    const redis = connectRedis(redisUrl, 'wait');
    const info = await redis.info();
    redis.disconnect();
    const [, used = 0] = /^used_memory:(\d+)/m.exec(info) ?? [];
    memory.set('Redis, data', Number(used) / 2 ** 20);
    this.#redisPid = Number(/^process_id:(\d+)/m.exec(info)?.[1] ?? 0);
    const [postgres] = readFileSync(path.join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split(
      '\n',
    );
    memory.set('Redis', proportional(this.#redisPid));
    memory.set('Postgres', withChildren(Number(postgres)));
    for (const name of this.#runner.names) {
      memory.set(name, this.#runner.isRunning(name) ? withChildren(this.#runner.pidOf(name)) : 0);
    }
    return memory;
  }
}

const withChildren = (pid: number) =>
  withDescendants(pid).reduce((sum, { id }) => sum + proportional(id), 0);

function failuresOf({ failures }: RegularTally, kind: string): string {
  const counts = new Map<string, number>();
  for (const failure of failures) {
    if (!failure.startsWith(`${kind}: `)) continue;
    const what = failure.slice(kind.length + 2).split(' ')[0]!;
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  return [...counts].map(([what, count]) => `${count} × ${what}`).join(', ');
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      seconds: { type: 'string', default: '60' },
      busy: { type: 'boolean', default: false },
    },
  });
  const attacks = ATTACKS.filter(
    ({ name }) => positionals.length === 0 || positionals.includes(name),
  );
  if (positionals.some((wish) => !ATTACKS.some(({ name }) => name === wish))) {
    console.error(`Attacks: ${ATTACKS.map(({ name }) => name).join(', ')}`);
    process.exitCode = 1;
    return;
  }
  const report = newReport();
  const latencies: string[][] = [];
  const memory: string[][] = [];
  await withService(async (service) => {
    const runner = await service.run(
      parseProcfile(readFileSync('Procfile', 'utf8')),
      {
        OUTBOUND_ALLOW: '127.0.0.1',
        RATES_URL: 'http://127.0.0.1:9/',
        RATES_MAX_AGE_DAYS: '0',
      },
      { yields: !values.busy },
    );
    await seedLinks(service, COLD_LINKS);
    await makeLinks(service);
    const { target, close } = await prepareTarget(service);
    const bench = new Bench(service, runner, target, Number(values.seconds));
    for (const attack of attacks) {
      console.error(`${attack.name} …`);
      const result = await bench.run(attack);
      latencies.push(...result.latencies);
      memory.push(...result.memory);
    }
    close();
  });
  addOutcome(report, 'tenants', { rows: [], versions });
  const header = [
    'attack',
    'regular request',
    'p50 without, ms',
    'p99 without, ms',
    'p50 beside, ms',
    'p99 beside, ms',
    'other answers',
    'answers of the attack',
  ];
  console.log([describe(report), '', ...table(header, latencies), ''].join('\n'));
  const sizes = ['attack', 'process', 'MB before', 'most', 'MB after', ''];
  console.log(table(sizes, memory).join('\n'));
}

async function makeLinks({ apiUrl, apiKey }: BenchService): Promise<void> {
  const answer = await fetch(`${apiUrl}/links/bulk`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(KEYS.map((key) => ({ url: `https://example.com/${key}`, key }))),
  });
  if (!answer.ok) throw new Error(`POST /links/bulk: ${answer.status} ${await answer.text()}`);
}

await main();
process.exit();
