import { execFileSync, spawn } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { getPriority, tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { identityOf } from '#lock';
import { findRedis } from '#redis-program';
import { startRedis } from '../../scripts/embedded/redis.ts';
import { freePort } from '../../scripts/ports.ts';
import { parseProcfile } from '../../scripts/procfile.ts';
import { Supervised } from '../../scripts/supervised.ts';
import { connectRedis } from '../../src/infra/redis.ts';
import { eventually } from '../support/eventually.ts';
import { killRedis } from '../support/kill-redis.ts';
import { withDescendants } from '../support/processes.ts';
import { Started } from '../support/started.ts';
import { Visitors } from '../support/traffic.ts';
// Starts the servers of the tests.
import '../support/servers.ts';

/** Workers that no single API request waits for. */
const YIELDING = [
  'worker_bulk',
  'worker_clicks',
  'worker_destinations',
  'worker_images',
  'worker_mail',
  'worker_maintenance',
  'worker_qr',
  'worker_scheduler',
  'worker_webhooks',
];

/**
 * Expects all that a single write needs, its worker and Postgres included, to have the niceness of
 * the API.
 */
function expectNiceness(started: Started): void {
  const usual = getPriority(started.child.pid);
  const processes = withDescendants(started.child.pid!).filter(({ name }) =>
    /^(api|redirect|worker_\w+)$/.test(name),
  );
  expect(processes).to.have.length(parseProcfile(readFileSync('Procfile', 'utf8')).length);
  for (const { id, name } of processes) {
    const expected = YIELDING.includes(name) ? Math.max(10, usual) : usual;
    expect(getPriority(id), name).to.equal(expected);
  }
  const servers = [started.pidOf('postgres'), started.pidOf('redis')];
  for (const { id, name } of withDescendants(...servers)) {
    expect(getPriority(id), name).to.equal(usual);
  }
}

describe('npm start under steady traffic', function () {
  const started = new Started();
  let keys = 0;

  after(() => started.remove());

  async function aLinkIsMade(): Promise<void> {
    keys += 1;
    const answer = await fetch(`${started.apiUrl}/links`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${started.apiKey}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ url: 'https://example.com/', key: `runner-${keys}` }),
    });
    expect(answer.status).to.equal(201);
  }

  it('continues while its logs cannot be written, its servers are killed, and its terminal is closed', async () => {
    const logs = path.join(started.dataDir, 'log');
    mkdirSync(logs);
    for (const { name } of parseProcfile(readFileSync('Procfile', 'utf8'))) {
      const place = path.join(logs, `${name}.log`);
      // A log on a full disk cannot be written; without /dev/full, a folder has the same effect.
      if (existsSync('/dev/full')) symlinkSync('/dev/full', place);
      else mkdirSync(place);
    }
    await started.start({ LOG_LEVEL: 'info', RATES_URL: 'http://nowhere.invalid/' });
    expect(started.output).to.match(/api \| .*api\.log is not written: (ENOSPC|EISDIR)/);
    expect(started.output.match(/api\.log is not written/g)).to.have.length(1);
    await aLinkIsMade();
    await eventually(() => expectNiceness(started));
    // From then on, the link is in memory, and visits do not depend on the speed of Postgres on a
    // busy machine.
    await eventually(async () => {
      const first = await fetch(`http://localhost:${started.redirectPort}/runner-1`, {
        redirect: 'manual',
        // Visits of crawlers are not counted.
        headers: { 'user-agent': 'Googlebot/2.1' },
      });
      expect(first.status).to.equal(302);
    });
    const visitors = new Visitors('runner', [started.redirectPort], ['runner-1'], 50);

    for (const server of ['redis', 'postgres'] as const) {
      const pid = started.pidOf(server);
      if (server === 'redis') await killRedis(started.redisUrl);
      else process.kill(pid, 'SIGKILL');
      await eventually(() => expect(started.pidOf(server)).not.to.equal(pid));
      await eventually(aLinkIsMade);
      expect(started.output).to.contain(`The private ${server} ended: starting again`);
    }

    // A repeated warning appears once an hour, with each cause once.
    const warnings = started.output.match(/^worker_currency \| .*not be fetched: .*$/gm) ?? [];
    expect(warnings[0]).to.match(/RATES_URL must have a host name that exists: (?!must)/);
    expect(warnings, warnings.join('\n')).to.have.length(1);

    for (const stream of [started.child.stdout, started.child.stderr]) stream!.destroy();
    const pid = started.pidOf('redis');
    await killRedis(started.redisUrl);
    await eventually(() => expect(started.pidOf('redis')).not.to.equal(pid));
    await eventually(aLinkIsMade);
    const { answered, cut, others } = await visitors.stop();
    expect([...others], 'answers other than redirects').to.deep.equal([]);
    await eventually(async () => {
      const answer = await fetch(`${started.apiUrl}/analytics?groupBy=count&interval=24h`, {
        headers: { authorization: `Bearer ${started.apiKey}` },
      });
      const { clicks } = (await answer.json()) as { clicks: number };
      expect(clicks).to.be.within(answered.size, answered.size + cut.size);
    });
    expect(await started.stop()).to.equal(0);
  });
});

