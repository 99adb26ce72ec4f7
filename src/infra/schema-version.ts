import { readdirSync } from 'node:fs';
import path from 'node:path';
import { type Db, rows } from './db.ts';
import { ROOT } from './root.ts';

/** The compiled migrations of this version. Knex records them by these names. */
export const MIGRATIONS_FOLDER = path.join(ROOT, 'dist', 'programs', 'migrations');

/** Longest time that the database may take to answer, in ms. */
const ANSWER_MS = 1_000;
const UNDEFINED_TABLE = '42P01';

/** The schema of the database, compared with the one that this version was written for. */
export interface SchemaState {
  /** The database's latest migration; empty where there is none. */
  version: string;
  /** One sentence with the remedy. */
  problem?: string;
  /** True if this version cannot work with the schema. */
  isTooOld: boolean;
}

/** The migration has not been run, or others have not: the message says which. */
export class SchemaTooOld extends Error {}

// One per process, which has one database.
let lastState: SchemaState | undefined;

/** The schema as it was last read, for `/readyz`; nothing before that. */
export function schemaNote(): { schema?: Omit<SchemaState, 'isTooOld'> } {
  if (lastState === undefined) return {};
  const { isTooOld: _, ...schema } = lastState;
  return { schema };
}

/**
 * Reads the schema's version. A database that does not answer changes nothing: other checks tell that.
 *
 * @param report receives a problem when it is first found
 * @throws SchemaTooOld where migrations are missing
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
 * Names of the migrations that a database has, in order; none where it has no schema.
 *
 * @param timeoutMs longest time until its answer; 0: as long as the connection allows
 */
export async function appliedMigrations(db: Db, timeoutMs = 0): Promise<string[]> {
  try {
    const found = await rows<{ name: string }>(
      db,
      'SELECT name FROM knex_migrations ORDER BY name',
      [],
      timeoutMs,
    );
    return found.map(({ name }) => bare(name));
  } catch (error) {
    if ((error as { code?: unknown }).code === UNDEFINED_TABLE) return [];
    throw error;
  }
}

// The files of a version do not change.
let known: string[] | undefined;

/** Names of the migrations of this version, in order. */
export function knownMigrations(): string[] {
  known ??= readdirSync(MIGRATIONS_FOLDER)
    .filter((file) => file.endsWith('.js'))
    .map(bare)
    .toSorted();
  return known;
}

const bare = (file: string): string => file.replace(/\.js$/, '');
