// Usage: `node scripts/run.mjs <name> …`. Prepares the clone and runs the script with the other
// arguments: its bundle in dist/programs if there is one, or else dist/scripts/<name>.js.
// package.json has `exec` before it, so that npm's signals reach this process and not a shell that
// they would end.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { NotReady, prepare, ROOT } from './prepare.mjs';
import { PROGRAMS } from './programs.mjs';
import { Progress } from './progress.mjs';
import { findRedis } from './redis-program.mjs';

const [name, ...args] = process.argv.slice(2);
/** Other scripts are for development. */
const isProgram = Object.hasOwn(PROGRAMS, name);
// Standard output belongs to the script.
const progress = new Progress(process.stderr);

try {
  const isFirst = !existsSync(path.join(ROOT, 'node_modules'));
  const { REDIS_URL, REDIS_URL_FILE } = process.env;
  if (name === 'start' && isFirst && !REDIS_URL && !REDIS_URL_FILE) fetchRedis();
  await prepare(progress, { withTests: !isProgram });
} catch (error) {
  if (!(error instanceof NotReady)) throw error;
  console.error(error.message);
  process.exit(1);
}

// The script runs in this process, so that signals and the exit code are its own.
const script = path.join(ROOT, 'dist', isProgram ? 'programs' : 'scripts', `${name}.js`);
process.argv = [process.execPath, script, ...args];
process.setSourceMapsEnabled(true);
await import(pathToFileURL(script).href);

/**
 * Unpacks Redis while packages are installed. The script looks for it again, waits for it, and
 * reports failures.
 */
function fetchRedis() {
  findRedis((line) => progress.line(line)).catch(() => {});
}
