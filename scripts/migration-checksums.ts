import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = 'migrations';
const FILE = path.join(FOLDER, 'checksums.json');

/** SHA-256 of the files of `migrations/`, by name. */
type Checksums = Record<string, string>;

/** Checksums of the landed migrations. */
export function landedChecksums(): Checksums {
  return JSON.parse(readFileSync(FILE, 'utf8')) as Checksums;
}

/** Checksums of the present files. */
export function presentChecksums(): Checksums {
  const names = readdirSync(FOLDER).filter((name) => name.endsWith('.ts'));
  return Object.fromEntries(
    names.toSorted().map((name) => {
      const content = readFileSync(path.join(FOLDER, name));
      return [name, createHash('sha256').update(content).digest('hex')];
    }),
  );
}

/**
 * Returns the names of new migrations, and of those that are missing or differ from their
 * checksums.
 */
export function compareChecksums(present: Checksums, landed: Checksums) {
  return {
    added: Object.keys(present).filter((name) => !(name in landed)),
    changed: Object.keys(landed).filter((name) => present[name] !== landed[name]),
  };
}

/** Advice for migrations that differ from their checksums. */
export const CHANGED_ADVICE =
  'If it is on the main branch, take the change back and write a new migration; if not, delete its line of ' +
  'migrations/checksums.json, and run `npm run migrations:freeze`';

// `npm run migrations:freeze`: adds the checksums of new migrations, and changes none that is
// there.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [present, landed] = [presentChecksums(), landedChecksums()];
  const { added, changed } = compareChecksums(present, landed);
  const sorted = Object.entries({ ...present, ...landed }).toSorted(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
  console.log(
    added.length === 0 ? 'There is no new migration' : `Added the checksum of ${added.join(', ')}`,
  );
  for (const name of changed) {
    console.error(`${name} differs from its checksum, or is missing. ${CHANGED_ADVICE}.`);
    process.exitCode = 1;
  }
}
