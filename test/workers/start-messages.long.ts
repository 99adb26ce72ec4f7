import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { expect } from 'chai';
import { checkPath } from '../../scripts/embedded/postgres.ts';
import { SetupError } from '../../scripts/embedded/setup-error.ts';
import { freePort } from '../../scripts/ports.ts';
import { eventually } from '../support/eventually.ts';
import { Started } from '../support/started.ts';
import { withoutServers } from '../support/without-servers.ts';

/*
 * Reports each obstacle to `npm start` in one line, which names the variable or the file, and the
 * remedy.
 */

const FILE_KEY = 'a-secret-key-of-forty-characters-in-a-file';
const OTHER_KEY = 'another-secret-key-of-forty-characters-00';

describe('the log of a process', function () {
  this.timeout(180_000);
  const started = new Started();

  after(() => started.remove());

  it('has one line of a scheduled job that fails again and again', async () => {
    let requests = 0;
    const source = createHttpServer((_, response) => {
      requests += 1;
      response.writeHead(500).end();
    }).listen(0, '127.0.0.1');
    await once(source, 'listening');
    const { port } = source.address() as AddressInfo;
    try {
      const RATES_URL = `http://127.0.0.1:${port}/`;
      await started.start({ RATES_URL, OUTBOUND_ALLOW: '127.0.0.1' });
      await eventually(() => expect(requests).to.be.at.least(4), 60_000);
      expect(await started.stop()).to.equal(0);
      const log = readFileSync(path.join(started.dataDir, 'log/worker_currency.log'), 'utf8');
      const failures = log.split('\n').filter((line) => line.includes('job failed'));
      expect(failures).to.have.length(1);
      expect(failures[0]).to.contain(
        '"exchange rates could not be fetched: RATES_URL must respond with status 200, not 500"',
      );
    } finally {
      source.close();
    }
  });
});

