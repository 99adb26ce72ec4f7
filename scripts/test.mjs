// `npm test`: makes the clone ready, runs the static checks, then mocha. With arguments, which go to mocha, only mocha
// runs. With TEST_COVERAGE (`npm run test:coverage`), the lines of `src` that run are measured as well, at the cost of
// speed. The last line is always "N passed, N failed"; a check is one of the N.
import { spawn } from 'node:child_process';
import {
  closeSync,
  createReadStream,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { NotReady, prepare, ROOT, run } from './prepare.mjs';
import { Progress } from './progress.mjs';

const CHECKS = [
  { name: 'format', command: 'biome', args: ['check'] },
  { name: 'lint', command: 'oxlint', args: ['--type-aware'] },
  { name: 'unused code', command: 'knip', args: [] },
  {
    name: 'reference (Spectral)',
    command: 'spectral',
    args: ['lint', 'docs/openapi.json', '--fail-severity=hint'],
  },
  { name: 'reference (Redocly)', command: '../../scripts/check-reference.mjs', args: [] },
  { name: 'structure', command: process.execPath, args: ['dist/scripts/structure.js', '--check'] },
];
/** Tests that start and kill processes all the time; a killed process does not report its lines. */
const KILLING = testFiles(
  'cli',
  'newcomer',
  'cluster/partitions',
  'cluster/sentinel',
  'cluster/standbys',
  'cluster/topology',
  'workers/chaos',
  'workers/runner',
  'workers/small',
  'workers/start-messages',
  'workers/webhook-chaos',
);
/** Tests that judge how long something takes: each has the machine for itself. */
const ALONE = testFiles(
  'fuzz/fuzz',
  'api/event-loop',
  'api/fair-shares',
  'api/hostile',
  'redirect/outages',
  'workers/frozen-redis',
  'workers/slots',
  'workers/stopping',
  'workers/watchdog',
  'workers/webhook-receivers',
);
/** Tests that wait for minutes, and compute next to nothing: a part of their own beside the others. */
const WAITING = testFiles('workers/alerts');
/** Seconds of the files that take longest, by which the parts that run at the same time get their files. */
const SECONDS = {
  newcomer: 200,
  cli: 180,
  'workers/chaos': 150,
  'cluster/clickhouse': 150,
  'workers/rollups': 140,
  'qr/decode-matrix': 120,
  'workers/backup': 115,
  'workers/upgrades': 110,
  'docs-commands': 105,
  'cluster/topology': 90,
  'api/imports-from-apis': 80,
  'workers/twice': 70,
  'workers/imports': 66,
  bench: 65,
  'workers/runner': 60,
  'api/live': 60,
  'workers/webhook-chaos': 60,
  'redirect/places': 60,
  'workers/queue-shards': 60,
  'api/conversions': 58,
  'api/workspace-moves': 55,
  'workers/destinations': 54,
  'unit/images': 54,
  'workers/event-blocks': 50,
  'workers/small': 50,
  'api/docs': 50,
  'workers/processes': 50,
  'console/views': 44,
  'clients/clients': 41,
  'cluster/clickhouse-nodes': 40,
  'workers/secrets': 38,
  'api/webhooks': 38,
  'redirect/decisions': 37,
  'workers/sealed-upgrade': 35,
  'api/idempotency': 35,
  'api/abuse-reports': 34,
  'cluster/sentinel': 33,
  'api/http': 32,
  'cluster/partitions': 30,
  'redirect/wait-replicas': 29,
  'api/qr': 28,
  'cluster/pgbouncer': 27,
  'workers/redis-program': 45,
  'workers/upkeep': 27,
  'redirect/redirect': 26,
  'cluster/standbys': 25,
  'api/imports-from-peers': 23,
  'unit/qr-drawing': 22,
  'api/audit-log': 22,
  'api/preview-images': 22,
  'workers/start-messages': 20,
  'api/imports': 19,
  'api/oidc': 19,
  'api/metatags': 16,
  'compat/guards': 15,
  docs: 15,
  'api/https': 13,
  'redirect/passwords': 12,
};
const USUAL_SECONDS = 4;
/** Parts of the tests that run at the same time: one keeps less than two thirds of a core busy, since most tests wait. */
const PARTS = 3;
/** The same of tests that start and kill processes. */
const KILLING_PARTS = 2;
/** Time for mocha to stop what the tests started after a signal, in ms. */
const STOP_MS = 60_000;
/** The whole takes no longer, in ms: what runs then is ended, and the counts tell what had run. */
const LONGEST_MS = 90 * 60_000;
/** Files with failed tests that are run again; where there are more, the machine is not the cause. */
const MOST_AGAIN = 6;

/** Arguments of mocha; a source file stands for what it is compiled to. */
const args = process.argv
  .slice(2)
  .map((arg) => arg.replace(/^(?:\.\/)?(test\/.*\.test)\.ts$/, 'dist/$1.js'));
const counts = { passed: 0, failed: 0, skipped: 0 };
/** Named once more before the counts: a log that is cut in the middle still tells what failed. */
const failures = [];
/** Tests that failed, and passed when they were run again. */
const passedAgain = [];
/** Processes of mocha. */
const running = new Set();
let isLate = false;

// A signal ends mocha, which cleans up; the counts are still printed.
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    for (const mocha of running) mocha.kill(signal);
    process.exitCode = 1;
  });
}

