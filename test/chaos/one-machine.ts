import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { seeded } from '../qr/pairwise.ts';
import { OwnService } from '../support/own-service.ts';
import { type Pgbouncer, startPooled } from '../support/pgbouncer.ts';
import { Visitors } from '../support/traffic.ts';
import { compareAll, type Findings, isWell } from './answers.ts';
import { canMoveClocks, clockSettings } from './clock.ts';
import { MixedWrites, type StatusCounts } from './mixed-writes.ts';
import { RUNS, type Run } from './runs.ts';
import { Deliveries } from './traffic.ts';

/*
 * Runs `npm run reconcile [-- NAME …]`: a service on one machine as `npm start` runs it, with
 * steady visits and writes of all kinds, while servers and processes fail. Afterwards, each answer
 * is compared with the stored data. Each run has its own service. `--seed` repeats the choices of a
 * run, and `--rounds` repeats each run.
 */

const VISITS_PER_SECOND = 40;
const WRITES_PER_SECOND = 10;
const KEYS = Array.from({ length: 20 }, (_, n) => `known-${n}`);
const HOOKED = KEYS.slice(0, 2);
const TARGETS = 300;
const BULK = 100;
/** Longest time from the last fault until everything is answered, stored and delivered, in ms. */
const SETTLE_MS = 120_000;
const SMALL_DISK = '400m';
/** Number of items printed from each list of a run. */
const SHOWN = 12;

interface Row {
  run: Run;
  visits: number;
  answered: number;
  attempts: number;
  statuses: StatusCounts;
  findings: Findings;
}

const startedAt = Date.now();
function say(text: string): void {
  const seconds = Math.round((Date.now() - startedAt) / 1000);
  console.log(`${String(seconds).padStart(6)} s  ${text}`);
}

/**
 * Runs the service under the faults of a run.
 * @returns the row of the table, or the reason why the run cannot happen here
 */
async function reconcileRun(run: Run, seed: number): Promise<Row | string> {
  if (run.hasPgbouncer === true && spawnSync('pgbouncer', ['--version']).error !== undefined) {
    return 'pgbouncer is not installed';
  }
  if (run.movesClocks === true && !canMoveClocks()) return 'libfaketime is not installed';
  const random = seeded(seed);
  const folder = mkdtempSync(path.join(tmpdir(), 'shortlinks-reconcile-'));
  let pgbouncer: Pgbouncer | undefined;
  const startDatabase = async (dataDir: string) => {
    const pooled = await startPooled(dataDir);
    ({ pgbouncer } = pooled);
    return pooled;
  };
  const own = new OwnService(run.hasPgbouncer === true ? startDatabase : undefined);
  const clock = path.join(folder, 'clock');
  writeFileSync(clock, '+0');
  const deliveries = await Deliveries.start(random, 0);
  let isMounted = false;
  try {
    if (run.hasSmallDisk === true) {
      try {
        execFileSync(
          'mount',
          ['-t', 'tmpfs', '-o', `size=${SMALL_DISK}`, 'tmpfs', own.folders[1]!],
          {
            stdio: 'pipe',
          },
        );
        isMounted = true;
      } catch {
        return 'no file system can be mounted by this account';
      }
    }
    const settings = {
      OUTBOUND_ALLOW: '127.0.0.1',
      LOG_LEVEL: 'warn',
      RATES_URL: 'http://127.0.0.1:9/',
      RATES_MAX_AGE_DAYS: '0',
      ...(run.movesClocks === true && clockSettings(clock)),
    };
    await own.start(settings, run.procfile);
    const { apiUrl, redirectPorts } = own.service;
    const targets = await makeLinks(own, deliveries.url);
    const visitors = new Visitors('visit', redirectPorts, KEYS, VISITS_PER_SECOND);
    const { clickIds } = visitors;
    const { apiKey, projectId, db } = own;
    const writers = new MixedWrites({
      apiUrl,
      apiKey,
      perSecond: WRITES_PER_SECOND,
      random,
      targets,
      clickIds,
    });
    const means = {
      own,
      random,
      folder,
      env: own.commandEnv,
      pgbouncer,
      moveClocks: (offset: string) => writeFileSync(clock, offset),
      say,
      answered: () => ({
        visits: [...visitors.tally.answered],
        links: writers.writes
          .filter(({ kind, status }) => kind === 'create' && status === 201)
          .map(({ name }) => name),
      }),
      async startAll() {
        await own.startPostgres();
        await own.startRedis();
        await own.startAgain({}, run.procfile);
      },
    };
    let finish: (() => Promise<string[]>) | undefined;
    try {
      finish = (await run.happen(means)) ?? undefined;
    } finally {
      await visitors.stop();
      await writers.stop();
    }
    const told = { db, projectId, apiUrl, apiKey, deliveries, hookedKeys: HOOKED };
    const findings = await compareAll(
      {
        ...told,
        visits: visitors.tally,
        writes: writers.writes,
        isWithDeliveries: run.losesVisits !== true,
      },
      SETTLE_MS,
    );
    findings.unequal.push(...((await finish?.()) ?? []));
    return {
      run,
      visits: visitors.count,
      answered: visitors.tally.answered.size,
      attempts: writers.writes.length,
      statuses: writers.statuses,
      findings,
    };
  } finally {
    if (process.env['RECONCILE_LOGS'] !== undefined) console.log(own.service?.lines.join('\n'));
    await own.stop().catch((error: unknown) => say(`the service did not stop: ${String(error)}`));
    await deliveries.stop();
    if (isMounted) execFileSync('umount', ['-l', own.folders[1]!]);
    for (const each of [folder, ...own.folders]) rmSync(each, { recursive: true, force: true });
  }
}

