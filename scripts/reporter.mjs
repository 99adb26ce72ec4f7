import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { reporters } from 'mocha';

// The only file of ours that mocha loads before the tests.
process.setSourceMapsEnabled(true);

/** Files that took less are summed up, in ms. */
const WORTH_A_LINE_MS = 5_000;

/** After so long without an exit, mocha says what keeps its process alive, in ms. */
const LINGERING_MS = 20_000;

/**
 * Mocha's `spec`, which also prints how long each file took, writes the counts and the failures to the file named by
 * TEST_COUNTS (see test.mjs), and on a signal ends after the running test, so that what the tests started is stopped.
 */
export default class Reporter extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => runner.abort());
    const startedAt = new Map();
    const durations = new Map();
    runner.on('suite', (suite) => startedAt.set(suite, Date.now()));
    runner.on('suite end', (suite) => {
      if (!suite.parent?.root || suite.file === undefined) return;
      const file = path.relative(process.cwd(), suite.file).replace(/^dist\/(.*)\.js$/, '$1.ts');
      const ms = Date.now() - startedAt.get(suite);
      durations.set(file, (durations.get(file) ?? 0) + ms);
    });
    const failures = [];
    runner.on('fail', (test, { message }) => {
      const file = test.file ?? test.parent?.file;
      failures.push({ file, title: test.fullTitle(), message });
    });
    runner.once('end', () => {
      printDurations(durations);
      const file = process.env['TEST_COUNTS'];
      if (file) writeFileSync(file, JSON.stringify({ ...this.stats, failed: failures }));
      setTimeout(printActive, LINGERING_MS).unref();
    });
  }
}

function printActive() {
  console.log(`  Still active: ${process.getActiveResourcesInfo().join(', ')}`);
}

/** @param {Map<string, number>} durations milliseconds by file */
function printDurations(durations) {
  const sorted = [...durations].toSorted(([, a], [, b]) => b - a);
  const line = (name, ms) => console.log(`${(ms / 1000).toFixed(1).padStart(8)} s  ${name}`);
  console.log('  Time by file:');
  for (const [file, ms] of sorted) if (ms >= WORTH_A_LINE_MS) line(file, ms);
  const others = sorted.filter(([, ms]) => ms < WORTH_A_LINE_MS);
  line(
    `${others.length} others`,
    others.reduce((sum, [, ms]) => sum + ms, 0),
  );
}
