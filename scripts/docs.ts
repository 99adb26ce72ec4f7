import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openApiDocument } from '../src/api/openapi.ts';
import { routes } from '../src/api/routes.ts';
import { reloadConfig, SETTINGS } from '../src/config.ts';
import { fileVariable } from '../src/environment.ts';
import { QUEUES } from '../src/queues/index.ts';
import { architecturePicture } from './architecture.ts';

/** The content of `docs/configuration.md`. */
export function configurationPage(): string {
  const rows = Object.entries(SETTINGS).map(([name, setting]) => {
    const shown = 'shownDefault' in setting ? setting.shownDefault : String(setting.fallback);
    const secret =
      'secret' in setting && setting.secret ? ` Never logged. Or \`${fileVariable(name)}\`.` : '';
    return `| \`${name}\` | ${shown === '' ? 'unset' : shown} | ${setting.help}${secret} |`;
  });
  return `# Configuration

All settings are environment variables. Each process reads and checks them once, when it starts. If one
is malformed, the process exits, and the error names the variable. \`npm run docs\` generates this page from \`src/config.ts\`.

A secret can be in a file instead, such as a [credential of systemd](systemd.md#secrets-in-files) or a secret of
[compose](containers.md#secrets-in-files): add \`_FILE\` to the name of the variable, and set it to the path. A line break at the end
of the file is not part of the value. If a variable and its file are both set, the process does not start.

| variable | default | meaning |
|---|---|---|
${rows.join('\n')}
`;
}

/** The content of `docs/openapi.json`. */
export function openApiPage(): string {
  return `${print(openApiDocument(routes))}\n`;
}

/** Maximum width of a line of `docs/openapi.json`, except for long texts. */
const WIDTH = 160;

/**
 * Prints JSON with objects and lists on one line if they fit; texts of a list, and references of a
 * list or an object, fill their lines.
 */
function print(value: unknown, indent = ''): string {
  const text = JSON.stringify(value);
  if (indent.length + text.length <= WIDTH || typeof value !== 'object' || value === null) {
    return inOneLine(value);
  }
  const inner = `${indent}  `;
  const isList = Array.isArray(value);
  const members = isList
    ? value.map((member) => print(member, inner))
    : Object.entries(value).map(
        ([name, member]) => `${JSON.stringify(name)}: ${print(member, inner)}`,
      );
  const lines = filled(members, WIDTH - inner.length).join(`,\n${inner}`);
  return `${isList ? '[' : '{'}\n${inner}${lines}\n${indent}${isList ? ']' : '}'}`;
}

/**
 * Beginnings of members that fill a line: a text, a reference, a reference with its name, and what a
 * schema says about all of its properties.
 */
const FILLING = [
  /^"[^"]*"(?!:)/,
  /^\{ "\$ref"/,
  /^"[^"]*": \{ "\$ref"/,
  /^"(?:required|additionalProperties)": (?!\[\n|\{\n)/,
];

/** Joins members of a list or an object to lines of the maximum width. */
function filled(members: readonly string[], width: number): string[] {
  const lines: string[] = [];
  for (const member of members) {
    const last = lines.at(-1) ?? '';
    const isShort = FILLING.some((start) => start.test(member) && start.test(last));
    if (isShort && last.length + member.length + 3 <= width)
      lines.push(`${lines.pop()}, ${member}`);
    else lines.push(member);
  }
  return lines;
}

function inOneLine(value: unknown): string {
  return JSON.stringify(value, null, 1).replaceAll(/\n\s*/g, ' ');
}

/** Markers around the README's table of processes. */
const PROCESSES = ['<!-- processes, by `npm run docs` -->\n', '<!-- end of processes -->'] as const;

/** Builds the README with its table of processes, from `src/queues/index.ts`. */
export function readmePage(readme: string): string {
  const rows = [
    '| `api` | | responses are slow |',
    '| `redirect` | | redirects are slow; put a load balancer in front |',
    ...Object.entries(QUEUES).map(
      ([name, { concurrency, scaleWhen }]) =>
        `| \`worker_${name}\` | \`${concurrency}\` | ${scaleWhen} |`,
    ),
    '| `worker_scheduler` | | one is enough: it queues scheduled jobs |',
    '| `worker_all` | all of these | instead of all other workers, [on small machines](docs/sizes.md): `Procfile.small` |',
  ];
  const [begin, end] = PROCESSES.map((mark) => readme.indexOf(mark)) as [number, number];
  if (begin < 0 || end < begin) throw new Error(`README.md must contain ${PROCESSES.join(' … ')}`);
  const table = `| process | jobs at once | scale it when |\n|---|---|---|\n${rows.join('\n')}\n`;
  return readme.slice(0, begin + PROCESSES[0].length) + table + readme.slice(end);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  // Pages show defaults, independent of this environment.
  for (const name of Object.keys(SETTINGS)) delete process.env[name];
  reloadConfig();
  writeFileSync('docs/configuration.md', configurationPage());
  writeFileSync('docs/architecture.svg', architecturePicture());
  writeFileSync('docs/openapi.json', openApiPage());
  execFileSync(process.execPath, ['scripts/build-reference.mjs']);
  writeFileSync('README.md', readmePage(readFileSync('README.md', 'utf8')));
}