/**
 * Creates links for the writes of a run.
 * @returns ids of links to change or delete
 */
async function makeLinks(own: OwnService, hookUrl: string): Promise<string[]> {
  const { id } = await own.post('/webhooks', {
    name: 'all',
    url: hookUrl,
    kinds: ['link.created'],
  });
  await own.post(
    '/links/bulk',
    KEYS.map((key) => ({
      url: `https://example.com/${key}`,
      key,
      trackConversion: true,
      ...(HOOKED.includes(key) && { webhookIds: [id] }),
    })),
  );
  const ids: string[] = [];
  while (ids.length < TARGETS) {
    const body = Array.from({ length: BULK }, () => ({ url: 'https://example.com/target' }));
    const made: { id: string }[] = await own.post('/links/bulk', body);
    ids.push(...made.map((link) => link.id));
  }
  return ids;
}

function printFindings(findings: Findings): void {
  for (const [what, list] of Object.entries(findings) as [string, string[]][]) {
    if (list.length === 0) continue;
    console.log(`  ${what}: ${list.length}`);
    for (const line of list.slice(0, SHOWN)) console.log(`    ${line}`);
  }
}

const HEADER = [
  'run',
  'faults',
  'answered visits',
  'lost',
  'doubled',
  'write attempts (202 / 500 / 503 / 404 / none)',
  'answered writes lost',
  'doubled',
  'refused but done',
  'conversions refused',
  'unequal',
];

function cells({ run, visits, answered, attempts, statuses, findings }: Row): string[] {
  const shares = [202, 500, 503, 404, 0].map((status) => statuses.get(status) ?? 0).join(' / ');
  const n = (list: string[]) => String(list.length);
  return [
    run.name,
    run.faults,
    answered === visits ? String(answered) : `${answered} of ${visits}`,
    n(findings.visitsLost),
    n(findings.visitsDoubled),
    `${attempts} (${shares})`,
    n(findings.writesLost),
    n(findings.writesDoubled),
    n(findings.refusedButDone),
    n(findings.conversionsRefused),
    n(findings.unequal),
  ];
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    rounds: { type: 'string', default: '1' },
  },
});
const chosen = RUNS.filter(
  ({ name }) =>
    positionals.length === 0 ||
    positionals.some((wish) => name === wish || name.startsWith(`${wish}.`)),
);
const unknown = positionals.filter((wish) => !chosen.some(({ name }) => name.startsWith(wish)));
if (unknown.length > 0) {
  console.error(
    `There is no run ${unknown.join(', ')}: ${RUNS.map(({ name }) => name).join(', ')}`,
  );
  process.exit(1);
}
const table: string[][] = [];
let isAllWell = true;
for (let round = 0; round < Number(values.rounds); round += 1) {
  for (const run of chosen) {
    const seed = Number(values.seed) + round;
    say(`run ${run.name}, seed ${seed}: ${run.faults}`);
    try {
      const row = await reconcileRun(run, seed);
      if (typeof row === 'string') {
        say(`skipped: ${row}`);
        table.push([run.name, `skipped: ${row}`]);
        continue;
      }
      say(cells(row).join(' | '));
      printFindings(row.findings);
      table.push(cells(row));
      const { visitsLost, unequal, ...others } = row.findings;
      const known =
        run.losesVisits === true ? { visitsLost: [], unequal: [] } : { visitsLost, unequal };
      isAllWell &&= isWell({ ...others, ...known });
    } catch (error) {
      say(`✖ run ${run.name} broke: ${String((error as Error).stack)}`);
      table.push([run.name, `broke: ${(error as Error).message}`]);
      isAllWell = false;
    }
  }
}
console.log(`\n| ${HEADER.join(' | ')} |\n|${HEADER.map(() => ' --- |').join('')}`);
for (const row of table) console.log(`| ${row.join(' | ')} |`);
say(isAllWell ? 'everything adds up' : '✖ not everything adds up');
process.exit(isAllWell ? 0 : 1);
