// Builds the console into dist/console, unless its inputs are unchanged. A separate program, since
// it needs packages. Prints the script of some views, and fails if that exceeds its budget.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { texts } from './texts/plugin.mjs';

const [brotli, gzip] = [promisify(zlib.brotliCompress), promisify(zlib.gzip)];

const ROOT = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const SOURCES = path.join(ROOT, 'src', 'console');
/** Programs that put look-ups in place of texts. */
const TEXTS = path.join(ROOT, 'scripts', 'texts');
const OUTPUT = path.join(ROOT, 'dist', 'console');
/** Inputs of the last build: their files, and a hash over all. */
const RECORD = path.join(ROOT, 'dist', 'console.json');
/** The entry, and the frame around each view. */
const FRAME = ['index.html', 'app/shell.tsx'];
/** Budgets of the script that the browser loads for a view, in bytes as Brotli compresses it. */
const BUDGETS = {
  'links/page.tsx': 165_000,
  'analytics/page.tsx': 200_000,
  'qrcodes/designer-page.tsx': 250_000,
};
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
    ...filesIn(TEXTS),
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
    plugins: [texts(), recorder],
  });
  const manifest = JSON.parse(readFileSync(path.join(OUTPUT, 'manifest.json'), 'utf8'));
  const views = Object.entries(BUDGETS).map(([view, budget]) => ({
    view,
    budget,
    scripts: [...scriptsOf(manifest, [...FRAME, view])],
  }));
  const budgeted = new Set(views.flatMap(({ scripts }) => scripts));
  const sizes = new Map();
  const compress = async (file) => {
    const name = path.relative(OUTPUT, file);
    const content = readFileSync(file);
    // The best quality saves a tenth more, and takes thirty times as long: for all files, most of a
    // first start. So it is for the script of the views with a budget.
    const params = { [zlib.constants.BROTLI_PARAM_QUALITY]: budgeted.has(name) ? 11 : 5 };
    const [asGzip, asBrotli] = await Promise.all([
      gzip(content, { level: 9 }),
      brotli(content, { params }),
    ]);
    sizes.set(name, asBrotli.length);
    writeFileSync(`${file}.gz`, asGzip);
    writeFileSync(`${file}.br`, asBrotli);
  };
  await Promise.all(
    filesIn(OUTPUT)
      .filter((name) => COMPRESSED.test(name))
      .map(compress),
  );
  for (const { view, budget, scripts } of views) {
    const size = scripts.reduce((sum, file) => sum + sizes.get(file), 0);
    console.log(`${kilobytes(size).padStart(10)}  script of ${view}, at most ${kilobytes(budget)}`);
    if (size > budget) process.exitCode = 1;
  }
  if (process.exitCode === 1) {
    console.error('A view loads more script than its budget: load what it need not have later.');
    process.exit();
  }
  const files = [...outside];
  writeFileSync(RECORD, JSON.stringify({ outside: files, hash: hashOf(files) }));
}
