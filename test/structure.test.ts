import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { pino } from 'pino';
import { sourceFiles } from '../scripts/imports.ts';
import { parseProcfile } from '../scripts/procfile.ts';
import { breaches } from '../scripts/walls.ts';
import { QUEUES } from '../src/queues/index.ts';
import type { WorkerDefinition } from '../src/queues/worker.ts';

const names = (folder: string) => readdirSync(folder).map((file) => file.replace(/\.ts$/, ''));

describe('the structure', () => {
  const processes = parseProcfile(readFileSync('Procfile', 'utf8'));
  const workers = names('workers').filter((name) => name !== 'main');
  const queues = Object.keys(QUEUES);

  it('has one line of the Procfile for each worker, and one each for the API and the redirect', () => {
    expect(processes.map(({ name }) => name).toSorted()).to.deep.equal(
      ['api', 'redirect', ...workers.map((name) => `worker_${name}`)].toSorted(),
    );
  });

  it('runs each line of the Procfile without a shell between a process manager and node', () => {
    const lines = readFileSync('Procfile', 'utf8').trim().split('\n');
    expect(lines.filter((line) => !/^\w+: exec node /.test(line))).to.deep.equal([]);
  });

  it('has a worker for each queue; only the scheduler has none', () => {
    expect(workers.filter((name) => name !== 'scheduler').toSorted()).to.deep.equal(
      queues.toSorted(),
    );
  });

  it('lists each queue that a file defines, under the name of the file and with the setting of its own', () => {
    const defining = names('src/queues').filter((name) =>
      /= defineQueue</.test(readFileSync(`src/queues/${name}.ts`, 'utf8')),
    );
    expect(defining.toSorted()).to.deep.equal(queues.toSorted());
    for (const [name, { queue, concurrency }] of Object.entries(QUEUES)) {
      expect(queue.name).to.equal(name);
      expect(concurrency).to.equal(`${name.toUpperCase()}_CONCURRENCY`);
    }
  });

  it('serves each queue by the worker of its name', async () => {
    for (const name of queues) {
      const { default: define } = await import(`../workers/${name}.js`);
      const { queue }: WorkerDefinition = await define(pino({ level: 'silent' }));
      expect(queue.name).to.equal(name);
    }
  });

  it('imports nothing through a wall', () => {
    expect(breaches()).to.deep.equal([]);
  });

  it('reads rows through Model.of, so that no query forgets its workspace', () => {
    // COPY asks the connection of the driver, not a model; the others read no rows of a workspace by themselves.
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
