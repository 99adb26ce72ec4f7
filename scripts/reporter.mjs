import { writeFileSync } from 'node:fs';
import { reporters } from 'mocha';

// The only file of ours that mocha loads before the tests.
process.setSourceMapsEnabled(true);

/**
 * Mocha's `spec`, which also writes the counts to the file named by TEST_COUNTS (see test.mjs), and on a signal
 * ends after the running test, so that what the tests started is stopped.
 */
export default class Reporter extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => runner.abort());
    runner.once('end', () => {
      const file = process.env['TEST_COUNTS'];
      if (file) writeFileSync(file, JSON.stringify(this.stats));
    });
  }
}
