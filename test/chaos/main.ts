import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { serversEnv } from '../../scripts/embedded/servers.ts';
import type { ProcessSpec } from '../../scripts/procfile.ts';
import { reloadConfig } from '../../src/config.ts';
import { ClickHouse } from '../../src/events/store/clickhouse/connection.ts';
import { moveToPostgres } from '../../src/events/store/clickhouse/transfer.ts';
import { closeDb, db } from '../../src/infra/db.ts';
import { closeRedis } from '../../src/infra/redis.ts';
import { newSecret } from '../../src/webhooks/sign.ts';
import { createWorkspace, updateWorkspace } from '../../src/workspaces/commands.ts';
import { seeded } from '../qr/pairwise.ts';
import { hasClickHouse } from '../support/clickhouse-server.ts';
import { eventually } from '../support/eventually.ts';
import { type Service, startService } from '../support/service.ts';
import { hasTopology, REDIRECT_HOSTS, Topology } from '../support/topology.ts';
import { Visitors } from '../support/traffic.ts';
import { canMoveClocks, clockSettings } from './clock.ts';
import { FAULTS, harmProcess, type Means, mountDisk } from './faults.ts';
import { Network } from './network.ts';
import { type Line, reconcile, type Told } from './reconcile.ts';
import { Callers, Deliveries, type Outcomes } from './traffic.ts';

/*
 * Runs `npm run chaos:cluster`: a service as on several machines, with steady traffic through its
 * proxy, while servers, processes, connections, disks and clocks fail at random. In the end, every
 * answered request must be stored once. CHAOS_MINUTES sets the duration, CHAOS_SEED repeats the
 * faults of a run, and CHAOS_ONLY selects one fault.
 */

const MINUTES = Number(process.env['CHAOS_MINUTES'] ?? 30);
const SEED = Number(process.env['CHAOS_SEED'] ?? Date.now() % 1_000_000);
const ONLY = process.env['CHAOS_ONLY'];
const VISITS_PER_SECOND = 40;
const LINKS_PER_SECOND = 4;
const SALES_PER_SECOND = 2;
/** Share of the deliveries that the receiver answers with 500. */
const FAILING = 0.02;
const KEYS = Array.from({ length: 20 }, (_, n) => `known-${n}`);
/** Links with clicks that are sent to the webhook. */
const HOOKED = KEYS.slice(0, 4);
/** Longest time from the last fault until everything is answered, stored and delivered, in ms. */
const SETTLE_MS = 300_000;
/**
 * Longest time from a fault until requests are answered again, in ms; most of it is for a busy
 * machine.
 */
const AGAIN_MS = 120_000;

const random = seeded(SEED);
const startedAt = Date.now();

function say(text: string): void {
  const seconds = Math.round((Date.now() - startedAt) / 1000);
  console.log(`${String(seconds).padStart(6)} s  ${text}`);
}

/** Gives the second machine and the second redirect host a clock that can be shifted. */
function withClock(processes: readonly ProcessSpec[], file: string): ProcessSpec[] {
  const settings = Object.entries(clockSettings(file)).map((setting) => setting.join('='));
  return processes.map(({ name, command }) => ({
    name,
    // Only the program itself gets the library, since another account cannot open its shared
    // memory.
    command: name.endsWith('.2')
      ? command.replace(/(?:^| )node /, ` env ${settings.join(' ')} node `).trim()
      : command,
  }));
}

class Run {
  readonly #folder = mkdtempSync(path.join(tmpdir(), 'shortlinks-chaos-'));
  readonly #network = new Network();
  readonly #disks: string[] = [];
  #topology: Topology | undefined;
  #service: Service | undefined;
  #deliveries: Deliveries | undefined;

