import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { SetupError } from '../scripts/embedded/servers.ts';
import {
  addOutcome,
  compareReports,
  newReport,
  readReport,
  showReport,
  writeReport,
} from './report.ts';
import { type BenchOptions, NAMES, type Name, type Outcome } from './rows.ts';

const USAGE = `Usage:
  npm run bench -- [NAME …] [--rounds 5] [--minutes 5] [--json FILE]
                                                         measure, all without a name, and print the table
  npm run bench -- --table FILE …                        print the table of files that --json wrote
  npm run bench -- --compare OLD.json NEW.json           print the differences
Names: ${NAMES.join(', ')}`;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: '5' },
      minutes: { type: 'string', default: '5' },
      json: { type: 'string' },
      table: { type: 'boolean', default: false },
      compare: { type: 'boolean', default: false },
    },
  });
  if (values.table) {
    if (positionals.length === 0) throw new SetupError(USAGE);
    console.log(positionals.map((file) => showReport(readReport(file))).join('\n\n'));
  } else if (values.compare) {
    const [before, after] = positionals;
    if (after === undefined || positionals.length > 2) throw new SetupError(USAGE);
    console.log(compareReports(readReport(before!), readReport(after)));
  } else {
    const [rounds, minutes] = [Number(values.rounds), Number(values.minutes)];
    const names = positionals.length === 0 ? NAMES : positionals;
    if (!isNames(names) || !Number.isInteger(rounds) || rounds < 1 || !(minutes > 0)) {
      throw new SetupError(USAGE);
    }
    await measure(names, { rounds, minutes }, values.json);
  }
}

const isNames = (names: readonly string[]): names is Name[] =>
  names.every((name) => (NAMES as readonly string[]).includes(name));

/**
 * Runs benchmarks one after the other. The file is written after each, so that a later failure
 * loses nothing.
 */
async function measure(
  names: readonly Name[],
  options: BenchOptions,
  json?: string,
): Promise<void> {
  const report = newReport();
  for (const name of names) {
    console.error(`${name} …`);
    const outcome = await inProcess(name, options);
    if (outcome === undefined) process.exitCode = 1;
    else addOutcome(report, name, outcome);
    if (json !== undefined) writeReport(json, report);
  }
  console.log(showReport(report));
}

/**
 * Runs a benchmark in a separate process, which shares no settings, connections or memory with
 * others.
 */
async function inProcess(name: Name, options: BenchOptions): Promise<Outcome | undefined> {
  const child = fork(fileURLToPath(import.meta.resolve('./one.js')), [
    name,
    JSON.stringify(options),
  ]);
  let outcome: Outcome | undefined;
  child.on('message', (message: Outcome) => (outcome = message));
  await once(child, 'exit');
  return outcome;
}

try {
  await main();
} catch (error) {
  const { code = '' } = error as NodeJS.ErrnoException;
  const isMisused = code.startsWith('ERR_PARSE_ARGS_');
  console.error(isMisused ? USAGE : error instanceof SetupError ? error.message : error);
  process.exitCode = 1;
}
