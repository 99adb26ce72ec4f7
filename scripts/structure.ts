import { readFileSync } from 'node:fs';
import { sourceFiles } from './source-files.ts';
import { measureWalks, type Walks } from './walks.ts';

/*
 * Usage: `npm run structure`. Measures how far apart related code is: the files that a request
 * passes, and the lines that name a thing of a kind. With `--check` it fails if a figure exceeds
 * its limit. docs/structure.md has the figures and their goals.
 */

interface Figure {
  name: string;
  /** Lowered when the code improves; raising it needs a reason in the commit. */
  limit: number;
  measure(walks: Walks): number;
}

/** The frame of the processes, which every request passes, whatever it is about. */
const FRAME = /^src\/(api|http|infra|jobs|queues|visitors)\/|^src\/[\w-]+\.ts$|\/main\.ts$/;

const walk = (title: string, name: keyof Walks, limit: number): Figure => ({
  name: `files of ${title}`,
  limit,
  measure: (walks) => walks[name].filter((file) => !FRAME.test(file)).length,
});

/**
 * Counts the lines of the server that a new thing of a kind would need.
 *
 * @param sample matches the lines that name an existing one
 */
const places = (kind: string, sample: RegExp, limit: number): Figure => ({
  name: `lines that name ${kind}`,
  limit,
  measure: () =>
    [...sourceFiles('src', 'workers'), 'Procfile']
      .flatMap((file) => readFileSync(file, 'utf8').split('\n'))
      .filter((line) => sample.test(line) && !/^\s*(\/\/|\/?\*)/.test(line)).length,
});

const FIGURES: Figure[] = [
  walk('a write (POST /links)', 'write', 25),
  walk('a read (GET /links/{id})', 'read', 10),
  walk('a redirect', 'redirect', 14),
  walk('a click, in worker_clicks', 'click', 13),
  places('a field of links and QR codes', /notificationToken|notification_token/, 2),
  places('a kind of event', /'scans?'|\bscans?:/, 4),
  places('a kind of webhook event', /qrcode\.scanned/, 2),
  places('a content type of QR codes', /\bfacetime\b/, 9),
  places('an analytics group', /\breferer_urls\b/, 1),
  places('a queue', /CURRENCY_CONCURRENCY|'currency'|\bcurrency: [{(]|worker_currency/, 10),
];

const walks = await measureWalks();
const isVerbose = process.argv.includes('--files');
for (const [name, files] of Object.entries(walks)) {
  if (isVerbose) console.log([name, ...files.map((file) => `  ${file}`)].join('\n'));
}
let exceeded = 0;
for (const { name, limit, measure } of FIGURES) {
  const figure = measure(walks);
  const isAbove = figure > limit;
  if (isAbove) exceeded += 1;
  console.log(
    `${String(figure).padStart(4)} of ${String(limit).padStart(3)}  ${name}${isAbove ? '  ✖ above the limit' : ''}`,
  );
}
if (exceeded > 0) {
  console.log(
    'docs/structure.md says how each figure is measured, and scripts/structure.ts has the limits; --files lists the files of each request.',
  );
}
if (process.argv.includes('--check') && exceeded > 0) process.exitCode = 1;
