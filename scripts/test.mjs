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
  { name: 'types of the page script', command: 'tsc', args: ['-p', 'src/page-script'] },
  { name: 'unused code', command: 'knip', args: [] },
  { name: 'reference (Redocly)', command: '../../scripts/check-reference.mjs', args: [] },
];
const LONG_CHECKS = [
  {
    name: 'reference (Spectral)',
    command: 'spectral',
    args: ['lint', 'docs/openapi.json', '--fail-severity=hint'],
  },
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
  'unit/images': 672,
  cli: 413,
  'workers/exports': 413,
  'workers/event-counts': 395,
  'unit/own-fonts': 359,
  newcomer: 358,
  'workers/chaos': 341,
  'workers/upgrades': 308,
  'qr/decode-matrix': 287,
  'api/hostile': 282,
  'docs-commands': 263,
  'fuzz/fuzz': 235,
  'qr/backgrounds': 211,
  'workers/small': 187,
  'workers/payments-shuffled': 179,
  'workers/backup': 178,
  'workers/start-messages': 166,
  'workers/redis-program': 163,
  'api/imports-from-apis': 159,
  'clients/quickstarts': 146,
  'api/workspace-moves': 128,
  'unit/qr-drawing': 126,
  'api/docs': 123,
  'redirect/outages': 121,
  'workers/event-blocks': 121,
  bench: 120,
  'workers/imports': 113,
  'qr/printed-sizes': 112,
  'clients/typescript-client': 111,
  'clients/clients': 109,
  'workers/frozen-redis': 109,
  'workers/webhook-filters': 109,
  'workers/processes': 100,
  'workers/twice': 94,
  'workers/runner': 93,
  'redirect/places': 92,
  'workers/destinations': 91,
  'redirect/reconciled': 90,
  'unit/messages': 85,
  'api/abuse-reports': 83,
  'workers/sealed-upgrade': 83,
  'cluster/sentinel': 82,
  'api/conversions': 74,
  'workers/error-data': 74,
  'api/event-loop': 73,
  'unit/display-page': 72,
  'workers/killed-writes': 70,
  'redirect/wait-replicas': 62,
  'workers/webhook-chaos': 62,
  'workers/queue-shards': 61,
  'cluster/standbys': 59,
  'api/audit-log': 57,
  'redirect/hostile-pages': 56,
  'unit/qr-ideographs': 54,
  'api/live': 52,
  'redirect/redirect': 48,
  'api/sealed': 47,
  'workers/watchdog': 47,
  'api/qr': 45,
  'api/shared-reports': 42,
  structure: 41,
  'workers/secrets': 41,
  'api/admin': 39,
  'workers/memory-of-images': 39,
  'workers/upkeep': 38,
  'unit/qr-gradients': 37,
  'api/webhook-formats': 36,
  'redirect/decisions': 36,
  'workers/webhook-receivers': 36,
  'api/mcp-kills': 35,
  'cluster/refusals': 35,
  'api/idempotency': 34,
  'console/views': 34,
  'api/https': 33,
  'api/import-files': 31,
  'api/oidc': 31,
  'unit/vector-logos': 30,
  'api/notifications': 29,
  'api/webhook-deliveries': 28,
  'compat/dub-requests': 28,
  'compat/guards': 28,
  'unit/guarded-fetch': 28,
  'api/fonts': 27,
  deployment: 27,
  'unit/regular-expressions': 27,
  'workers/private-servers': 27,
  'unit/qr-disc': 26,
  'workers/stopping': 26,
  'api/exports-qrcodes': 23,
  'api/fair-shares': 23,
  'redirect/hostile-requests': 23,
  'workers/events-store': 23,
  'api/qrcode-backgrounds': 22,
  'api/imports': 20,
  docs: 20,
  'unit/qr-backgrounds': 20,
  'api/qrcodes': 19,
  'api/availability': 18,
  'api/tenancy': 18,
  'api/http': 17,
  'api/links': 16,
  'api/metatags': 16,
  'api/webhooks': 16,
  'redirect/prefetch': 16,
  'api/analytics': 15,
  'api/preview-images': 15,
  'compat/shlink': 15,
  'unit/reference': 15,
  'api/blocked-hosts': 14,
  'api/framing': 14,
  'unit/spool': 14,
  'workers/slots': 14,
  'api/clicks': 13,
  'api/invitations': 13,
  'api/settings': 13,
  'api/views': 13,
  'unit/swiss-cross': 13,
  'api/domains': 12,
  'api/exports': 12,
  'api/imports-from-peers': 12,
  'api/periods': 12,
  'api/qrcode-logos': 12,
  'unit/qr-print': 12,
  'api/qrcode-looks': 11,
  'api/sessions': 11,
  'unit/guarded-addresses': 11,
  'unit/qr-scripts': 11,
  'api/cursors': 10,
  'api/etags': 10,
  'api/search': 10,
  'compat/dub': 10,
  'redirect/left-out': 10,
  'unit/qr-guard': 10,
  'api/link-filters': 9,
  'api/members': 9,
  'api/proxies': 9,
  'api/sign-in': 9,
  'api/tag-edits': 9,
  'unit/currency': 9,
  'api/links-bulk': 8,
  'api/me': 8,
  'api/payments': 8,
  'api/roles': 8,
  'redirect/excluded-ips': 8,
  'redirect/passwords': 8,
  'unit/plain-requests': 8,
  'unit/ports': 8,
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