describe('npm start reports in one line', function () {
  const started = new Started();

  after(() => started.remove());

  const inData = (name: string) => path.join(started.dataDir, name);

  const cases: {
    name: string;
    settings(): Record<string, string>;
    line(): string;
    prepare?(): void;
    repair?(): void;
  }[] = [
    {
      name: 'that the API and the redirect process have one port',
      settings: () => ({ API_PORT: '3999', REDIRECT_PORT: '3999' }),
      line: () => 'API_PORT and REDIRECT_PORT must differ: both are 3999',
    },
    {
      name: 'that HOST is the address of another machine',
      // This address is reserved for documentation (RFC 5737).
      settings: () => ({ HOST: '192.0.2.1' }),
      line: () => 'HOST: 192.0.2.1 is not an address of this machine',
    },
    {
      name: 'that REDIS_WAIT_REPLICAS is no number',
      settings: () => ({ REDIS_WAIT_REPLICAS: 'all' }),
      line: () => 'REDIS_WAIT_REPLICAS must be a whole number from 0 to 16',
    },
    ...['0', '17'].map((value) => ({
      name: `that QUEUE_SHARDS is ${value}`,
      settings: () => ({ QUEUE_SHARDS: value }),
      line: () => 'QUEUE_SHARDS must be a whole number from 1 to 16',
    })),
    {
      name: 'that DATA_DIR is a file',
      prepare: () => writeFileSync(inData('file'), ''),
      settings: () => ({ DATA_DIR: inData('file') }),
      line: () => `DATA_DIR: ${inData('file')} is not a folder: remove it, or use another.`,
    },
    {
      name: 'that DATA_DIR is below a file',
      settings: () => ({ DATA_DIR: inData('file/below') }),
      line: () => 'ENOTDIR: not a directory',
    },
    {
      name: 'that DATA_DIR has a line break',
      settings: () => ({ DATA_DIR: inData('a\nb') }),
      line: () => 'DATA_DIR must not contain control characters',
    },
    {
      name: 'that the note of a private server is damaged',
      prepare() {
        mkdirSync(inData('damaged'));
        writeFileSync(inData('damaged/redis.json'), '{"port": 1');
      },
      settings: () => ({ DATA_DIR: inData('damaged') }),
      line: () =>
        `${inData('damaged/redis.json')} is damaged: end the private Redis where it still runs, and remove the file.`,
      repair: () => rmSync(inData('damaged'), { recursive: true, force: true }),
    },
  ];
  for (const { name, settings, line, prepare, repair } of cases) {
    it(name, async () => {
      prepare?.();
      const code = await started.fail(settings());
      repair?.();
      expect(started.messages).to.have.length(1);
      expect(started.messages[0]).to.contain(line());
      expect(code).to.equal(1);
    });
  }

  it('that SECRET_KEY is not the one of the database, and not "Ready"', async () => {
    // Its processes receive the key itself, without the path of the file.
    const file = path.join(started.dataDir, 'given.key');
    writeFileSync(file, `${FILE_KEY}\n`);
    await started.start({ SECRET_KEY: '', SECRET_KEY_FILE: file });
    expect(await started.stop()).to.equal(0);
    expect(await started.fail({ SECRET_KEY: OTHER_KEY })).to.equal(1);
    expect(started.messages).to.deep.equal([
      'SECRET_KEY is not the one that this database was made with: set that one, or use another database',
    ]);
  });

  it('what Postgres says before it ends, not what it says at last', async () => {
    const wal = inData('postgres/pg_wal');
    renameSync(wal, `${wal}.away`);
    mkdirSync(wal, { mode: 0o700 });
    const { uid, gid } = statSync(`${wal}.away`);
    chownSync(wal, uid, gid);
    expect(await started.fail()).to.equal(1);
    expect(started.messages.join('\n')).to.match(
      /^The private Postgres did not start\. \S+postgres\.log says: [^/\n]*PANIC: +could not [^\n]+$/,
    );
    rmSync(wal, { recursive: true });
    renameSync(`${wal}.away`, wal);
  });

  it('that ::1 has another program on a port, to which localhost may lead', async function () {
    const server = createServer();
    const port = await freePort();
    server.listen(port, '::1');
    try {
      await once(server, 'listening');
    } catch {
      // This machine has no IPv6.
      this.skip();
    }
    try {
      expect(await started.fail({ API_PORT: String(port) })).to.equal(1);
      expect(started.messages).to.deep.equal([
        `Port ${port} of ::1, to which localhost leads too, is in use: stop the other program or set API_PORT`,
      ]);
    } finally {
      server.close();
    }
  });

  it('that Redis is too old, or cannot be unpacked for want of a folder', function () {
    const folder = inData('bin');
    mkdirSync(folder);
    const program = (name: string, text: string) =>
      writeFileSync(path.join(folder, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    const message = (settings: Record<string, string>) => {
      const script = `import { findRedis } from './scripts/redis-program.mjs';
        try { await findRedis(() => {}); } catch ({ message }) { console.log(message); }`;
      const env = { PATH: folder, ...settings };
      const args = ['--input-type=module', '-e', script];
      return spawnSync(process.execPath, args, { encoding: 'utf8', env }).stdout.trim();
    };
    const inDocker =
      'run one in Docker ("docker run -d -p 127.0.0.1:6379:6379 redis:7", then "REDIS_URL=redis://127.0.0.1:6379 npm start"), or set REDIS_URL to any other.';
    // A folder below a file cannot be created, even by root.
    const below = path.join(folder, 'redis-server');
    const cache = { XDG_CACHE_HOME: inData('cache') };
    program('redis-server', 'echo "Redis server v=6.0.16 sha=00000000:0"');
    const old = message(cache);
    // This machine has another Redis in a usual place.
    if (old === '') this.skip();
    expect(old).to.equal(
      `Redis 6.2 or newer is missing (${below} is of version 6.0): install it ("sudo apt-get install redis-server", "brew install redis" or "sudo dnf install redis"), ${inDocker}`,
    );

    program('dpkg-deb', 'exit 1');
    program('apt-get', 'echo "Inst redis-server (5:6.0.16-1+deb11u2 Debian:11/oldstable [amd64])"');
    expect(message(cache)).to.equal(
      `Redis 6.2 or newer is missing (${below} is of version 6.0, apt-get has redis-server 6.0): ${inDocker}`,
    );

    program('apt-get', 'exit 1');
    expect(message(cache)).to.contain(
      '6.0, apt-get could not fetch the lists of packages): install it (',
    );
    for (const [variable, other] of [
      ['XDG_CACHE_HOME', {}],
      ['HOME', { XDG_CACHE_HOME: '' }],
    ] as const) {
      expect(message({ ...other, [variable]: below })).to.match(
        new RegExp(
          `^${variable}: Redis is missing, and cannot be unpacked in \\S+ \\(ENOTDIR\\)\\. Set ${variable} to`,
        ),
      );
    }
  });

  it('that /dev/shm is too small for Postgres', function () {
    const within = (command: string) =>
      spawnSync('unshare', ['--mount', 'sh', '-c', command], {
        encoding: 'utf8',
        env: {
          ...withoutServers(),
          DATA_DIR: inData('small'),
          API_PORT: '0',
          REDIRECT_PORT: '0',
        },
      });
    const mount = 'mount -t tmpfs -o size=1m tmpfs /dev/shm';
    // Mounting needs root, on Linux.
    if (within(mount).status !== 0) this.skip();
    const { status, stderr } = within(
      `${mount} && exec "${process.execPath}" dist/programs/start.js`,
    );
    expect(stderr.trim()).to.match(
      /^The private database could not be made, initdb says: could not resize shared memory segment [^\n]+: No space left on device\. Give \/dev\/shm 64 MB or more[^\n]+$/,
    );
    expect(status).to.equal(1);
  });

  it('that Postgres cannot be run from a path that a shell would change', () => {
    expect(() => checkPath('/home/me/a$b/bin')).to.throw(SetupError, /the path must not contain/);
    expect(() => checkPath('/home/me/größe b/bin')).not.to.throw();
  });
});
