import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { Runner } from '../../scripts/procfile.ts';
import { eventually } from '../support/eventually.ts';
// Starts the servers of the tests.
import '../support/stack.ts';

/** Longer than an event loop is allowed to be blocked, in ms. */
const LONGER_MS = 13_000;
const FRAME = pathToFileURL(path.resolve('dist/src/infra/process.js')).href;

/** Programs that run in the common process frame, and start 500 ms after it is ready. */
const PROGRAMS = {
  blocked: 'for (;;) {}',
  suspended: '',
  busy: `for (let n = 0; n < 8; n += 1) {
    const again = () => pbkdf2('password', 'salt', 1_000_000, 64, 'sha512', again);
    again();
  }`,
};

describe('the watchdog', function () {
  let folder: string;
  let runner: Runner;
  const lines: [name: string, line: string][] = [];

  before(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'shortlinks-watchdog-'));
    for (const [name, work] of Object.entries(PROGRAMS)) {
      writeFileSync(
        path.join(folder, `${name}.mjs`),
        `import { pbkdf2 } from 'node:crypto';
         import { runProcess } from '${FRAME}';
         await runProcess({ name: '${name}' }, async () => ({ checks: {}, stop: async () => {} }));
         setInterval(() => {}, 1_000);
         setTimeout(() => { ${work} }, 500);`,
      );
    }
    runner = new Runner({
      processes: Object.keys(PROGRAMS).map((name) => ({
        name,
        command: `node ${path.join(folder, name)}.mjs`,
      })),
      env: process.env,
      cwd: process.cwd(),
      onLine: (name, line) => lines.push([name, line]),
    });
    await runner.start();
  });

  after(async () => {
    runner.abandon();
    rmSync(folder, { recursive: true, force: true });
  });

  it('ends a process whose event loop is blocked, but not one that was suspended or whose threads are busy', async () => {
    const suspendedAt = Date.now();
    runner.kill('suspended', 'SIGSTOP');
    await eventually(() => expect(runner.restarts('blocked')).to.equal(1));
    const fatal = lines.find(([name, line]) => name === 'blocked' && line.includes('"level":60'));
    expect(JSON.parse(fatal?.[1] ?? '{}').msg).to.match(
      /^The event loop was blocked for \d\d s: the process is being ended$/,
    );
    await eventually(
      () => expect(Date.now() - suspendedAt).to.be.greaterThan(LONGER_MS),
      LONGER_MS * 2,
    );
    runner.kill('suspended', 'SIGCONT');
    // A new connection to Postgres needs a thread, which a busy process may not have for a while.
    for (const [name, endpoint] of [
      ['suspended', '/readyz'],
      ['busy', '/healthz'],
    ] as const) {
      await eventually(async () => {
        const answer = await fetch(`${runner.healthUrlOf(name)}${endpoint}`);
        expect(answer.status, `${name}: ${await answer.text()}`).to.equal(200);
      });
    }
    expect([runner.restarts('suspended'), runner.restarts('busy')]).to.deep.equal([0, 0]);
    // Two of the programs never rest, and would slow down the next test.
    runner.abandon();
  });

  it('ends process 1 of a container too, which cannot kill itself, and logs it once', async function () {
    const namespace = [
      '--user',
      '--map-root-user',
      '--pid',
      '--fork',
      '--kill-child',
      '--mount-proc',
    ];
    if (spawnSync('unshare', [...namespace, 'true']).status !== 0) this.skip();
    const child = spawn('unshare', [...namespace, 'node', path.join(folder, 'blocked.mjs')], {
      env: { ...process.env, HEALTH_PORT: '0' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    }
    try {
      await eventually(() => expect(child.exitCode, output).to.equal(137));
      expect(output.split('The event loop was blocked')).to.have.length(2);
      expect(output).to.contain('"pid":1,');
    } finally {
      child.kill('SIGKILL');
    }
  });
});