  /**
   * Runs the service under faults.
   * @returns true if nothing differs
   */
  async run(): Promise<boolean> {
    chmodSync(this.#folder, 0o755);
    const clockFile = canMoveClocks() ? path.join(this.#folder, 'clock') : undefined;
    const topology = await Topology.start(this.#folder, { hasClickHouse: hasClickHouse() });
    this.#topology = topology;
    const layout = await topology.layout({ hasAccounts: this.#network.isOpen });
    for (const host of REDIRECT_HOSTS) {
      const file = path.join(this.#folder, `${host.address}.disk`);
      if (mountDisk(file, topology.folderOf(host), host.account)) {
        this.#disks.push(topology.folderOf(host));
      }
    }
    if (clockFile !== undefined) {
      writeFileSync(clockFile, '+0');
      layout.processes = withClock(layout.processes!, clockFile);
    }
    const deliveries = await Deliveries.start(random, FAILING);
    this.#deliveries = deliveries;
    const settings = {
      ...topology.settings,
      DATA_DIR: this.#folder,
      LOG_LEVEL: 'warn',
      TRUST_PROXY: '127.0.0.1',
      OUTBOUND_ALLOW: '127.0.0.1',
      WRITE_WAIT_MS: '3000',
    };
    Object.assign(process.env, serversEnv(topology.servers), settings);
    reloadConfig();
    const service = await startService(topology.servers, settings, 'Procfile', layout);
    this.#service = service;
    const { id: projectId, apiKey } = await createWorkspace(db(), {
      slug: 'chaos',
      plan: 'enterprise',
    });
    await updateWorkspace(db(), 'chaos', { requestsPerMinute: 0 });
    await this.#makeLinks(apiKey, deliveries.url);
    say(`${service.runner.names.length} processes run, seed ${SEED}, ${MINUTES} min`);
    const means: Means = {
      topology,
      service,
      network: this.#network,
      random,
      disks: this.#disks,
      clockFile,
    };
    const told = await this.#traffic(means, apiKey, deliveries);
    return this.#addUp(projectId, apiKey, told);
  }

  async #makeLinks(apiKey: string, hookUrl: string): Promise<void> {
    const post = async (route: string, body: object) => {
      const answer = await fetch(this.#service!.apiUrl + route, {
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      if (!answer.ok) throw new Error(`POST ${route}: ${answer.status} ${await answer.text()}`);
      return answer.json() as Promise<{ id: string }>;
    };
    const { id } = await post('/webhooks', {
      name: 'all',
      url: hookUrl,
      kinds: ['link.created'],
      secret: newSecret(),
    });
    const links = KEYS.map((key) => ({
      url: `https://example.com/${key}`,
      key,
      ...(HOOKED.includes(key) && { webhookIds: [id] }),
    }));
    await post('/links/bulk', links);
  }

  /** Sends traffic and causes faults until the run's time is over. */
  async #traffic(means: Means, apiKey: string, deliveries: Deliveries): Promise<Told> {
    const { apiUrl, redirectPort } = means.service;
    const visitors = new Visitors('visit', [redirectPort], KEYS, VISITS_PER_SECOND);
    const links = new Callers(
      'link',
      `${apiUrl}/links`,
      { apiKey, perSecond: LINKS_PER_SECOND },
      (name) => ({ url: 'https://example.com/made', externalId: name, key: name }),
    );
    const sales = new Callers(
      'sale',
      `${apiUrl}/track/sale`,
      { apiKey, perSecond: SALES_PER_SECOND },
      (name) => ({ customerExternalId: `customer-${name}`, amount: 100, invoiceId: name }),
    );
    const until = Date.now() + MINUTES * 60_000;
    const again = async () => {
      const [visits, made] = [visitors.tally.answered.size, links.outcomes.done.size];
      await eventually(() => {
        if (visitors.tally.answered.size === visits) throw new Error('no visit is answered');
        if (links.outcomes.done.size === made) throw new Error('no write is answered');
      }, AGAIN_MS);
    };
    let broken: Error | undefined;
    try {
      await again();
      await Promise.all([
        this.#failServers(means, until, again),
        this.#failProcesses(means, until),
      ]);
      await again();
    } catch (error) {
      broken = error as Error;
    }
    const [visitTally, linkOutcomes, saleOutcomes] = await Promise.all([
      visitors.stop(),
      links.stop(),
      sales.stop(),
    ]);
    if (broken !== undefined) say(`✖ a fault was not survived: ${broken.message}`);
    this.#isBroken = broken !== undefined;
    return { visits: visitTally, links: linkOutcomes, sales: saleOutcomes, deliveries };
  }

  #isBroken = false;

  async #failServers(means: Means, until: number, again: () => Promise<void>): Promise<void> {
    const { redis, postgres } = means.topology;
    const chosen = FAULTS.filter(({ name }) => ONLY === undefined || name === ONLY);
    for (const { name, skipped } of chosen) {
      const reason = skipped?.(means);
      if (reason !== undefined) say(`skipped: ${name}: ${reason}`);
    }
    const possible = chosen.filter(({ skipped }) => skipped?.(means) === undefined);
    let left: typeof possible = [];
    while (Date.now() < until) {
      // Each fault occurs once, in random order, before any fault occurs again.
      if (left.length === 0) left = [...possible];
      const [fault] = left.splice(Math.floor(random() * left.length), 1);
      const began = Date.now();
      say(`begin: ${fault!.name}`);
      const detail = await fault!.happen(means);
      const happened = Date.now();
      await redis.replicated();
      await postgres.inSync();
      await again();
      const lasted = ((happened - began) / 1000).toFixed(1);
      const well = ((Date.now() - happened) / 1000).toFixed(1);
      say(
        `${fault!.name}${detail === undefined ? '' : ` (${detail})`}: ${lasted} s; well again after ${well} s`,
      );
      await delay(1_000 + random() * 5_000);
    }
  }

  async #failProcesses(means: Means, until: number): Promise<void> {
    if (ONLY !== undefined) return;
    while (Date.now() < until) {
      await delay(3_000 + random() * 12_000);
      say(await harmProcess(means));
    }
  }

  async #addUp(projectId: string, apiKey: string, told: Told): Promise<boolean> {
    const { visits, links, sales, deliveries } = told;
    await this.#jobsOf(links, apiKey);
    await this.#jobsOf(sales, apiKey);
    const end = Date.now() + SETTLE_MS;
    const { clickhouse: events } = this.#topology!;
    const clickhouse = events && new ClickHouse(events.url);
    let lines: Line[] = [];
    for (;;) {
      // The comparison reads Postgres, so an operator's command first moves the visits there.
      if (clickhouse !== undefined) {
        const moved = await moveToPostgres(clickhouse, projectId);
        if (moved > 0) say(`${moved} visits were moved from ClickHouse to Postgres`);
      }
      await db()('webhook_deliveries')
        .where({ state: 'pending' })
        .where('next_attempt_at', '>', new Date(Date.now() + 30_000))
        .update({ next_attempt_at: new Date() });
      lines = await reconcile(db(), projectId, told, HOOKED);
      const isWell = lines.every(({ lost, doubled }) => lost.length + doubled.length === 0);
      if (isWell || Date.now() > end) break;
      await delay(2_000);
    }
    await clickhouse?.close();
    say(
      `${visits.cut.size} visits were cut off and ${visits.others.size} answered otherwise ` +
        `(${tallied(visits.others)}); ${links.failed.size} links (${tallied(links.failed)}) and ` +
        `${sales.failed.size} sales (${tallied(sales.failed)}) failed; ${deliveries.requests} deliveries`,
    );
    console.log(`\n${'what'.padEnd(30)} answered   stored     lost  doubled`);
    for (const { what, answered, stored, lost, doubled } of lines) {
      const numbers = [answered, stored, lost.length, doubled.length];
      console.log(what.padEnd(30) + numbers.map((n) => String(n).padStart(9)).join(''));
      for (const [word, names] of Object.entries({ lost, doubled })) {
        if (names.length > 0) console.log(`  ${word}: ${names.slice(0, 10).join(', ')}`);
      }
    }
    return (
      !this.#isBroken && lines.every(({ lost, doubled }) => lost.length + doubled.length === 0)
    );
  }

  /** Waits for the jobs of all 202 answers. A job that failed for good promises nothing. */
  async #jobsOf({ accepted, failed }: Outcomes, apiKey: string): Promise<void> {
    for (const [name, location] of accepted) {
      const status = await eventually(async () => {
        const url = new URL(location, this.#service!.apiUrl);
        const answer = await fetch(this.#service!.apiUrl + url.pathname, {
          headers: { authorization: `Bearer ${apiKey}` },
        });
        const job = (await answer.json()) as { status?: string };
        if (job.status !== 'done' && job.status !== 'failed') {
          throw new Error(`job of ${name}: ${answer.status} ${job.status}`);
        }
        return job.status;
      }, SETTLE_MS);
      if (status === 'failed') {
        accepted.delete(name);
        failed.set(name, 202);
      }
    }
  }

  async stop(): Promise<void> {
    this.#network.close();
    await closeDb();
    await closeRedis();
    const folder = this.#folder;
    if (process.env['CHAOS_LOG'] !== undefined) {
      writeFileSync(process.env['CHAOS_LOG'], (this.#service?.lines ?? []).join('\n'));
    }
    await this.#service?.runner.stop();
    await this.#topology?.stop();
    await this.#deliveries?.stop();
    for (const disk of this.#disks) execFileSync('umount', [disk]);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Lists the number of answers by status. */
function tallied(statuses: ReadonlyMap<string, number>): string {
  const counts = new Map<number, number>();
  for (const status of statuses.values()) counts.set(status, (counts.get(status) ?? 0) + 1);
  return (
    [...counts].map(([status, count]) => `${count} × ${status || 'none'}`).join(', ') || 'none'
  );
}

if (!hasTopology()) {
  console.error('Postgres of the distribution (postgresql) and haproxy are needed.');
  process.exit(1);
}
const run = new Run();
let isWell = false;
try {
  isWell = await run.run();
} finally {
  await run.stop();
}
say(isWell ? 'everything adds up' : '✖ not everything adds up');
process.exit(isWell ? 0 : 1);