describe('the private Redis', function () {
  it('has little to replay at its next start', async () => {
    // The shared Redis contains data of other tests.
    const dataDir = mkdtempSync(path.join(tmpdir(), 'shortlinks-redis-'));
    const { url, server } = await startRedis(dataDir, 0, await findRedis(() => {}));
    const redis = connectRedis(url, 'wait');
    try {
      const done = Buffer.alloc(1_000_000, 'x');
      for (let megabyte = 0; megabyte < 80; megabyte += 1) {
        await redis.set('{replay}', done);
        await redis.del('{replay}');
      }
      await eventually(async () => {
        const [, size] = /aof_current_size:(\d+)/.exec(await redis.info('persistence'))!;
        expect(Number(size)).to.be.lessThan(40_000_000);
      });
    } finally {
      redis.disconnect();
      await server.stop();
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
});

describe('a process whose runner was killed', function () {
  const folder = mkdtempSync(path.join(tmpdir(), 'shortlinks-runner-'));
  const frame = pathToFileURL(path.resolve('dist/src/infra/process.js')).href;
  const program = path.join(folder, 'program.mjs');

  /** A pipe that stays open, unlike one to a child, which closes when the child exits. */
  let input: number;

  before(() => {
    execFileSync('mkfifo', [path.join(folder, 'pipe')]);
    input = openSync(path.join(folder, 'pipe'), 'r+');
    writeFileSync(
      program,
      `import { runProcess } from '${frame}';
       setInterval(() => {}, 1_000);
       await runProcess({ name: 'orphan' }, async () => ({ checks: {}, stop: async () => {} }));`,
    );
  });
  after(() => {
    closeSync(input);
    rmSync(folder, { recursive: true });
  });

  for (const [when, isReady] of [
    ['while it starts', false],
    ['later', true],
  ] as const) {
    it(`ends, also where its standard input stays open: ${when}`, async () => {
      const runner = spawn(
        process.execPath,
        [
          '-e',
          `const { spawn } = require('node:child_process');
           const env = { ...process.env, HEALTH_PORT: '0', LOG_LEVEL: 'info', SUPERVISED: String(process.pid) };
           const stdio = ['inherit', 'inherit', 'ignore'];
           console.log(spawn(process.execPath, ['${program}'], { detached: true, stdio, env }).pid);
           setInterval(() => {}, 1_000);`,
        ],
        { stdio: [input, 'pipe', 'ignore'] },
      );
      let output = '';
      runner.stdout!.on('data', (part: Buffer) => {
        output += part.toString();
      });
      const pattern = isReady ? /"msg":"ready"/ : /^\d+\n/;
      await eventually(() => expect(output).to.match(pattern));
      const pid = Number.parseInt(output, 10);
      runner.kill('SIGKILL');
      try {
        await eventually(() => expect(identityOf(pid)).to.equal(undefined));
      } finally {
        if (identityOf(pid) !== undefined) process.kill(pid, 'SIGKILL');
      }
    });
  }
});

describe('a process that does not become ready', function () {
  const folder = mkdtempSync(path.join(tmpdir(), 'shortlinks-runner-'));
  const frame = pathToFileURL(path.resolve('dist/src/infra/process.js')).href;
  let supervised: Supervised | undefined;

  afterEach(() => supervised?.abandon());
  after(() => rmSync(folder, { recursive: true, force: true }));

  const cases = [
    {
      name: 'is reported with the failing check',
      program: `import { runProcess } from '${frame}';
        setInterval(() => {}, 1_000);
        await runProcess({ name: 'slow' }, async () => ({ checks: { disk: () => Promise.reject() }, stop: async () => {} }));`,
      answers: true,
      reason: '/readyz answers 503: {"status":"not ready","failing":["disk"]',
    },
    {
      name: 'is reported as not responding',
      program: 'setInterval(() => {}, 1_000);',
      answers: false,
      reason: 'nothing answers on http://127.0.0.1:',
    },
  ];
  for (const { name, program, answers, reason } of cases) {
    it(name, async () => {
      const file = path.join(folder, 'program.mjs');
      writeFileSync(file, program);
      supervised = new Supervised({
        name: 'slow',
        command: `node ${file}`,
        cwd: process.cwd(),
        env: process.env,
        onLine: () => {},
      });
      supervised.start(await freePort());
      // Its start takes longer than that on a busy machine.
      if (answers) await eventually(() => fetch(supervised!.healthUrl));
      const error = await supervised.ready(12_000).then(
        () => undefined,
        (thrown: Error) => thrown,
      );
      expect(error?.message).to.contain(`slow is not ready after 12 s (${reason}`);
    });
  }

  it('is reported as not running', async () => {
    supervised = new Supervised({
      name: 'missing',
      command: '/no/such/program',
      cwd: process.cwd(),
      env: process.env,
      onLine: () => {},
    });
    supervised.start(await freePort());
    const error = await supervised.ready(4_000).then(
      () => undefined,
      (thrown: Error) => thrown,
    );
    expect(error?.message).to.contain('could not be run: spawn /no/such/program ENOENT');
  });
});
