import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { pino } from 'pino';
import { parseProcfile } from '../scripts/procfile.ts';
import { sourceFiles } from '../scripts/source-files.ts';
import { QUEUES } from '../src/queues/index.ts';
import { ALL_JOBS } from '../workers/jobs.ts';
import { HANDLERS } from '../workers/queues.ts';
import { EARLIER_JOBS } from './data/earlier-jobs.ts';
// Starts the servers of the tests.
import './support/servers.ts';

const execFileAsync = promisify(execFile);

describe('the structure', () => {
  const processes = parseProcfile(readFileSync('Procfile', 'utf8'));
  const queues = Object.keys(QUEUES);

  it('has one line of the Procfile for each queue, and one each for the API, the redirect and the scheduler', () => {
    const workers = queues.map((name) => `worker_${name}`);
    expect(processes.map(({ name }) => name)).to.have.members([
      'api',
      'redirect',
      ...workers,
      'worker_scheduler',
    ]);
  });

  it('runs each line of the Procfile without a shell between a process manager and node', () => {
    const lines = readFileSync('Procfile', 'utf8').trim().split('\n');
    expect(lines.filter((line) => !/^\w+: exec node /.test(line))).to.deep.equal([]);
  });

  it('names each queue, and its setting, as its row does', () => {
    for (const [name, { queue, concurrency }] of Object.entries(QUEUES)) {
      expect(queue.name).to.equal(name);
      expect(concurrency).to.equal(`${name.toUpperCase()}_CONCURRENCY`);
    }
  });

  it('has one handler for each job, in the worker of its queue', async () => {
    const log = pino({ level: 'silent' });
    for (const [name, load] of Object.entries(HANDLERS)) {
      const handled = (await load({ log, isShared: false })).map(({ job }) => job);
      const declared = ALL_JOBS.filter(({ queue }) => queue.name === name);
      expect(handled).to.have.members(declared);
    }
  });

  it('runs the jobs that earlier versions have added, from the same queues', () => {
    for (const [queue, names] of Object.entries(EARLIER_JOBS)) {
      const own = ALL_JOBS.filter((job) => job.queue.name === queue).map(({ name }) => name);
      expect(own).to.include.members([...names]);
    }
  });

  it('lists all jobs that a file declares', () => {
    const files = sourceFiles('src').filter((file) => file.endsWith('/jobs.ts'));
    const declared = files.flatMap((file) => {
      const source = readFileSync(file, 'utf8');
      return [...source.matchAll(/^ {2}'([\w.]+)': (?:job|scheduled)[<(]/gm)].map(
        ([, name]) => name,
      );
    });
    expect(ALL_JOBS.map(({ name }) => name)).to.have.members(declared);
  });

  it('imports only what .dependency-cruiser.mjs allows, types included', async () => {
    const folders = ['src', 'workers', 'scripts', 'migrations', 'test', 'bench'];
    const { stdout } = await execFileAsync(
      'node_modules/.bin/depcruise',
      [...folders, '--output-type', 'json'],
      { maxBuffer: 2 ** 27 },
    ).catch((error: unknown) => error as { stdout: string });
    const { modules, summary } = JSON.parse(stdout) as {
      modules: { source: string; dependencies: unknown[] }[];
      summary: {
        violations: { from: string; to: string; comment: string; rule: { name: string } }[];
      };
    };
    expect(
      summary.violations.map(({ from, to, comment }) => `${from} imports ${to}: ${comment}`),
    ).to.deep.equal([]);
    // A missing or incompatible parser would read no files and report no violations.
    const files = sourceFiles(...folders, path.join('src', 'console'));
    expect(modules.map(({ source }) => source)).to.include.members(files);
    const withJsx = files.filter(
      (file) => file.endsWith('.tsx') && /^import /m.test(readFileSync(file, 'utf8')),
    );
    expect(withJsx).to.have.length.above(150);
    const read = modules.filter(({ dependencies }) => dependencies.length > 0);
    expect(read.map(({ source }) => source)).to.include.members(withJsx);
  });

  it('finds an import upwards, a circle of types, and one of files with JSX', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'shortlinks-imports-'));
    try {
      for (const name of ['tags', 'links', 'console'])
        mkdirSync(path.join(folder, 'src', name), { recursive: true });
      const file = (name: string, text: string) =>
        writeFileSync(path.join(folder, 'src', name), text);
      file('tags/a.ts', "import type { B } from '../links/b.ts';\nexport type A = B;\n");
      file('links/b.ts', "import type { A } from '../tags/a.ts';\nexport type B = A;\n");
      const component = (name: string, of: string) =>
        `import { ${of} } from './${of}.tsx';\nexport const ${name} = () => <${of} />;\n`;
      file('console/List.tsx', component('List', 'Row'));
      file('console/Row.tsx', component('Row', 'List'));
      const config = path.resolve('.dependency-cruiser.mjs');
      const command = path.resolve('node_modules/.bin/depcruise');
      const { stdout } = await execFileAsync(command, ['src', '-c', config], { cwd: folder }).catch(
        (error: unknown) => error as { stdout: string },
      );
      expect(stdout).to.contain('no-circle: src/links/b.ts');
      expect(stdout).to.contain('tags-imports-downwards: src/tags/a.ts → src/links/b.ts');
      expect(stdout).to.contain('no-circle: src/console/List.tsx');
      expect(stdout).to.contain('4 modules');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('ships to browsers only code of the console, and code of QR codes, CSV files, columns of imports, languages, UTM rules and time zones', () => {
    // The generated types of the API are erased by the build, so they add no code.
    const shared =
      /^src\/(console|qrcodes\/(render|content))\/|^src\/(infra\/(csv|time-zones)|http\/iso-time|imports\/fields|users\/languages|workspaces\/utm-rules)\.ts$|^dist\/reference\.d\.ts$/;
    const shipped = sourceFiles(path.join('src', 'console')).filter(
      (file) => !file.endsWith('vite.config.ts'),
    );
    const imported = shipped.flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/(?:from |import\()'(\.[^']+)'/g)].map(([, target]) =>
        path.join(path.dirname(file), target!),
      ),
    );
    expect(imported).to.have.length.above(1_000);
    expect(imported.filter((file) => !shared.test(file))).to.deep.equal([]);
    const ofNode = shipped.filter((file) => /'node:/.test(readFileSync(file, 'utf8')));
    expect(ofNode).to.deep.equal([]);
  });

  it('keeps answers in the console under keys of api/keys.ts alone', () => {
    const folder = path.join('src', 'console');
    const literal = /(?:queryKey: |usePaged\(\s*|[kK]ey(?:: \w+)? = )\[/;
    const found = sourceFiles(folder).filter(
      (file) =>
        file !== path.join(folder, 'api', 'keys.ts') && literal.test(readFileSync(file, 'utf8')),
    );
    expect(found).to.deep.equal([]);
  });

  it('reads rows through Model.of, so that no query forgets its workspace', () => {
    // COPY uses the driver's connection instead of a model; the other files read no rows of a
    // workspace.
    const allowed = [
      'infra/model.ts',
      'infra/copy.ts',
      'infra/pooled-client.ts',
      'infra/postgres-url.ts',
      'events/store/clickhouse/connection.ts',
      'events/store/clickhouse/table.ts',
    ].map((name) => path.join('src', name));
    const unscoped = sourceFiles('src').filter(
      (file) => !allowed.includes(file) && /\.query\(/.test(readFileSync(file, 'utf8')),
    );
    expect(unscoped).to.deep.equal([]);
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
