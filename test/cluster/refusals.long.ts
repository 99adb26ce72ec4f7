import { expect } from 'chai';
import { freePort } from '../../scripts/ports.ts';
import { eventually } from '../support/eventually.ts';
import { OneProcess } from '../support/one-process.ts';
import { RedisNode } from '../support/redis-node.ts';
import { Started } from '../support/started.ts';
// Starts the servers of the tests.
import '../support/servers.ts';

/** A Redis that would lose or refuse commands must be refused at the start, in one line. */
describe('a Redis of the wrong kind', function () {
  const nodes: RedisNode[] = [];

  const run = async (...settings: string[]) => {
    const node = new RedisNode(await freePort(), settings);
    nodes.push(node);
    await node.start();
    return node;
  };

  /**
   * Starts a process until it refuses its Redis in its first line: on a busy machine, the check can
   * take longer than the process waits for it, which then starts without.
   */
  async function refused(
    name: string,
    settings: Record<string, string>,
    message: string,
  ): Promise<OneProcess> {
    for (let attempts = 0; attempts < 20; attempts += 1) {
      const one = new OneProcess(name, settings);
      await eventually(() => expect(one.lines).to.have.length.above(0));
      if (one.lines[0]!.msg?.startsWith(message) === true) return one;
      await one.stop();
    }
    throw new Error(`${name} was never refused with "${message}"`);
  }

  afterEach(async () => {
    await Promise.all(nodes.splice(0).map((node) => node.stop()));
  });

  it('is refused by a process: a node of a cluster', async () => {
    const node = await run('cluster-enabled yes', `cluster-port ${await freePort()}`);
    for (const variable of ['REDIS_URL', 'CACHE_REDIS_URL']) {
      for (const name of ['redirect', 'worker_clicks']) {
        const settings = { [variable]: `redis://127.0.0.1:${node.port}`, HEALTH_PORT: '0' };
        const one = await refused(
          name,
          settings,
          `${variable}: 127.0.0.1:${node.port} is a node of a Redis Cluster, which holds only some of the keys: set redis+cluster://`,
        );
        expect(await one.ended()).to.equal(1);
        expect(one.lines).to.have.length(1);
      }
    }
  });

  it('is refused by a process: one that is no node of a cluster', async () => {
    const { port } = await run();
    const url = `redis+cluster://127.0.0.1:${port}`;
    const one = await refused(
      'worker_writes',
      { REDIS_URL: url, HEALTH_PORT: '0' },
      `REDIS_URL: 127.0.0.1:${port} is not a node of a Redis Cluster: set a URL that starts with redis://`,
    );
    expect(await one.ended()).to.equal(1);
  });

  it('is refused by a process: a replica', async () => {
    const primary = await run();
    const replica = await run(`replicaof 127.0.0.1 ${primary.port}`);
    const url = `redis://127.0.0.1:${replica.port}`;
    const one = await refused(
      'worker_writes',
      { REDIS_URL: url, HEALTH_PORT: '0' },
      `REDIS_URL: 127.0.0.1:${replica.port} is a replica, which takes no writes: set the address of its primary`,
    );
    expect(await one.ended()).to.equal(1);
  });

  it('is refused by npm start, which does not show the password', async () => {
    const node = await run(
      'cluster-enabled yes',
      `cluster-port ${await freePort()}`,
      'requirepass hidden-word',
    );
    const started = new Started();
    const url = `redis://:hidden-word@127.0.0.1:${node.port}`;
    try {
      expect(await started.fail({ REDIS_URL: url })).to.equal(1);
      // Progress lines, which appear on a busy machine, end with dots or seconds.
      const lines = started.output.split('\n').filter((line) => !/ …(?: \d+ s)?$|^$/.test(line));
      expect(lines).to.have.length(1);
      expect(lines[0]).to.contain(`REDIS_URL: 127.0.0.1:${node.port} is a node of a Redis Cluster`);
      expect(started.output).not.to.contain('hidden-word');
    } finally {
      await started.remove();
    }
  });
});
