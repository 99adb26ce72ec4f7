import { readdirSync } from 'node:fs';
import path from 'node:path';
import { type Db, rows } from './db.ts';
import { ROOT } from './root.ts';

/** Folder of the compiled migrations. Knex records them by these file names. */
export const MIGRATIONS_FOLDER = path.join(ROOT, 'dist', 'programs', 'migrations');

/** Time limit of the database query, in ms. */
const ANSWER_MS = 1_000;
const UNDEFINED_TABLE = '42P01';

/** State of the database schema compared with the one that this version requires. */
export interface SchemaState {
  /** Name of the latest migration in the database; empty if there is none. */
  version: string;
  /** One sentence that describes the problem and the remedy. */
  problem?: string;
  /** True if this version cannot work with the schema. */
  isTooOld: boolean;
}

/** Error when migrations are missing or belong to another version; the message says which. */
export class SchemaTooOld extends Error {}

// One per process, which has one database.
let lastState: SchemaState | undefined;

/** Returns the schema as last read, for `/readyz`; an empty object before that. */
export function schemaNote(): { schema?: Omit<SchemaState, 'isTooOld'> } {
  if (lastState === undefined) return {};
  const { isTooOld: _, ...schema } = lastState;
  return { schema };
}

/**
 * Reads the schema version. A database that does not answer changes nothing, because other checks
 * report it.
 *
 * @param report is called with a problem when it is first found
 * @throws SchemaTooOld when migrations are missing
 */
export async function checkSchema(
  db: Db,
  report: (problem: string, isTooOld: boolean) => void,
): Promise<void> {
  let applied: string[];
  try {
    applied = await appliedMigrations(db, ANSWER_MS);
  } catch {
    return;
  }
  const state = compareSchema(applied, knownMigrations());
  const { problem, isTooOld } = state;
  if (problem !== undefined && problem !== lastState?.problem) report(problem, isTooOld);
  lastState = state;
  if (isTooOld) throw new SchemaTooOld(problem);
}

/** @param known names of this version's migrations, in order */
export function compareSchema(applied: readonly string[], known: readonly string[]): SchemaState {
  const version = applied.toSorted().at(-1) ?? '';
  if (version === '') {
    return { version, problem: 'the database has no schema: npm run migrate', isTooOld: true };
  }
  const missing = known.filter((name) => !applied.includes(name));
  if (missing.length > 0) {
    const subject = missing.length === 1 ? 'migration' : 'migrations';
    const verb = missing.length === 1 ? 'has' : 'have';
    const problem = `${subject} ${missing.join(', ')} ${verb} not been run: npm run migrate`;
    return { version, problem, isTooOld: true };
  }
  const unknown = applied.filter((name) => !known.includes(name));
  if (unknown.length === 0) return { version, isTooOld: false };
  const problem = `the schema is newer than this version, which does not know ${unknown.join(', ')}: run the version that migrated it`;
  return { version, problem, isTooOld: false };
}

/**
 * Lists the migrations of a database, in order; none if it has no schema.
 *
 * @param timeoutMs time limit of the query; 0 uses the limit of the connection
 */
export async function appliedMigrations(db: Db, timeoutMs = 0): Promise<string[]> {
  try {
    const migrations = await rows<{ name: string }>(
      db,
      'SELECT name FROM knex_migrations ORDER BY name',
      [],
      timeoutMs,
    );
    return migrations.map(({ name }) => bare(name));
  } catch (error) {
    if ((error as { code?: unknown }).code === UNDEFINED_TABLE) return [];
    throw error;
  }
}

// The files of a version do not change.
let cachedMigrations: string[] | undefined;

/** Lists the migrations of this version, in order. */
export function knownMigrations(): string[] {
  cachedMigrations ??= readdirSync(MIGRATIONS_FOLDER)
    .filter((file) => file.endsWith('.js'))
    .map(bare)
    .toSorted();
  return cachedMigrations;
}

const bare = (file: string): string => file.replace(/\.js$/, '');