try {
  await timed('installing and compiling', () =>
    prepare(new Progress(process.stdout), { withTests: true }),
  );
  if (args.length === 0) await testAll();
  else await timed('tests', async () => count(await runMocha(args, {})));
} catch (error) {
  counts.failed += 1;
  failures.push(error instanceof NotReady ? error.message : String(error?.stack ?? error));
}
if (counts.failed > 0) process.exitCode = 1;
for (const failure of passedAgain) console.error(`Passed when run again: ${failure}`);
for (const failure of failures) console.error(`✖ ${failure}`);
const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : '';
console.log(`${counts.passed} passed, ${counts.failed} failed${skipped}`);

/** Does a part of the whole, and prints how long it took. */
async function timed(name, part) {
  const startedAt = Date.now();
  const result = await part();
  console.log(`  ${((Date.now() - startedAt) / 1000).toFixed(1)} s  ${name}`);
  return result;
}

async function testAll() {
  setTimeout(endLate, LONGEST_MS).unref();
  for (const { name, command, args } of CHECKS) {
    const { code } = await check(name, command, args);
    if (code === 0) console.log(`✔ ${name}`);
  }
  const files = readdirSync(path.join(ROOT, 'dist/test'), { recursive: true })
    .filter((name) => name.endsWith('.test.js'))
    .map((name) => path.join('dist/test', name))
    .toSorted();
  const apart = [...KILLING, ...WAITING, ...ALONE];
  // Mocha only warns of files that it does not find.
  const missing = apart.filter((file) => !files.includes(file));
  if (missing.length > 0) throw new Error(`No such tests: ${missing.join(', ')}`);
  const others = files.filter((file) => !apart.includes(file));
  const usual = [...inParts(others, PARTS), WAITING];
  if (process.env['TEST_COVERAGE'] === undefined) await testAgain('tests', usual, {});
  else await testWithCoverage(usual);
  await testAgain('tests that kill processes', inParts(KILLING, KILLING_PARTS), {});
  await testAgain('tests, one at a time', [ALONE], {});
}

