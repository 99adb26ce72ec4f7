// `node scripts/run.mjs <name> …` makes the clone ready and runs dist/scripts/<name>.js with the other arguments.
// package.json has `exec` before it: npm's signals must reach this process, not a shell that dies of them.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { NotReady, prepare, ROOT } from './prepare.mjs';

const [name, ...args] = process.argv.slice(2);

try {
  // Standard output belongs to the script.
  await prepare((line) => console.error(line));
} catch (error) {
  if (!(error instanceof NotReady)) throw error;
  console.error(error.message);
  process.exit(1);
}

// In this process, so that signals and the exit code are the script's own.
const script = path.join(ROOT, 'dist', 'scripts', `${name}.js`);
process.argv = [process.execPath, script, ...args];
process.setSourceMapsEnabled(true);
await import(pathToFileURL(script).href);
