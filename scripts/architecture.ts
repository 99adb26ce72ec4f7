import { readFileSync } from 'node:fs';
import path from 'node:path';
import { withSingleFiles } from '#programs';
import { QUEUES, type QueueName } from '../src/queues/index.ts';
import { ALL_JOBS } from '../workers/jobs.ts';

/** A process of the Procfile, and the queues to which its code adds jobs. */
interface Process {
  name: string;
  adds: QueueName[];
}

const NAMES = Object.keys(QUEUES) as QueueName[];
/** Pattern of a use of a job: `linkJobs['link.create']`. */
const ADDED = /\b\w+Jobs\['([\w.]+)'\]/g;
/** Pattern of a static or dynamic import. */
const IMPORTED = /\b(?:from |import\()'(\.[^']+\.ts)'/g;

const sources = new Map<string, string>();
const sourceOf = (file: string): string => {
  const source = sources.get(file) ?? readFileSync(file, 'utf8');
  sources.set(file, source);
  return source;
};

/** Returns the files that a process loads from its entry. */
function filesOf(entry: string, found = new Set<string>()): Set<string> {
  if (found.has(entry)) return found;
  found.add(entry);
  const source = sourceOf(entry);
  for (const { 1: target, index } of source.matchAll(IMPORTED)) {
    // Type imports are not loaded.
    const statement = source.slice(source.lastIndexOf('\nimport ', index));
    if (!statement.startsWith('\nimport type ')) {
      filesOf(path.join(path.dirname(entry), target!), found);
    }
  }
  return found;
}

/** Returns the queues to which files add jobs. */
function addsOf(files: ReadonlySet<string>): QueueName[] {
  const used = new Set<string>();
  for (const file of files) {
    for (const [, job] of sourceOf(file).matchAll(ADDED)) used.add(job!);
  }
  const hasSchedule = files.has('src/queues/schedule.ts');
  const added = ALL_JOBS.filter(
    ({ name, everyMs }) => used.has(name) || (hasSchedule && everyMs !== undefined),
  );
  return NAMES.filter((name) => added.some(({ queue }) => queue.name === name));
}

/** Returns the files that the worker of a queue loads for its handlers. */
function filesOfWorker(queue: string): Set<string> {
  const source = sourceOf('workers/queues.ts');
  const entries = source.slice(source.indexOf(`\n  ${queue}: `) + 1);
  const end = entries.search(/\n {2}\w+: |\n\};/);
  const files = new Set<string>();
  for (const [, target] of entries.slice(0, end).matchAll(IMPORTED)) {
    filesOf(path.join('workers', target!), files);
  }
  return files;
}

/**
 * Returns the processes of the Procfile, in order. @throws Error for a line that runs another
 * program
 */
export function processes(): Process[] {
  return readFileSync('Procfile', 'utf8')
    .trim()
    .split('\n')
    .map((line) => {
      const [name, bundled] = line.split(': ') as [string, string];
      const command = withSingleFiles(bundled);
      const [file, worker] = command.slice(command.indexOf('dist/')).split(' ');
      if (!file?.startsWith('dist/'))
        throw new Error(`a line of the Procfile runs no file of ours: ${line}`);
      const entry = file.slice('dist/'.length).replace('.js', '.ts');
      return { name, adds: addsOf(worker === undefined ? filesOf(entry) : filesOfWorker(worker)) };
    });
}

const ROW = 46;
const BOX = { width: 168, height: 34 };
const COLUMN = { processes: 24, queues: 324, workers: 584 };
const TOP = 56;
const rowY = (row: number): number => TOP + row * ROW;
const STYLE = `
  text { font: 13px ui-monospace, monospace; fill: #1c2430 }
  .head, .note { font-family: system-ui, sans-serif; fill: #5b6675 }
  .note { font-size: 12px }
  rect { fill: #fff; stroke: #9aa5b4 }
  .queue { fill: #e8f0fe; stroke: #5b8def }
  path { fill: none; stroke: #9aa5b4 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6e9ef } .head, .note { fill: #a3adba } rect { fill: #1a2029; stroke: #5b6675 }
    .queue { fill: #1d2a44 } path { stroke: #5b6675 }
  }`;

const text = (x: number, y: number, words: string, look = ''): string =>
  `<text x="${x}" y="${y}"${look === '' ? '' : ` class="${look}"`}>${words}</text>`;

function box(x: number, y: number, words: string, look = ''): string {
  const shape = `<rect x="${x}" y="${y}" width="${BOX.width}" height="${BOX.height}" rx="6"`;
  return `${shape}${look === '' ? '' : ` class="${look}"`}/>${text(x + 12, y + 22, words)}`;
}

/** Draws an arrow from the right side of a box to the left side of another. */
function arrow(fromX: number, fromRow: number, toX: number, toRow: number): string {
  const [x1, y1] = [fromX + BOX.width, rowY(fromRow) + BOX.height / 2];
  const [x2, y2] = [toX - 2, rowY(toRow) + BOX.height / 2];
  const middle = (x1 + x2) / 2;
  return `<path d="M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}" marker-end="url(#point)"/>`;
}

/**
 * Draws `docs/architecture.svg`, the processes and queues, from the Procfile, the queues and the
 * imports.
 */
export function architecturePicture(): string {
  const all = processes();
  const workers = new Map(all.map((one) => [one.name, one]));
  const others = all.filter(({ name }) => !NAMES.some((queue) => name === `worker_${queue}`));
  const rowOf = (index: number) => Math.round(((index + 0.5) * NAMES.length) / others.length - 0.5);
  const parts = [
    text(COLUMN.processes, 32, 'processes that add jobs', 'head'),
    text(COLUMN.queues, 32, 'queues (BullMQ, in Redis)', 'head'),
    text(COLUMN.workers, 32, 'workers, and the queues they add jobs to', 'head'),
    ...others.map(({ name }, index) => box(COLUMN.processes, rowY(rowOf(index)), name)),
    ...others.flatMap(({ adds }, index) =>
      adds.map((queue) =>
        arrow(COLUMN.processes, rowOf(index), COLUMN.queues, NAMES.indexOf(queue)),
      ),
    ),
    ...NAMES.flatMap((queue, row) => {
      const worker = workers.get(`worker_${queue}`);
      if (worker === undefined)
        throw new Error(`the Procfile has no worker for the queue ${queue}`);
      return [
        box(COLUMN.queues, rowY(row), queue, 'queue'),
        arrow(COLUMN.queues, row, COLUMN.workers, row),
        box(COLUMN.workers, rowY(row), worker.name),
        text(COLUMN.workers + BOX.width + 12, rowY(row) + 22, worker.adds.join(' '), 'note'),
      ];
    }),
  ];
  const height = rowY(NAMES.length) + 8;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1000 ${height}" width="1000" height="${height}" role="img" aria-label="Processes and queues">
<style>${STYLE}</style>
<marker id="point" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8"/></marker>
${parts.join('\n')}
</svg>
`;
}
