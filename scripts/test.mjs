// `npm test` makes the clone ready, runs the static checks, then the tests (`*.test.ts`). `npm run test:long` runs the
// tests that take longer (`*.long.ts`): outages, killed processes, upgrades, every command of the guides. With arguments,
// which go to mocha, only mocha runs. With TEST_COVERAGE (`npm run test:coverage`), the lines of `src` that run are
// measured as well, at the cost of speed. The last line is always "N passed, N failed"; a check is one of the N.
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
  { name: 'types of the console', command: 'tsc', args: ['-p', 'src/console'] },
  { name: 'unused code', command: 'knip', args: [] },
  {
    name: 'reference (Spectral)',
    command: 'spectral',
    args: ['lint', 'docs/openapi.json', '--fail-severity=hint'],
  },
  { name: 'reference (Redocly)', command: '../../scripts/check-reference.mjs', args: [] },
];
const LONG_CHECKS = [
  { name: 'structure', command: process.execPath, args: ['dist/scripts/structure.js', '--check'] },
];
/** Long tests that judge how processes share the machine: each has it for itself. */
const ALONE = [
  'api/event-loop',
  'api/fair-shares',
  'workers/slots',
  'workers/stopping',
  'workers/watchdog',
  'workers/webhook-receivers',
].map((name) => `dist/test/${name}.long.js`);
/**
 * Files that get a second run where they fail, and why; a failure of any other test is final. The list is to be empty:
 * each of these tests has to be mended.
 */
const SECOND_RUN = {
  'api/event-loop': 'the time that a request blocks the loop includes waits for a core',
  'api/fair-shares': 'counts index scans of the whole service',
  'cluster/sentinel':
    'a write took over 20 s after a failover on a busy machine; the limit of 60 s is new',
  'redirect/hostile-requests': 'counts transactions of the whole service',
  'redirect/outages': 'a flood was answered 381 times, once too few',
  'redirect/places': 'a redirect was answered 503 while Redis was away, at a load of 25',
  'unit/guarded-addresses': 'one of 900 look-ups timed out at a load of 15',
  'unit/images':
    'a drawing at low priority did not get its processor time within 10 minutes, at a load of 25',
  'workers/destinations': 'a pause of 950 ms was measured as 828',
};
/** Seconds of the files that take longest, by which the parts that run at the same time get their files. */
const SECONDS = {
  'api/event-loop': 509,
  'api/hostile': 311,
  'api/docs': 287,
  'workers/chaos': 284,
  'workers/rollups': 188,
  'api/imports-from-apis': 153,
  'cluster/clickhouse': 150,
  'clients/clients': 150,
  newcomer: 149,
  'fuzz/fuzz': 138,
  'docs-commands': 130,
  cli: 124,
  'workers/backup': 112,
  'workers/upgrades': 112,
  'unit/images': 105,
  'workers/runner': 103,
  'workers/queue-shards': 98,
  'workers/redis-program': 91,
  'cluster/topology': 90,
  'workers/imports': 89,
  'workers/frozen-redis': 88,
  'api/idempotency': 80,
  'workers/destinations': 77,
  'redirect/places': 77,
  'workers/secrets': 76,
  'api/conversions': 74,
  'api/live': 68,
  'cluster/sentinel': 64,
  'workers/processes': 62,
  'redirect/redirect': 62,
  'api/workspace-moves': 62,
  'workers/twice': 61,
  'unit/guarded-fetch': 61,
  'workers/webhook-chaos': 60,
  'redirect/outages': 60,
  'qr/decode-matrix': 56,
  bench: 56,
  'api/abuse-reports': 56,
  'api/qr': 55,
  'unit/qr-drawing': 55,
  'console/views': 53,
  'api/imports': 52,
  'api/oidc': 51,
  'cluster/standbys': 51,
  'workers/start-messages': 51,
  'api/webhooks': 50,
  'redirect/wait-replicas': 44,
  'unit/regular-expressions': 42,
  'redirect/decisions': 41,
  'cluster/clickhouse-nodes': 40,
  'workers/sealed-upgrade': 39,
  'api/http': 37,
  'workers/small': 36,
  'workers/event-blocks': 36,
  'api/sealed': 34,
  'workers/upkeep': 33,
  'api/https': 30,
  'redirect/hostile-requests': 29,
  'api/qrcodes': 28,
  'cluster/pgbouncer': 27,
  structure: 27,
  'api/analytics': 26,
  'redirect/hostile-pages': 25,
  'unit/messages': 22,
  'api/notifications': 21,
  'api/links': 20,
  'api/imports-from-peers': 19,
  'api/metatags': 19,
  'api/audit-log': 18,
  'api/preview-images': 18,
  'workers/error-data': 18,
  'api/exports': 18,
  'unit/guarded-addresses': 18,
  'workers/telemetry': 17,
  'api/views': 16,
  'unit/currency': 16,
  'unit/spool': 16,
  'api/invitations': 16,
  'compat/guards': 14,
  docs: 14,
  'api/etags': 14,
  'api/framing': 14,
  'api/members': 13,
  'unit/display-page': 13,
  'api/tenancy': 13,
  deployment: 13,
  'api/sessions': 12,
  'redirect/passwords': 11,
  'api/blocked-hosts': 10,
  'workers/tls': 10,
  'api/sign-in': 10,
  'workers/private-servers': 10,
};
const USUAL_SECONDS = 4;
/** Parts of the tests that run at the same time: one keeps less than two thirds of a core busy, since most tests wait. */
const PARTS = 3;
/** Time for mocha to stop what the tests started after a signal, in ms. */
const STOP_MS = 60_000;
/** Time limit of a run of all tests, in ms: what runs then is ended, and the counts tell what had run. */
const LONGEST_MS = 60 * 60_000;

