// `npm test`: makes the clone ready, runs the static checks, then mocha. With arguments, which go to mocha, the
// static checks are left out. The last line is always "N passed, N failed"; a static check is one of the N.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { NotReady, prepare, ROOT, run } from './prepare.mjs';

const CHECKS = [
  { name: 'format', command: 'biome', args: ['check'] },
  { name: 'lint', command: 'oxlint', args: ['--type-aware'] },
  { name: 'unused code', command: 'knip', args: [] },
];
/** How long mocha may take to end after its last test, in ms. */
const LINGER_MS = 60_000;

const args = process.argv.slice(2);
const counts = { passed: 0, failed: 0, skipped: 0 };

// A signal ends mocha, which cleans up; the counts are still printed.
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    mocha?.kill(signal);
    process.exitCode = 1;
  });
}
let mocha;

try {
  await prepare((line) => console.log(line));
  if (args.length === 0) await check();
  await test();
} catch (error) {
  counts.failed += 1;
  console.error(error instanceof NotReady ? error.message : error);
}
if (counts.failed > 0) process.exitCode = 1;
const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : '';
console.log(`${counts.passed} passed, ${counts.failed} failed${skipped}`);

async function check() {
  for (const { name, command, args } of CHECKS) {
    const { code, output } = await run(path.join(ROOT, 'node_modules', '.bin', command), args);
    counts[code === 0 ? 'passed' : 'failed'] += 1;
    console.log(code === 0 ? `✔ ${name}` : `✖ ${name}\n${output}`);
  }
}

async function test() {
  const folder = mkdtempSync(path.join(tmpdir(), 'test-counts-'));
  const file = path.join(folder, 'counts.json');
  try {
    const code = await runMocha(file);
    const stats = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
    counts.passed += stats?.passes ?? 0;
    counts.skipped += stats?.pending ?? 0;
    // Mocha can also fail without a failed test: a file that does not load, a stack that does not start.
    counts.failed += stats?.failures || (code === 0 && stats ? 0 : 1);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function runMocha(countsFile) {
  const named = args.some((arg) => arg.endsWith('.js'));
  mocha = spawn(
    process.execPath,
    ['node_modules/mocha/bin/mocha.js', ...(named ? [] : ['dist/test/**/*.test.js']), ...args],
    { cwd: ROOT, stdio: 'inherit', env: { ...process.env, TEST_COUNTS: countsFile } },
  );
  let endedAt;
  const watch = setInterval(() => {
    if (existsSync(countsFile)) endedAt ??= Date.now();
    if (endedAt === undefined || Date.now() - endedAt < LINGER_MS) return;
    console.error(
      `The tests are over, but something keeps their process alive: ended after ${LINGER_MS} ms.`,
    );
    mocha.kill('SIGKILL');
  }, 1000);
  return new Promise((resolve) => {
    mocha.on('exit', (code) => {
      clearInterval(watch);
      resolve(code ?? 1);
    });
  });
}
