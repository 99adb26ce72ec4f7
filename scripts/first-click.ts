import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from '../src/infra/root.ts';
import { freePorts } from './ports.ts';
import { firstClick, untilReady } from './started-service.ts';

/** Target times until `npm start` is ready, in seconds. */
const AIM_S = { clone: 30, container: 30 };

/**
 * Waits for the first counted click, and reports the times until the service was ready and until
 * that click.
 */
async function measure(
  from: keyof typeof AIM_S,
  startedAt: number,
  child: ChildProcess,
  ports: number[],
): Promise<void> {
  const seconds = () => (performance.now() - startedAt) / 1_000;
  const output = await untilReady(child);
  const ready = seconds();
  await firstClick(output, ports);
  console.log(
    `${from}: ready after ${ready.toFixed(1)} s (aim: ${AIM_S[from]} s), first click counted after ${seconds().toFixed(1)} s`,
  );
  if (ready > AIM_S[from]) process.exitCode = 1;
}

/** Clones the last commit with nothing installed or built, and runs `npm start`. */
async function fromClone(): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'shortlinks-first-click-'));
  const ports = await freePorts(2);
  const startedAt = performance.now();
  execFileSync('git', ['clone', '--quiet', ROOT, path.join(folder, 'clone')]);
  const { DATABASE_URL: _, REDIS_URL: __, DATA_DIR: ___, ...env } = process.env;
  const child = spawn('npm', ['start'], {
    cwd: path.join(folder, 'clone'),
    env: { ...env, API_PORT: String(ports[0]), REDIRECT_PORT: String(ports[1]) },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  try {
    await measure('clone', startedAt, child, ports);
  } finally {
    await end(child);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Starts a new container of an existing image, without data. */
async function fromImage(engine: string, image: string, options: string[]): Promise<void> {
  if (spawnSync(engine, ['image', 'inspect', image]).status !== 0) {
    console.log(`container: skipped, ${engine} has no image ${image}`);
    return;
  }
  const ports = await freePorts(2);
  const [api, redirect] = ports;
  const startedAt = performance.now();
  const child = spawn(
    engine,
    [
      'run',
      '--rm',
      `--publish=${api}:${api}`,
      `--publish=${redirect}:${redirect}`,
      `--env=API_PORT=${api}`,
      `--env=REDIRECT_PORT=${redirect}`,
      ...options,
      image,
    ],
    { stdio: ['ignore', 'pipe', 'pipe'], detached: true },
  );
  try {
    await measure('container', startedAt, child, ports);
  } finally {
    await end(child);
  }
}

/** Signals the whole process group, like Ctrl-C in a terminal. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.pid === undefined) return;
  const ended = once(child, 'exit');
  process.kill(-child.pid, 'SIGINT');
  await ended;
}

/**
 * Usage: `npm run first-click [-- --from clone|container --engine podman --image shortlinks-all --
 * --network host]`. Measures the time from a clone, or from the start of a container, to the first
 * counted click. Options after a second `--` are passed to `run`.
 */
const { values, positionals } = parseArgs({
  options: {
    from: { type: 'string', default: 'both' },
    engine: { type: 'string', default: 'docker' },
    image: { type: 'string', default: 'shortlinks-all' },
  },
  allowPositionals: true,
});
if (values.from !== 'container') await fromClone();
if (values.from !== 'clone') await fromImage(values.engine, values.image, positionals);