/** Runs tests as {@link testAgain} does, and prints how many lines of `src` ran. */
async function testWithCoverage(lists) {
  const folder = mkdtempSync(path.join(tmpdir(), 'test-coverage-'));
  try {
    await testAgain('tests, with coverage', lists, { NODE_V8_COVERAGE: folder });
    const { output } = await check('coverage', 'c8', ['report', '--temp-directory', folder]);
    console.log(output);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Ends every mocha: first as a signal does, then those that go on. */
function endLate() {
  isLate = true;
  for (const mocha of running) mocha.kill('SIGTERM');
  setTimeout(() => {
    for (const mocha of running) mocha.kill('SIGKILL');
  }, STOP_MS).unref();
}

function refuseLate() {
  if (isLate) throw new NotReady(`the tests were ended after ${LONGEST_MS / 60_000} min`);
}

/** The compiled files of tests. */
function testFiles(...names) {
  return names.map((name) => `dist/test/${name}.test.js`);
}

/** Lists of files that take about the same time, each in the order of the files. */
function inParts(files, count) {
  const secondsOf = (file) =>
    SECONDS[file.replace('dist/test/', '').replace('.test.js', '')] ?? USUAL_SECONDS;
  const parts = Array.from({ length: count }, () => ({ files: new Set(), seconds: 0 }));
  for (const file of files.toSorted((a, b) => secondsOf(b) - secondsOf(a))) {
    const shortest = parts.reduce((a, b) => (a.seconds <= b.seconds ? a : b));
    shortest.files.add(file);
    shortest.seconds += secondsOf(file);
  }
  return parts.map((part) => files.filter((file) => part.files.has(file)));
}

/** Runs a program that counts as one test. */
async function check(name, command, args) {
  const program = path.resolve(ROOT, 'node_modules', '.bin', command);
  const result = await timed(name, () => run(program, args));
  counts[result.code === 0 ? 'passed' : 'failed'] += 1;
  if (result.code !== 0) failures.push(`${name}\n${result.output}`);
  return result;
}

/**
 * Runs mocha, once for each list of files and at the same time, each with servers of its own; then once more the files
 * with failed tests: a promise about time or about an outage can fail on a busy machine. The tests of these files are
 * named with the failures that they had.
 */
async function testAgain(name, lists, env) {
  refuseLate();
  const runs = await timed(name, () =>
    Promise.all(lists.map((files, index) => runMocha(files, env, index > 0))),
  );
  const failed = runs.flatMap(({ stats }) => stats?.failed ?? []);
  const files = [...new Set(failed.map(({ file }) => file))];
  const hasOutcome = runs.every(({ stats }) => stats !== undefined);
  const isFinal = isLate || files.length > MOST_AGAIN || files.includes(undefined);
  if (!hasOutcome || files.length === 0 || isFinal) {
    for (const run of runs) count(run);
    refuseLate();
    return;
  }
  console.log('  These tests failed, and their files are run again:');
  for (const { title, message } of failed) console.log(`    ${title}: ${message}`);
  const again = await timed('tests, again', () => runMocha(files, env));
  const left = again.stats?.failed ?? failed;
  counts.passed += Math.max(0, failed.length - left.length);
  for (const { title, message } of failed) {
    if (!left.some((test) => test.title === title)) passedAgain.push(`${title}: ${message}`);
  }
  for (const { stats } of runs) count({ code: 0, stats: { ...stats, failures: 0, failed: [] } });
  count({ code: again.code, stats: { passes: 0, failures: left.length, failed: left } });
}

function count({ code, stats }) {
  counts.passed += stats?.passes ?? 0;
  counts.skipped += stats?.pending ?? 0;
  // Mocha can also fail without a failed test: a file that does not load, a stack that does not start.
  if (stats === undefined) failures.push(`mocha ended before its tests, with exit code ${code}`);
  else if (code !== 0 && stats.failures === 0) failures.push(`mocha: exit code ${code}`);
  counts.failed += stats?.failures || (code === 0 && stats ? 0 : 1);
  for (const { title, message } of stats?.failed ?? []) failures.push(`${title}: ${message}`);
}

/** Its exit code, and what the reporter wrote; without that when mocha could not run to its end. */
async function runMocha(mochaArgs, env, isPrintedLater = false) {
  const folder = mkdtempSync(path.join(tmpdir(), 'test-counts-'));
  const file = path.join(folder, 'counts.json');
  const log = path.join(folder, 'log.txt');
  const output = isPrintedLater ? openSync(log, 'w') : 'inherit';
  try {
    const code = await spawnMocha(mochaArgs, file, env, output);
    if (isPrintedLater) {
      closeSync(output);
      await pipeline(createReadStream(log), process.stdout, { end: false });
    }
    return { code, stats: existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function spawnMocha(mochaArgs, countsFile, env, output) {
  const isNamed = mochaArgs.some((arg) => arg.endsWith('.js'));
  const mocha = spawn(
    process.execPath,
    [
      'node_modules/mocha/bin/mocha.js',
      ...(isNamed ? [] : ['dist/test/**/*.test.js']),
      ...mochaArgs,
    ],
    {
      cwd: ROOT,
      stdio: ['inherit', output, output],
      env: { ...process.env, ...env, TEST_COUNTS: countsFile },
    },
  );
  running.add(mocha);
  return new Promise((resolve) => {
    mocha.on('exit', (code) => {
      running.delete(mocha);
      resolve(code ?? 1);
    });
  });
}
