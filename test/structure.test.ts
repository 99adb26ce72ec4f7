import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { parseProcfile } from '../scripts/procfile.ts';

const sources = ['src', 'workers', 'scripts', 'migrations', 'test', 'bench'].flatMap(filesBelow);

function filesBelow(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const file = path.join(folder, name);
    if (statSync(file).isDirectory()) return filesBelow(file);
    return name.endsWith('.ts') && !name.endsWith('.d.ts') ? [file] : [];
  });
}

/** What a file imports: packages by name, files of ours by path. Types alone are marked. */
function importsOf(file: string): { target: string; typeOnly: boolean }[] {
  const text = readFileSync(file, 'utf8');
  const statements = text.matchAll(
    /^(?:import|export)\s+(type\s)?[^;]*?from\s+'([^']+)'|import\('([^']+)'\)/gm,
  );
  return [...statements].map(([, typeOnly, from, dynamic]) => {
    const specifier = from ?? dynamic ?? '';
    const target = specifier.startsWith('.') ? path.join(path.dirname(file), specifier) : specifier;
    return { target, typeOnly: typeOnly !== undefined };
  });
}

const names = (folder: string) => readdirSync(folder).map((file) => file.replace(/\.ts$/, ''));

describe('the structure', () => {
  const processes = parseProcfile(readFileSync('Procfile', 'utf8'));
  const workers = names('workers').filter((name) => name !== 'main');
  const queues = names('src/queues').filter(
    (name) => !['queue', 'replies', 'schedule'].includes(name),
  );

  it('has one line of the Procfile for each worker, and one each for the API and the redirect', () => {
    expect(processes.map(({ name }) => name).toSorted()).to.deep.equal(
      ['api', 'redirect', ...workers.map((name) => `worker_${name}`)].toSorted(),
    );
  });

  it('has a worker for each queue; only the scheduler has none', () => {
    expect(workers.filter((name) => name !== 'scheduler').toSorted()).to.deep.equal(
      queues.toSorted(),
    );
  });

  it('names each queue as its file', async () => {
    for (const name of queues) {
      const module = (await import(`../src/queues/${name}.js`)) as Record<string, { name: string }>;
      expect(module[name]?.name).to.equal(name);
    }
  });

  it('starts workers that main knows', () => {
    const main = readFileSync('workers/main.ts', 'utf8');
    for (const name of queues) expect(main).to.contain(`import('./${name}.ts')`);
  });

  /** Who may not import what, and what to do instead. */
  const WALLS: [name: string, from: RegExp, target: RegExp, instead: string, except?: RegExp][] = [
    [
      'infra knows no room',
      /^src\/infra\//,
      /^src\/(?!infra|config|errors|ids)/,
      'move what is needed down, or the caller up',
    ],
    [
      'rooms know no process',
      /^src\/(?!api|redirect)\w+\//,
      /^src\/(api|redirect)\//,
      'only routes.ts may use answer, input and route',
      /^src\/\w+\/routes\.ts$/,
    ],
    [
      'routes use the frame only',
      /^src\/(?!api)\w+\/routes\.ts$/,
      /^src\/(redirect\/|api\/(?!answer|ask-framing|input|route\.ts))/,
      'use answer.ts, input.ts, route.ts',
    ],
    [
      'queues hold types of rooms only',
      /^src\/queues\//,
      /^src\/(?!queues|infra|config|errors|ids)/,
      'import type',
    ],
    [
      'the redirect loads no room',
      /^src\/redirect\//,
      /^src\/(?!redirect|lookup\/(entry|find|rows)|html|click-id|queues\/(clicks|queue)|infra|config|errors|ids)/,
      'use the look-up entry',
    ],
    [
      'the redirect is lean',
      /^src\/(redirect|lookup)\//,
      /^(express|joi|objection|sharp|bullmq)$/,
      'leave it to a worker',
    ],
    ['workers serve no HTTP', /^workers\//, /^express$/, 'answer from the API'],
    ['one file knows BullMQ', /^(?!src\/queues\/queue\.ts)/, /^bullmq$/, 'use src/queues/queue.ts'],
    [
      'nothing shipped imports tests',
      /^(src|workers|migrations|scripts)\//,
      /^(test|bench)\//,
      'move it',
    ],
  ];
  for (const [name, from, target, instead, except] of WALLS) {
    it(`keeps the wall: ${name}`, () => {
      const breaches = sources
        .filter((file) => from.test(file) && !except?.test(file))
        .flatMap((file) =>
          importsOf(file)
            .filter((one) => target.test(one.target) && !one.typeOnly)
            .map((one) => `${file} imports ${one.target}: ${instead}`),
        );
      expect(breaches).to.deep.equal([]);
    });
  }

  it('reads rows through Model.of, so that no query forgets its workspace', () => {
    const breaches = sources.filter(
      (file) =>
        file.startsWith('src/') &&
        file !== path.join('src', 'infra', 'model.ts') &&
        /\.query\(/.test(readFileSync(file, 'utf8')),
    );
    expect(breaches).to.deep.equal([]);
  });

  it('has the contract’s routes in order: fixed paths before parameters', async () => {
    const { routes } = await import('../src/api/routes.ts');
    for (const [index, route] of routes.entries()) {
      const shadowing = routes.slice(0, index).find((earlier) => {
        const pattern = new RegExp(`^${earlier.path.replaceAll(/\{\w+\}/g, '[^/{}]+')}$`);
        return (
          earlier.method === route.method && earlier.path !== route.path && pattern.test(route.path)
        );
      });
      expect(shadowing?.path, `${route.method} ${route.path} can't be reached`).to.equal(undefined);
    }
  });
});
