// Bundles the programs of the service into dist/programs, with their packages. From two thousand
// single files, a program takes Node three to eight times as much CPU time to start. A separate
// program, since it needs packages.
import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { PROGRAMS } from './programs.mjs';

const ROOT = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const OUTPUT = path.join(ROOT, 'dist', 'programs');

/** Packages that load files from their own folder: native code, programs of threads. */
const BESIDE_FILES = /^(?:sharp|@node-rs\/argon2|msgpackr-extract|piscina)(?:\/|$)/;
/** Packages of other databases that knex supports, which are not installed. */
const NOT_INSTALLED =
  /^(?:better-sqlite3|mariadb|mysql2?|oracledb|pg-native|pg-query-stream|sqlite3|tedious)(?:\/|$)/;
/** The plain JavaScript of `scripts`, which finds the clone by its own location. */
const PLAIN = /^#(?!font-files$)/;

/** Packages of which only the used modules are loaded. Their `package.json` does not say so. */
const WITHOUT_EFFECTS = /node_modules\/(?:bullmq|luxon)\//;

/** Knex reads migrations as single files from a folder. */
const migrations = readdirSync(path.join(ROOT, 'migrations'))
  .filter((name) => name.endsWith('.ts'))
  .map((name) => path.join('migrations', path.basename(name, '.ts')))
  .map((name) => [name, `${name}.ts`]);
/** Programs of threads and child processes, started by a file next to that of their parent. */
const helpers = readdirSync(path.join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => /-(?:process|thread)\.ts$/.test(name))
  .map((name) => [path.basename(name, '.ts'), path.join('src', name)]);

const bundle = await rolldown({
  cwd: ROOT,
  platform: 'node',
  input: { ...PROGRAMS, ...Object.fromEntries([...migrations, ...helpers]) },
  external: [BESIDE_FILES, NOT_INSTALLED, PLAIN],
  tsconfig: path.join(ROOT, 'tsconfig.json'),
  resolve: {
    alias: { '#font-files': path.join(ROOT, 'src/qrcodes/render/font-files.ts') },
    // Of ES modules, unlike CommonJS, unused parts are left out.
    mainFields: ['module', 'main'],
  },
  treeshake: { moduleSideEffects: [{ test: WITHOUT_EFFECTS, sideEffects: false }] },
});
const { output } = await bundle.write({
  dir: OUTPUT,
  format: 'esm',
  sourcemap: true,
  entryFileNames: '[name].js',
  chunkFileNames: '[name].js',
});
/** The script of web pages, small and in one file. It is no program of this machine. */
const pageScript = await rolldown({
  cwd: ROOT,
  platform: 'browser',
  input: { 'page-script': path.join('src', 'page-script', 'script.ts') },
  tsconfig: path.join(ROOT, 'src', 'page-script', 'tsconfig.json'),
  transform: { target: 'es2020' },
});
const { output: pageOutput } = await pageScript.write({
  dir: OUTPUT,
  format: 'iife',
  minify: true,
  entryFileNames: '[name].js',
});
// Files of an earlier build are deleted last, since a running service may start one of its programs
// meanwhile.
const written = new Set([...output, ...pageOutput].map(({ fileName }) => path.normalize(fileName)));
for (const entry of readdirSync(OUTPUT, { recursive: true, withFileTypes: true })) {
  const file = path.join(entry.parentPath, entry.name);
  const name = path.relative(OUTPUT, file).replace(/\.map$/, '');
  if (entry.isFile() && !written.has(name)) rmSync(file);
}
