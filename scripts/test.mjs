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
/** Seconds of the files that take longest, by which the parts that run at the same time get their files. */
const SECONDS = {
  newcomer: 419,
  cli: 399,
  'workers/chaos': 368,
  'docs-commands': 317,
  'unit/images': 268,
  'workers/upgrades': 260,
  'workers/backup': 250,
  'fuzz/fuzz': 239,
  'api/hostile': 218,
  'workers/event-counts': 212,
  'redirect/outages': 196,
  'workers/redis-program': 183,
  'api/workspace-moves': 162,
  'workers/queue-shards': 160,
  'api/imports-from-apis': 151,
  'workers/start-messages': 146,
  'redirect/places': 143,
  'workers/processes': 137,
  'cluster/sentinel': 133,
  'workers/runner': 130,
  'qr/decode-matrix': 118,
  'workers/frozen-redis': 115,
  'api/docs': 114,
  'workers/imports': 108,
  'redirect/wait-replicas': 95,
  'workers/sealed-upgrade': 93,
  'workers/webhook-chaos': 85,
  'clients/clients': 83,
  'cluster/standbys': 82,
  'api/conversions': 78,
  'api/import-files': 75,
  'workers/secrets': 74,
  'api/live': 73,
  'workers/destinations': 72,
  bench: 70,
  'redirect/hostile-pages': 66,
  'workers/memory-of-images': 65,
  'workers/small': 56,
  'api/abuse-reports': 55,
  'workers/killed-writes': 54,
  'workers/twice': 52,
  'api/https': 51,
  'redirect/redirect': 51,
  'workers/event-blocks': 49,
  'api/qr': 46,
  'unit/regular-expressions': 45,
  'workers/error-data': 38,
  'api/http': 37,
  'console/views': 37,
  'api/sealed': 36,
  'redirect/decisions': 34,
  'unit/qr-drawing': 34,
  'api/oidc': 33,
  'api/exports': 32,
  'workers/private-servers': 32,
  'api/imports': 30,
  'api/idempotency': 28,
  'redirect/hostile-requests': 28,
  'api/blocked-hosts': 27,
  'api/webhook-deliveries': 27,
  'api/notifications': 26,
  'workers/upkeep': 26,
  'unit/messages': 23,
  'api/metatags': 21,
  'api/audit-log': 20,
  'api/invitations': 20,
  'api/clicks': 19,
  'compat/dub-requests': 19,
  'api/preview-images': 18,
  'cluster/refusals': 18,
  'api/etags': 17,
  'api/imports-from-peers': 17,
  'api/links': 16,
  'api/sessions': 16,
  structure: 15,
  'api/qrcodes': 14,
  'api/search': 14,
  'unit/display-page': 14,
  'api/framing': 13,
  'api/link-filters': 13,
  'compat/shlink': 13,
  deployment: 13,
  'unit/spool': 13,
  'api/tenancy': 12,
  'api/webhooks': 12,
  'redirect/passwords': 12,
  'unit/guarded-fetch': 12,
  'workers/tls': 12,
  'api/me': 11,
  'compat/guards': 11,
  'api/sign-in': 10,
  'api/tag-edits': 10,
  'api/domains': 9,
  'api/proxies': 9,
  'api/roles': 9,
  'redirect/spellings': 9,
  'unit/guarded-addresses': 9,
  'unit/plain-requests': 9,
  'unit/reference': 9,
  'workers/visits': 9,
  'api/keys': 8,
  'api/qrcode-logos': 8,
  'api/settings': 8,
  'api/stats': 8,
};
const USUAL_SECONDS = 4;
/**
 * Parts of the tests that run at the same time: one keeps less than two thirds of a core busy, since most tests wait.
 * Only the first ones have files that need the service of `stack.ts`, which has 15 processes.
 */
const PARTS = { all: 4, withService: 3 };
const LONG_PARTS = { all: 5, withService: 2 };
const SERVICE = path.join(ROOT, 'dist/test/support/stack.js');
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
  await Promise.all(CHECKS.map(check));
  const parts = inParts(filesOf('.test.js'), PARTS);
  if (process.env['TEST_COVERAGE'] === undefined) await testParts('tests', parts, {});
  else await testWithCoverage(parts);
}

async function testLong() {
  setTimeout(endLate, LONGEST_MS).unref();
  const files = filesOf('.long.js');
  // Mocha only warns of files that it does not find.
  const missing = ALONE.filter((file) => !files.includes(file));
  if (missing.length > 0) throw new Error(`No such tests: ${missing.join(', ')}`);
  const others = files.filter((file) => !ALONE.includes(file));
  const parts = inParts(others, LONG_PARTS);
  await Promise.all([testParts('long tests', parts, {}), ...LONG_CHECKS.map(check)]);
  await testParts('long tests, one at a time', [ALONE], {});
}

/** The compiled files of tests with an ending, in order. */
function filesOf(ending) {
  return readdirSync(path.join(ROOT, 'dist/test'), { recursive: true })
    .filter((name) => name.endsWith(ending))
    .map((name) => path.join('dist/test', name))
    .toSorted();
}

/** True if a compiled file of tests imports another, itself or through what it imports. */
function imports(file, other, seen = new Set()) {
  if (seen.has(file)) return false;
  seen.add(file);
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => /^(?:import|export|\}) /.test(line) && line.endsWith(".js';"))
    .map((line) => line.split("'").at(-2))
    .filter((name) => name.startsWith('.'))
    .map((name) => path.resolve(path.dirname(file), name))
    .some((name) => name === other || imports(name, other, seen));
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

/** The name of a compiled file of tests, as SECONDS has it. */
function nameOf(file) {
  const name = path.relative(path.join(ROOT, 'dist/test'), path.resolve(ROOT, file));
  return name.replace(/\.(?:test|long)\.js$/, '');
}

/** Lists of files that take about the same time, each in the order of the files. */
function inParts(files, { all, withService }) {
  const secondsOf = (file) => SECONDS[nameOf(file)] ?? USUAL_SECONDS;
  const parts = Array.from({ length: all }, () => ({ files: new Set(), seconds: 0 }));
  const needing = new Set(files.filter((file) => imports(file, SERVICE)));
  // The others come last, since they fit into every list.
  const inOrder = files.toSorted(
    (a, b) => needing.has(b) - needing.has(a) || secondsOf(b) - secondsOf(a),
  );
  for (const file of inOrder) {
    const shortest = parts
      .slice(0, needing.has(file) ? withService : all)
      .reduce((a, b) => (a.seconds <= b.seconds ? a : b));
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

/** Runs mocha once for each list of files, all at the same time, each with servers of its own. */
async function testParts(name, parts, env) {
  const runs = await timed(name, () =>
    Promise.all(parts.map((files, index) => runMocha(files, env, index > 0))),
  );
  for (const run of runs) count(run);
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
