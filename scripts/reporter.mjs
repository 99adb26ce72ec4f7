import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { reporters } from 'mocha';

// The only file of ours that mocha loads before the tests.
process.setSourceMapsEnabled(true);

/** Files that took less are summed up, in ms. */
const WORTH_A_LINE_MS = 5_000;

/** Time for the process to end by itself once everything that the tests started is stopped, in ms. */
const LINGER_MS = 60_000;

/**
 * Mocha's `spec`, which also prints how long each file took, writes the counts and the failures to the file named by
 * TEST_COUNTS (see test.mjs), and on a signal ends after the running test, so that what the tests started is stopped.
 */
export default class Reporter extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => runner.abort());
    // Mocha ignores these, and emits them a second time.
    const rejected = new WeakSet();
    process.on('unhandledRejection', (reason, promise) => {
      if (rejected.has(promise)) return;
      rejected.add(promise);
      console.error(`Unhandled rejection during "${runner.test?.fullTitle()}":`, reason);
    });
    const startedAt = new Map();
    const durations = new Map();
    runner.on('suite', (suite) => startedAt.set(suite, Date.now()));
    runner.on('suite end', (suite) => {
      if (!suite.parent?.root || suite.file === undefined) return;
      const file = path.relative(process.cwd(), suite.file).replace(/^dist\/(.*)\.js$/, '$1.ts');
      const ms = Date.now() - startedAt.get(suite);
      durations.set(file, (durations.get(file) ?? 0) + ms);
    });
    this.failed = [];
    runner.on('fail', (test, { message }) => {
      this.failed.push({ title: test.fullTitle(), message });
    });
    // Before anything is printed: an error that mocha cannot print must not hide the counts.
    runner.prependOnceListener('end', () => this.writeCounts());
    runner.once('end', () => printDurations(durations));
  }

  /** Called by mocha after the global teardown: nothing that the tests started is left then. */
  done(failures, exit) {
    setTimeout(() => this.endLingering(), LINGER_MS).unref();
    exit(failures);
  }

  /** Ends a process that something keeps alive, as a failed test. */
  endLingering() {
    const open = process.getActiveResourcesInfo().join(', ');
    const message = `something keeps the process of the tests alive: ${open}`;
    this.failed.push({ title: 'The end of the tests', message });
    this.stats.failures += 1;
    this.writeCounts();
    process.exit();
  }

  writeCounts() {
    const file = process.env['TEST_COUNTS'];
    if (file) writeFileSync(file, JSON.stringify({ ...this.stats, failed: this.failed }));
  }
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