/** Arguments of mocha; a source file stands for what it is compiled to. */
const args = process.argv
  .slice(2)
  .filter((arg) => arg !== '--long')
  .map((arg) => arg.replace(/^(?:\.\/)?(test\/.*\.(?:test|long))\.ts$/, 'dist/$1.js'));
const isLong = process.argv.includes('--long');
const counts = { passed: 0, failed: 0, skipped: 0 };
/** Named once more before the counts: a log that is cut in the middle still tells what failed. */
const failures = [];
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
  if (args.length > 0) await timed('tests', async () => count(await runMocha(args, {})));
  else if (isLong) await testLong();
  else await testAll();
} catch (error) {
  counts.failed += 1;
  failures.push(error instanceof NotReady ? error.message : String(error?.stack ?? error));
}
if (counts.failed > 0) process.exitCode = 1;
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
  for (const one of CHECKS) await check(one);
  const parts = inParts(filesOf('.test.js'), PARTS);
  if (process.env['TEST_COVERAGE'] === undefined) await testParts('tests', parts, {});
  else await testWithCoverage(parts);
}

async function testLong() {
  setTimeout(endLate, LONGEST_MS).unref();
  for (const one of LONG_CHECKS) await check(one);
  const files = filesOf('.long.js');
  // Mocha only warns of files that it does not find.
  const missing = ALONE.filter((file) => !files.includes(file));
  if (missing.length > 0) throw new Error(`No such tests: ${missing.join(', ')}`);
  const others = files.filter((file) => !ALONE.includes(file));
  await testParts('long tests', inParts(others, PARTS), {});
  await testParts('long tests, one at a time', [ALONE], {});
}

/** The compiled files of tests with an ending, in order. */
function filesOf(ending) {
  return readdirSync(path.join(ROOT, 'dist/test'), { recursive: true })
    .filter((name) => name.endsWith(ending))
    .map((name) => path.join('dist/test', name))
    .toSorted();
}

/** Runs the tests, and prints how many lines of `src` ran. */
async function testWithCoverage(parts) {
  const folder = mkdtempSync(path.join(tmpdir(), 'test-coverage-'));
  try {
    await testParts('tests, with coverage', parts, { NODE_V8_COVERAGE: folder });
    const args = ['report', '--temp-directory', folder];
    console.log(await check({ name: 'coverage', command: 'c8', args }));
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

/** The name of a compiled file of tests, as the tables above have it. */
function nameOf(file) {
  const name = path.relative(path.join(ROOT, 'dist/test'), path.resolve(ROOT, file));
  return name.replace(/\.(?:test|long)\.js$/, '');
}

/** The reason for a second run of a file; `undefined` where there is none. */
function reasonFor(file) {
  return file === undefined ? undefined : SECOND_RUN[nameOf(file)];
}

/** Lists of files that take about the same time, each in the order of the files. */
function inParts(files, count) {
  const secondsOf = (file) => SECONDS[nameOf(file)] ?? USUAL_SECONDS;
  const parts = Array.from({ length: count }, () => ({ files: new Set(), seconds: 0 }));
  for (const file of files.toSorted((a, b) => secondsOf(b) - secondsOf(a))) {
    const shortest = parts.reduce((a, b) => (a.seconds <= b.seconds ? a : b));
    shortest.files.add(file);
    shortest.seconds += secondsOf(file);
  }
  return parts.map((part) => files.filter((file) => part.files.has(file)));
}

/** Runs a program that counts as one test. @returns its output */
async function check({ name, command, args }) {
  const program = path.resolve(ROOT, 'node_modules', '.bin', command);
  const { code, output } = await timed(name, () => run(program, args));
  counts[code === 0 ? 'passed' : 'failed'] += 1;
  if (code === 0) console.log(`✔ ${name}`);
  else failures.push(`${name}\n${output}`);
  return output;
}

/**
 * Runs mocha once for each list of files, all at the same time, each with servers of its own. Where only files of
 * SECOND_RUN failed, they run once more, and the output says why.
 */
async function testParts(name, parts, env) {
  const runs = await timed(name, () =>
    Promise.all(parts.map((files, index) => runMocha(files, env, index > 0))),
  );
  const failed = runs.flatMap(({ stats }) => stats?.failed ?? []);
  const files = [...new Set(failed.map(({ file }) => file))];
  const hasOutcomes = runs.every(({ code, stats }) => stats && (code === 0 || stats.failures > 0));
  if (hasOutcomes && !isLate && files.length > 0 && files.every((file) => reasonFor(file))) {
    for (const { title, message } of failed) console.log(`  Failed: ${title}: ${message}`);
    for (const file of files) console.log(`  Second run of ${nameOf(file)}: ${reasonFor(file)}`);
    const second = await timed(`${name}, second run`, () => runMocha(files, env));
    const remaining = second.stats?.failed ?? failed;
    const passed = Math.max(0, failed.length - remaining.length);
    for (const { stats } of runs) count({ code: 0, stats: { ...stats, failures: 0, failed: [] } });
    count({
      code: second.code,
      stats: { passes: passed, failures: remaining.length, failed: remaining },
    });
  } else {
    for (const run of runs) count(run);
  }
  if (isLate) throw new NotReady(`the tests were ended after ${LONGEST_MS / 60_000} min`);
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
