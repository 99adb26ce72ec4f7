import { getPriority, setPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import { expect } from 'chai';
import { newId } from '../../src/ids.ts';
import { connectRedis, type Redis } from '../../src/infra/redis.ts';
import { Producer } from '../../src/queues/producer.ts';
import { createApiKey } from '../../src/workspaces/api-keys.ts';
import { createWorkspace, updateWorkspace } from '../../src/workspaces/commands.ts';
import { eventually } from '../support/eventually.ts';
import { OwnService } from '../support/own-service.ts';
import { stack } from '../support/stack.ts';
import {
  type Attack,
  type Attacker,
  apiAttack,
  byteAttack,
  hostileJob,
  redirectAttack,
} from './attacks.ts';
import { ChildrenWatch, measureCosts } from './costs.ts';
import { LoopWatch } from './loops.ts';
import { Random } from './random.ts';
import { sendRaw } from './raw-request.ts';
import type { RegularTally, RegularTarget } from './regular.ts';

/*
 * Sends random bytes, random structures and damaged valid requests to every route and header of
 * both processes and to the handler of every job, while regular traffic runs beside them. Expensive
 * requests of every kind follow. FUZZ_SEED repeats the requests of a run (not their timing),
 * FUZZ_SECONDS sets its duration. `npm run fuzz` applies the published bounds; `npm test`, which
 * shares its machine, applies wider ones.
 */

const SEED = Number(process.env['FUZZ_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const SECONDS = Number(process.env['FUZZ_SECONDS'] ?? 20);
const IS_STRICT = process.env['FUZZ_STRICT'] !== undefined;
/** Longest regular request and longest block of an event loop, in ms. */
const BOUNDS = IS_STRICT ? { regularMs: 250, loopMs: 50 } : { regularMs: 5_000, loopMs: 1_000 };
/**
 * Waits for the processor in a regular request, at most: a write passes API, Redis, worker,
 * Postgres, and the same way back. The request of a bare server has two.
 */
const WAITS = IS_STRICT ? 0 : 8;
/** Highest processor time of one request, in ms; it hardly depends on other load of the machine. */
const PROCESSOR_MS = IS_STRICT ? 60 : 150;
/**
 * MiB of Redis that pictures can use, which a few requests fill, and that all other data of
 * requests can use.
 */
const KEPT_MIB = 4;
const ELSE_MIB = 2;
/** Highest memory of all programs that workers start, in MiB. */
const CHILDREN_MIB = 512;
/**
 * Lower priority of the attackers where the published bounds apply. Elsewhere, on a machine that
 * other tests keep busy, threads of low priority would hardly ever run.
 */
const ATTACKER_NICE = 10;
const SETTLE_MS = 60_000;
/** Number of jobs that keys without access try to read. */
const MOST_JOBS = 200;
/** Concurrent attacks by kind. */
const LANES = { api: 2, redirect: 2, bytes: 1, jobs: 1 };
/**
 * Pause after each attack, in ms, so that regular traffic is slowed down by the content of attacks,
 * not by their number.
 */
const PAUSE_MS = 15;
/** Attacks of each kind, however slow a busy machine is. */
const LEAST_ATTACKS = 20;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('random requests beside regular traffic', function () {
  this.timeout((SECONDS + 1_200) * 1000);
  const own = new OwnService();
  const regularKeys = Array.from({ length: 10 }, (_, n) => `regular-${n}`);
  const counts = new Map<string, number>();
  const faults: string[] = [];
  let attacker: Attacker;
  let redis: Redis;
  let producer: Producer;
  let restarts: Map<string, number>;
  let tally: RegularTally;
  let loops: LoopWatch;
  let children: ChildrenWatch;

  before(async () => {
    console.log(`      FUZZ_SEED=${SEED}, ${SECONDS} s`);
    await own.start({
      DNS_SERVERS: stack().dns.address,
      KEPT_MIB: String(KEPT_MIB),
      OUTBOUND_ALLOW: '127.0.0.1',
      PUBLIC_IMAGES_PER_MINUTE: '0',
      PUBLIC_REQUESTS_PER_MINUTE: '0',
      RATES_URL: 'http://127.0.0.1:9/rates.xml',
      RATES_MAX_AGE_DAYS: '0',
      TRUST_PROXY: '127.0.0.1,cloudflare',
    });
    await own.post(
      '/links/bulk',
      regularKeys.map((key) => ({ url: `https://example.com/${key}`, key })),
    );
    attacker = await makeAttacker();
    redis = connectRedis(own.redisUrl, 'wait');
    producer = new Producer(redis);
    if (IS_STRICT) suspendShared('SIGSTOP');
    const { names } = own.service.runner;
    restarts = new Map(names.map((name) => [name, own.service.runner.restarts(name)]));
    loops = new LoopWatch(own.service.runner);
    await loops.begin();
    children = new ChildrenWatch();
    tally = await attackFor(SECONDS * 1000);
    children.stop();
    loops.stop();
    if (IS_STRICT) suspendShared('SIGCONT');
  });

  after(async () => {
    await producer?.close();
    redis?.disconnect();
    await own.stop();
  });

  /** Suspends the processes of the shared stack, whose idle work would distort the measurements. */
  function suspendShared(signal: 'SIGSTOP' | 'SIGCONT'): void {
    const { runner } = stack();
    for (const name of runner.names) runner.kill(name, signal);
  }

  async function makeAttacker(): Promise<Attacker> {
    const { id: projectId, apiKey } = await createWorkspace(own.db, {
      slug: 'hostile',
      plan: 'enterprise',
    });
    await updateWorkspace(own.db, 'hostile', { requestsPerMinute: 0 });
    const send = async (route: string, body: object): Promise<{ id: string; key?: string }> => {
      const answer = await fetch(own.service.apiUrl + route, {
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      const text = await answer.text();
      expect(answer.ok, `${route}: ${text}`).to.equal(true);
      return JSON.parse(text) as { id: string };
    };
    const url = 'https://example.com/hostile';
    const page = await send('/pages', {
      title: 'Hi',
      fields: [{ name: 'email', label: 'E-mail', type: 'email' }],
    });
    const made = await Promise.all([
      send('/links', { url, trackConversion: true }),
      send('/links', { url, password: 'secret' }),
      send('/links', {
        url,
        geo: { DE: `${url}/de` },
        ios: `${url}/ios`,
        android: `${url}/android`,
      }),
      send('/links', { url, flexible: true, key: 'flexible' }),
      send('/links', { url, proxy: true, title: 'Title', description: 'Text' }),
      send('/links', { url, preRedirection: true, pageId: page.id, isFormMandatory: true }),
      send('/links', { url, publicStats: true, key: 'öffentlich/é' }),
      send('/qrcodes', { type: 'wifi', wifi: { ssid: 'Guests', password: 'come on in' } }),
      send('/qrcodes', { type: 'vcard', vcard: { firstName: 'Jo', lastName: 'Li' } }),
      send('/qrcodes', { type: 'url', url, externalId: 'code' }),
    ]);
    const others = await Promise.all([
      send('/tags', { name: 'tag' }),
      send('/folders', { name: 'folder' }),
      send('/webhooks', { name: 'hook', url: 'http://127.0.0.1:9/', kinds: ['link.created'] }),
    ]);
    return {
      projectId,
      apiKey,
      host: 'localhost',
      keys: made.flatMap(({ key }) => (key === undefined ? [] : [key])),
      ids: [...made, page, ...others].map(({ id }) => id).concat('ext_code'),
    };
  }

  /** Runs all attacks beside the regular traffic, and resolves with the outcomes of that. */
  async function attackFor(ms: number): Promise<RegularTally> {
    const { service, apiKey } = own;
    const target: RegularTarget = {
      apiPort: Number(new URL(service.apiUrl).port),
      redirectPorts: service.redirectPorts,
      apiKey,
      host: 'localhost',
      keys: regularKeys,
    };
    const regular = new Worker(new URL('./regular.js', import.meta.url), { workerData: target });
    // Only this thread and new ones get the lower priority, so that the attackers do not slow down
    // the service by processor load.
    const priority = getPriority();
    if (IS_STRICT) setPriority(ATTACKER_NICE);
    const until = Date.now() + ms;
    const apiPort = () => target.apiPort;
    let turn = 0;
    const redirectPort = () => target.redirectPorts[(turn += 1) % 2]!;
    const lane = async (name: string, seed: number, attack: (random: Random) => Promise<void>) => {
      const random = new Random(SEED + seed);
      while (Date.now() < until || (counts.get(name) ?? 0) < LEAST_ATTACKS) {
        await attack(random);
        counts.set(name, (counts.get(name) ?? 0) + 1);
        await pause(PAUSE_MS);
      }
    };
    const lanes = (
      name: keyof typeof LANES,
      offset: number,
      attack: (random: Random) => Promise<void>,
    ) => Array.from({ length: LANES[name] }, (_, n) => lane(name, offset + n, attack));
    await Promise.all([
      ...lanes('api', 0, (random) => strike(apiPort(), apiAttack(attacker, random))),
      ...lanes('redirect', 100, (random) =>
        strike(redirectPort(), redirectAttack(attacker, random)),
      ),
      ...lanes('bytes', 200, (random) =>
        random.chance(0.5)
          ? strike(apiPort(), byteAttack(attacker, random, apiAttack))
          : strike(redirectPort(), byteAttack(attacker, random, redirectAttack)),
      ),
      ...lanes('jobs', 300, async (random) => {
        const { job, data, projectId } = hostileJob(attacker, random);
        await producer.add(job, data, { jobId: newId('job'), projectId });
      }),
    ]);
    try {
      // Processes of later tests inherit this priority.
      setPriority(priority);
    } catch {
      // Only root can raise the priority again.
    }
    const ended = new Promise<RegularTally>((resolve, reject) => {
      regular.once('message', resolve);
      regular.once('error', reject);
    });
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    regular.postMessage('stop');
    return ended;
  }

  /** Sends one attack, and records a 5xx or a missing answer. */
  async function strike(port: number, { bytes, reset, isWellFormed }: Attack): Promise<void> {
    const { status, ms, text } = await sendRaw(port, bytes, { reset });
    // A 501 tells Shlink's clients that a feature is not supported.
    const isFault = status === undefined ? isWellFormed : status >= 500 && status !== 501;
    if (!isFault) return;
    const sent = bytes.subarray(0, 1_500).toString('latin1');
    faults.push(`${status ?? 'no answer'} after ${Math.round(ms)} ms to:\n${sent}\n→ ${text}`);
  }

  it('causes no internal error', () => {
    console.log(`      ${[...counts].map(([name, count]) => `${count} ${name}`).join(', ')}`);
    for (const name of Object.keys(LANES)) expect(counts.get(name)).to.be.greaterThan(0);
    expect(faults.length, faults.slice(0, 10).join('\n\n')).to.equal(0);
  });

  it('takes little processor time, memory of programs and space in Redis for one request', async () => {
    const costs = await measureCosts(own, attacker.apiKey);
    for (const { name, statuses, processorMs, keptBytes, childrenMiB } of costs) {
      console.log(
        `      ${name}: ${statuses}; ${processorMs.toFixed(0)} ms of the processor, ${Math.round(keptBytes / 1024)} KiB kept, programs of ${Math.round(childrenMiB)} MiB`,
      );
    }
    const slow = costs.filter(({ processorMs }) => processorMs > PROCESSOR_MS);
    expect(slow.map(({ name }) => name)).to.deep.equal([]);
    const keptBytes = costs.reduce((sum, cost) => sum + cost.keptBytes, 0);
    expect(keptBytes / 2 ** 20).to.be.below(KEPT_MIB + ELSE_MIB);
    const most = Math.max(children.most, ...costs.map(({ childrenMiB }) => childrenMiB));
    expect(most).to.be.below(CHILDREN_MIB);
  });

  it('shows no result of a job to those who did not send it', async () => {
    const ids = await own.db('jobs').where({ project_id: attacker.projectId }).pluck('id');
    expect(ids).to.have.length.above(0);
    const strangers = await Promise.all([
      createApiKey(own.db, { workspace: 'hostile', name: 'reader', scopes: ['*'] }),
      createApiKey(own.db, { workspace: 'chaos', name: 'stranger', scopes: ['*'] }),
    ]);
    const shown: string[] = [];
    for (const id of ids.slice(-MOST_JOBS)) {
      for (const { apiKey } of strangers) {
        const answer = await fetch(`${own.service.apiUrl}/jobs/${encodeURIComponent(id)}`, {
          headers: { authorization: `Bearer ${apiKey}` },
        });
        const text = await answer.text();
        if (answer.ok || text.includes('"result"')) shown.push(`${id}: ${answer.status} ${text}`);
      }
    }
    expect(shown).to.deep.equal([]);
  });

  it('ends no process', () => {
    const { runner } = own.service;
    const ended = runner.names.filter((name) => runner.restarts(name) !== restarts.get(name));
    expect(ended).to.deep.equal([]);
  });

  it('does not delay regular requests', () => {
    const slow: string[] = [];
    const longestBare = Math.max(...tally.bareLatencies);
    console.log(`      bare server: longest ${Math.round(longestBare)} ms`);
    for (const [kind, all] of Object.entries(tally.latencies)) {
      const sorted = all.toSorted((a, b) => a - b);
      const at = (share: number) => Math.round(sorted[Math.floor(sorted.length * share)] ?? 0);
      const longest = sorted.at(-1)!;
      console.log(
        `      ${kind}: ${all.length}, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${Math.round(longest)} ms`,
      );
      if (longest > BOUNDS.regularMs + WAITS * longestBare) slow.push(kind);
    }
    expect(tally.failures).to.deep.equal([]);
    expect(slow).to.deep.equal([]);
  });

  it('does not block an event loop', () => {
    expect([...loops.longest.keys()]).to.have.members(own.service.runner.names);
    for (const [name, { delay, blocked }] of loops.longest) {
      console.log(
        `      ${name}: event loop blocked for ${Math.round(blocked)} ms at most, late by ${Math.round(delay)} ms`,
      );
    }
    const blocked = [...loops.longest].filter(([, one]) => one.blocked > BOUNDS.loopMs);
    expect(blocked.map(([name]) => name)).to.deep.equal([]);
  });

  it('does not lose or duplicate regular visits', async () => {
    await eventually(async () => {
      const { rows } = await own.db.raw<{ rows: { events: number; visitors: number }[] }>(
        `SELECT count(*) AS events, count(DISTINCT referer_url) AS visitors FROM events
          WHERE project_id = ? AND referer_url LIKE 'https://visitor.example/%'`,
        [own.projectId],
      );
      expect(rows[0]).to.deep.equal({ events: tally.redirected, visitors: tally.redirected });
    }, SETTLE_MS);
  });
});
