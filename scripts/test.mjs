// `npm test` makes the clone ready, runs the static checks, then the tests (`*.test.ts`). `npm run test:long` runs the
// tests that take longer (`*.long.ts`): outages, killed processes, upgrades, every command of the guides. With arguments,
// which go to mocha, only mocha runs. With TEST_COVERAGE (`npm run test:coverage`), the lines of `src` that run are
// measured as well, at the cost of speed. The last line is always "N passed, N failed"; a check is one of the N.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
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
  'fuzz/fuzz',
  'workers/slots',
  'workers/stopping',
  'workers/watchdog',
  'workers/webhook-receivers',
].map((name) => `dist/test/${name}.long.js`);
/** Seconds of the files that take longest, by which the parts that run at the same time get their files. */
const SECONDS = {
  'workers/backup': 430,
  cli: 424,
  'docs-commands': 398,
  'workers/event-counts': 395,
  'clients/examples': 301,
  'workers/upgrades': 284,
  'unit/images': 264,
  newcomer: 258,
  'clients/typescript-client': 254,
  'fuzz/fuzz': 225,
  'qr/decode-matrix': 218,
  'workers/payments-shuffled': 179,
  'workers/start-messages': 179,
  'qr/printed-sizes': 177,
  'api/hostile': 169,
  'clients/clients': 146,
  'api/docs': 141,
  'workers/chaos': 140,
  'workers/processes': 139,
  'workers/bulk-changes': 125,
  'workers/event-blocks': 121,
  'api/imports-from-apis': 118,
  'workers/imports': 113,
  bench: 112,
  'workers/scheduled-chaos': 109,
  'workers/webhook-filters': 109,
  'unit/own-fonts': 108,
  'clients/quickstarts': 107,
  'workers/runner': 104,
  'workers/small': 102,
  'workers/queue-shards': 101,
  'workers/twice': 94,
  'api/workspace-moves': 89,
  'redirect/outages': 85,
  'cluster/sentinel': 80,
  'redirect/places': 76,
  'api/event-loop': 73,
  'workers/killed-writes': 70,
  'api/bulk-changes': 69,
  'workers/sealed-upgrade': 69,
  'cluster/standbys': 68,
  'console/views': 66,
  'workers/exports': 66,
  structure: 65,
  'workers/destinations': 65,
  'unit/qr-ideographs': 63,
  'api/abuse-reports': 62,
  'workers/frozen-redis': 60,
  'workers/redis-program': 60,
  'api/history': 57,
  'api/audit-log': 56,
  'workers/secrets': 55,
  'workers/webhook-chaos': 55,
  'qr/random-codes': 52,
  'workers/watchdog': 47,
  'qr/backgrounds': 46,
  'unit/qr-drawing': 45,
  'workers/error-data': 44,
  'unit/regular-expressions': 43,
  'workers/memory-of-images': 39,
  'api/sealed': 36,
  'workers/webhook-receivers': 36,
  'api/conversions': 35,
  'api/live': 34,
  'cluster/refusals': 34,
  'api/destination-kinds': 33,
  'redirect/decisions': 32,
  'api/admin': 31,
  'api/icons': 31,
  'api/idempotency': 31,
  'redirect/wait-replicas': 31,
  'api/https': 30,
  'redirect/reconciled': 30,
  'redirect/redirect': 30,
  'api/analytics': 29,
  'api/report-mails': 29,
  'unit/display-page': 28,
  'workers/upkeep': 28,
  'api/customer-pages': 27,
  'redirect/prefetch': 27,
  'unit/messages': 27,
  'unit/qr-gradients': 26,
  'workers/stopping': 26,
  'api/import-files': 25,
  'api/limited-lists': 25,
  'api/passkeys': 25,
  'api/cursors': 24,
  'api/fair-shares': 23,
  'api/mcp-kills': 23,
  'api/fonts': 22,
  'api/scheduled-changes': 22,
  'api/destinations': 21,
  'api/exports-qrcodes': 21,
  'api/oidc-groups': 21,
  'api/webhook-formats': 21,
  'workers/private-servers': 21,
  'api/oidc': 19,
  'api/trash': 19,
  deployment: 19,
  'unit/qr-flat-pictures': 19,
  'api/availability': 18,
  'api/notifications': 18,
  'redirect/hostile-pages': 18,
  'unit/vector-logos': 18,
  'api/qr': 17,
  'api/webhook-deliveries': 17,
  docs: 17,
  'unit/guarded-fetch': 17,
  'api/exports': 16,
  'workers/events-store': 16,
  'api/imports': 15,
  'api/destination-tests': 14,
  'api/shared-reports': 14,
  'api/tenancy': 14,
  'unit/qr-guard': 14,
  'workers/slots': 14,
  'api/sessions': 13,
  'compat/dub-requests': 13,
  'compat/shlink': 13,
  'unit/qr-disc': 13,
  'unit/qr-scripts': 13,
  'api/customer-lists': 12,
  'redirect/simulate': 12,
  'unit/reference': 12,
  'api/clicks': 11,
  'api/qrcode-logos': 11,
  'api/etags': 10,
  'api/imports-from-peers': 10,
  'api/invitations': 10,
  'api/metatags': 10,
  'api/publishable-keys': 10,
  'compat/guards': 10,
  'redirect/hostile-requests': 10,
  'unit/block-codes': 10,
  'workers/telemetry': 10,
  'api/http': 9,
  'api/members': 9,
  'api/proxies': 9,
  'api/qrcodes': 9,
  'api/webhooks': 9,
  'unit/examples': 9,
  'unit/guarded-addresses': 9,
  'unit/qr-print': 9,
  'api/blocked-hosts': 8,
  'api/limits': 8,
  'api/links': 8,
  'api/links-bulk': 8,
  'api/me': 8,
  'api/member-limits': 8,
  'api/preview-images': 8,
  'api/qrcode-backgrounds': 8,
  kubernetes: 8,
  'unit/mmdb-file': 8,
  'unit/spool': 8,
  'api/counts-without-events': 7,
  'api/framing': 7,
  'redirect/spellings': 7,
  'unit/platforms': 7,
  'unit/qr-matrix': 7,
  'workers/tls': 7,
  'api/customer-merges': 6,
  'api/domains': 6,
  'api/payments': 6,
  'api/qrcode-looks': 6,
  'api/views': 6,
  'compat/dub': 6,
  'compat/yourls': 6,
  'redirect/left-out': 6,
  'redirect/pages-before': 6,
  'redirect/passwords': 6,
  'redirect/traffic': 6,
  'unit/console-texts': 6,
  'unit/qr-eyes': 6,
  'workers/visitors': 6,
  'api/mcp': 5,
  'api/oauth': 5,
  'api/password-resets': 5,
  'api/search': 5,
  'api/second-factors': 5,
  'redirect/excluded-ips': 5,
  'unit/currency': 5,
  'unit/licenses': 5,
  'unit/mail-times': 5,
  'unit/plain-requests': 5,
  'unit/qr-backgrounds': 5,
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
/** Lines of the output of a mocha that ended early which are printed again at the end. */
const LAST_LINES = 40;
/** Time limit of a run of all tests, in ms: what runs then is ended, and the counts tell what had run. */
const LONGEST_MS = 64 * 60_000;

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

function count({ code, stats, lastLines }) {
  counts.passed += stats?.passes ?? 0;
  counts.skipped += stats?.pending ?? 0;
  // Mocha can also fail without a failed test: a file that does not load, a stack that does not start.
  const ended = `with exit code ${code}, after printing:\n${lastLines}`;
  if (stats === undefined) failures.push(`mocha ended before its tests, ${ended}`);
  else if (code !== 0 && stats.failures === 0) failures.push(`mocha ended ${ended}`);
  counts.failed += stats?.failures || (code === 0 && stats ? 0 : 1);
  for (const { title, message } of stats?.failed ?? []) failures.push(`${title}: ${message}`);
}

/**
 * Its exit code, the end of its output unless a terminal shows that, and what the reporter wrote, which is missing when
 * mocha could not run to its end.
 */
async function runMocha(mochaArgs, env, isPrintedLater = false) {
  const folder = mkdtempSync(path.join(tmpdir(), 'test-counts-'));
  const file = path.join(folder, 'counts.json');
  const output = [];
  const take = (bytes) => {
    output.push(bytes);
    if (!isPrintedLater) process.stdout.write(bytes);
  };
  try {
    const isPiped = isPrintedLater || !process.stdout.isTTY;
    const code = await spawnMocha(mochaArgs, file, env, isPiped ? take : undefined);
    const text = Buffer.concat(output).toString();
    if (isPrintedLater) process.stdout.write(text);
    const stats = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
    return { code, stats, lastLines: text.split('\n').slice(-LAST_LINES).join('\n') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @param take receives the output; without it, the terminal does */
function spawnMocha(mochaArgs, countsFile, env, take) {
  const output = take === undefined ? 'inherit' : 'pipe';
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
  for (const stream of [mocha.stdout, mocha.stderr]) stream?.on('data', take);
  return new Promise((resolve) => {
    // Not 'exit', after which output can follow.
    mocha.on('close', (code) => {
      running.delete(mocha);
      resolve(code ?? 1);
    });
  });
}
