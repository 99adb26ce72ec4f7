import { type ChildProcess, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'chai';
import { freePort, freePorts } from '../../scripts/ports.ts';
import { firstClick, untilReady } from '../../scripts/started-service.ts';
import { RedisNode } from '../support/redis-node.ts';
import { type Circumstances, Machine } from './machine.ts';

/*
 * Runs `npm start` on different machines: `npm run test:machines`. `npm test` does not include
 * this, since it needs root and downloads two releases of Debian, three of Node, and the npm
 * packages for each machine.
 */

const TIMEOUT_MS = 40 * 60_000;
const UNPACKING = 'Redis is missing: unpacking it with apt-get …';
const FOLDER = '/home/anna/Kürzungen und Größe 短';

describe('npm start', function () {
  this.timeout(TIMEOUT_MS);
  let machine: Machine | undefined;
  const children: ChildProcess[] = [];

  afterEach(() => {
    for (const child of children.splice(0)) if (child.exitCode === null) end(child, 'SIGKILL');
  });
  after(() => machine?.remove());

  function replaceMachine(...options: Parameters<typeof Machine.make>): Machine {
    machine?.remove();
    machine = Machine.make(...options);
    return machine;
  }

  async function npmStart(how: Circumstances, { cwd = FOLDER } = {}) {
    const ports = await freePorts(2);
    const [api, redirect] = ports.map(String);
    const env = { ...how.env, API_PORT: api!, REDIRECT_PORT: redirect! };
    const child = machine!.start(['npm', 'start'], { cwd, ...how, env });
    children.push(child);
    return { child, ports };
  }

  /** Measures a whole start from an empty clone to a counted click, then stops it with Ctrl-C. */
  async function firstStart(how: Circumstances, options?: { cwd: string }): Promise<string> {
    const startedAt = performance.now();
    const { child, ports } = await npmStart(how, options);
    const output = await untilReady(child);
    console.log(`      ready after ${Math.round((performance.now() - startedAt) / 1_000)} s`);
    await firstClick(output, ports);
    await stop(child);
    return output;
  }

  /**
   * Expects a start to fail.
   * @returns its output
   */
  async function failedStart(how: Circumstances): Promise<string> {
    const { child } = await npmStart(how);
    let output = '';
    for (const stream of [child.stdout!, child.stderr!]) {
      stream.on('data', (part: Buffer) => {
        output += part.toString();
      });
    }
    const [code] = (await once(child, 'close')) as [number | null];
    expect(code, output).to.equal(1);
    expect(output).not.to.match(/\n\s+at /);
    return output;
  }

  describe('on Debian 12 with redis-tools, Node 20, as root', () => {
    before(() => {
      replaceMachine('bookworm', 20, ['redis-tools']).clone(FOLDER);
    });

    it('unpacks a Redis server', async () => {
      const output = await firstStart({ isRoot: true });
      expect(output).to.contain(UNPACKING);
    });

    it('needs no network the second time', async () => {
      const { child, ports } = await npmStart({ isRoot: true, isOffline: true });
      const output = await untilReady(child);
      expect(output).not.to.contain('Installing').and.not.to.contain('unpacking');
      const answer = execFileSync(
        'nsenter',
        [
          '--net',
          `--target=${child.pid}`,
          'curl',
          '-s',
          `http://localhost:${ports[1]}/first-click`,
          '-w',
          '%{http_code}',
        ],
        { encoding: 'utf8' },
      );
      expect(answer).to.equal('302');
      await stop(child);
    });
  });

  describe('on Debian 12 without lists of packages, Node 22, 256 files', () => {
    const how = { files: 256 };

    before(() => {
      replaceMachine('bookworm', 22).clone(FOLDER);
      machine!.run('rm -rf /var/lib/apt/lists/*');
    });

    it('fetches the lists, and starts', async () => {
      const output = await firstStart(how);
      expect(output).to.contain(UNPACKING).and.to.contain('Fetching the lists of packages …');
    });

    it('says that /dev/shm is too small, and what to do', async () => {
      const output = await failedStart({ ...how, sharedMemory: '1m' });
      expect(output).to.contain('Give /dev/shm 64 MB or more');
    });

    it('names the variable of the folder where nothing can be unpacked', async () => {
      const env = { XDG_CACHE_HOME: '/nonexistent' };
      expect(await failedStart({ ...how, env })).to.match(/^XDG_CACHE_HOME: Redis is missing/m);
    });
  });

  describe('on Debian 12, Node 24, in two checkouts at once', () => {
    const folders = ['/home/anna/one', '/home/anna/two'];

    before(() => {
      replaceMachine('bookworm', 24);
      for (const folder of folders) machine!.clone(folder);
    });

    it('unpacks one Redis server, and starts both', async () => {
      const outputs = await Promise.all(folders.map((cwd) => firstStart({}, { cwd })));
      expect(outputs.filter((output) => output.includes(UNPACKING))).to.have.length(1);
    });
  });

  describe('on Debian 11, Node 20', () => {
    before(() => {
      replaceMachine('bullseye', 20).clone(FOLDER);
    });

    it('says in one line that its Redis is too old, and which commands help', async () => {
      const output = await failedStart({});
      expect(output).to.contain('Redis 6.2 or newer is missing (apt-get has redis-server 6.0): ');
      expect(output).to.contain('docker run').and.to.contain('REDIS_URL');
    });

    it('starts with another Redis server', async () => {
      const redis = new RedisNode(await freePort(), ['maxmemory-policy noeviction']);
      await redis.start();
      try {
        const REDIS_URL = `redis://127.0.0.1:${redis.port}`;
        expect(await firstStart({ env: { REDIS_URL } })).not.to.contain(UNPACKING);
      } finally {
        await redis.stop();
      }
    });
  });
});

function end(child: ChildProcess, signal: NodeJS.Signals): void {
  process.kill(-child.pid!, signal);
}

/** Sends SIGINT to the process group, as Ctrl-C in a terminal does. */
async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  end(child, 'SIGINT');
  const [code] = (await ended) as [number | null];
  expect(code).to.equal(0);
}
