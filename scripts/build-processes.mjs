// Bundles the processes of the Procfile into dist/processes, with the packages that they use. Node needs four to eight times
// as much CPU time to start one from its two thousand single files. A program of its own, since it needs packages.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { PROCESSES } from './processes.mjs';

const ROOT = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const OUTPUT = path.join(ROOT, 'dist', 'processes');

/** Packages with native code, which find it beside their own files. */
const NATIVE = /^(?:sharp|@node-rs\/argon2|msgpackr-extract)(?:\/|$)/;
/** Databases that knex supports as well, the packages of which are not installed. */
const NOT_INSTALLED =
  /^(?:better-sqlite3|mariadb|mysql2?|oracledb|pg-native|pg-query-stream|sqlite3|tedious)(?:\/|$)/;

/** Programs of threads and child processes, which processes start by a file beside their own. */
const helpers = readdirSync(path.join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => /-(?:process|thread)\.ts$/.test(name))
  .map((name) => [path.basename(name, '.ts'), path.join('src', name)]);

const bundle = await rolldown({
  cwd: ROOT,
  platform: 'node',
  input: { ...PROCESSES, ...Object.fromEntries(helpers) },
  external: [NATIVE, NOT_INSTALLED],
  tsconfig: path.join(ROOT, 'tsconfig.json'),
  resolve: { alias: { '#font-files': path.join(ROOT, 'src/qrcodes/render/font-files.ts') } },
});
if (existsSync(OUTPUT)) rmSync(OUTPUT, { recursive: true });
await bundle.write({
  dir: OUTPUT,
  format: 'esm',
  sourcemap: true,
  entryFileNames: '[name].js',
  chunkFileNames: '[name].js',
});
