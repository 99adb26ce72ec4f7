// Builds the console into dist/console, unless its inputs are unchanged. A separate program, since
// it needs packages. Prints the size of the first view, and fails if that exceeds its budget.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const ROOT = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const SOURCES = path.join(ROOT, 'src', 'console');
const OUTPUT = path.join(ROOT, 'dist', 'console');
/** Inputs of the last build: their files, and a hash over all. */
const RECORD = path.join(ROOT, 'dist', 'console.json');
/**
 * The entry, and the view that most people see first. The budget of their scripts is in bytes after
 * gzip.
 */
const FIRST_VIEW = ['index.html', 'app/shell.tsx', 'links/page.tsx'];
const BUDGET = 200_000;
/** Other files gain nothing by compression. */
const COMPRESSED = /\.(?:css|html|js|json|svg)$/;

const filesIn = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name))
    .toSorted();

/** Hashes the sources, and the server's files that the console uses. */
function hashOf(outside) {
  const hash = createHash('sha256');
  const files = [
    ...filesIn(SOURCES),
    fileURLToPath(import.meta.url),
    path.join(ROOT, 'package-lock.json'),
    ...outside.map((file) => path.join(ROOT, file)),
  ];
  for (const file of files) {
    hash.update(`${path.relative(ROOT, file)}\n`);
    hash.update(existsSync(file) ? readFileSync(file) : 'missing');
  }
  return hash.digest('hex');
}

function isBuilt() {
  if (!existsSync(RECORD) || !existsSync(path.join(OUTPUT, 'index.html'))) return false;
  const { outside, hash } = JSON.parse(readFileSync(RECORD, 'utf8'));
  return hash === hashOf(outside);
}

/** Paths of the server's files among the modules of the build. */
const outside = new Set();
const recorder = {
  name: 'recorder',
  buildEnd() {
    for (const id of this.getModuleIds()) {
      const file = id.split('?')[0];
      const isOurs = file.startsWith(path.join(ROOT, 'src')) && !file.startsWith(SOURCES);
      if (isOurs) outside.add(path.relative(ROOT, file));
    }
  },
};

/**
 * Returns the scripts that the browser loads before it shows a view: those of its chunks, and their
 * imports.
 */
function scriptsOf(manifest, names, found = new Set()) {
  for (const name of names) {
    const chunk = manifest[name];
    if (chunk === undefined) throw new Error(`${name} has no chunk of its own`);
    if (found.has(chunk.file)) continue;
    found.add(chunk.file);
    scriptsOf(manifest, chunk.imports ?? [], found);
  }
  return found;
}

const kilobytes = (bytes) => `${(bytes / 1000).toFixed(1)} KB`;

if (!isBuilt()) {
  // Loaded here, since it takes half a second.
  const { build } = await import('vite');
  await build({
    configFile: path.join(SOURCES, 'vite.config.ts'),
    logLevel: 'warn',
    plugins: [recorder],
  });
  const sizes = new Map();
  for (const file of filesIn(OUTPUT).filter((name) => COMPRESSED.test(name))) {
    const content = readFileSync(file);
    const gzip = gzipSync(content, { level: 9 });
    sizes.set(path.relative(OUTPUT, file), gzip.length);
    writeFileSync(`${file}.gz`, gzip);
    // The best quality saves a tenth more, and takes thirty times as long: most of a first start.
    const params = { [constants.BROTLI_PARAM_QUALITY]: 5 };
    writeFileSync(`${file}.br`, brotliCompressSync(content, { params }));
  }
  const manifest = JSON.parse(readFileSync(path.join(OUTPUT, 'manifest.json'), 'utf8'));
  const first = [...scriptsOf(manifest, FIRST_VIEW)];
  const size = first.reduce((sum, file) => sum + sizes.get(file), 0);
  for (const file of first) console.log(`${kilobytes(sizes.get(file)).padStart(10)}  ${file}`);
  console.log(`${kilobytes(size).padStart(10)}  script of the first view, after gzip`);
  if (size > BUDGET) {
    console.error(`The first view must load at most ${kilobytes(BUDGET)} of script.`);
    process.exit(1);
  }
  const files = [...outside];
  writeFileSync(RECORD, JSON.stringify({ outside: files, hash: hashOf(files) }));
}
