import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ROOT } from '../src/infra/root.ts';
import { freePorts } from './ports.ts';

const BROWSER =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';
const READY = 'Ctrl-C stops everything';
/** Aims for the time to the first counted click, in s. */
const AIM_S = { clone: 60, container: 30 };
const PATIENCE_MS = 300_000;
const POLL_MS = 50;

/** Waits until a started service says that it is ready, then makes a link, visits it, and waits until that is counted. */
async function firstClick(child: ChildProcess, [apiPort, redirectPort]: number[]): Promise<void> {
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (part: Buffer) => {
      output += part.toString();
    });
  }
  const deadline = Date.now() + PATIENCE_MS;
  while (!output.includes(READY)) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`not ready:\n${output}`);
    await pause(POLL_MS);
  }
  const authorization = `Bearer ${/API key +(\S+)/.exec(output)?.[1] ?? ''}`;
  const api = `http://127.0.0.1:${apiPort}`;
  const made = await fetch(`${api}/links`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ url: 'https://example.com/', key: 'first-click' }),
  });
  if (made.status !== 201) throw new Error(`POST /links answered ${made.status}`);
  const visit = await fetch(`http://localhost:${redirectPort}/first-click`, {
    redirect: 'manual',
    headers: { 'user-agent': BROWSER },
  });
  if (visit.status !== 302) throw new Error(`the visit was answered with ${visit.status}`);
  for (let clicks = 0; clicks === 0; ) {
    if (Date.now() > deadline) throw new Error('the click was not counted');
    const counted = await fetch(`${api}/analytics?groupBy=count&interval=24h`, {
      headers: { authorization },
    });
    ({ clicks } = (await counted.json()) as { clicks: number });
    if (clicks === 0) await pause(POLL_MS);
  }
}

function report(from: keyof typeof AIM_S, startedAt: number): void {
  const seconds = (performance.now() - startedAt) / 1_000;
  console.log(`${from} to first counted click: ${seconds.toFixed(1)} s (aim: ${AIM_S[from]} s)`);
  if (seconds > AIM_S[from]) process.exitCode = 1;
}

/** A clone of the last commit, with nothing installed or built, and `npm start`. */
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
    await firstClick(child, ports);
    report('clone', startedAt);
  } finally {
    await end(child);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A new container of an image that is there already, with no data. */
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
    await firstClick(child, ports);
    report('container', startedAt);
  } finally {
    await end(child);
  }
}

/** Sends what a Ctrl-C in a terminal does: the signal goes to the whole group. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.pid === undefined) return;
  const ended = once(child, 'exit');
  process.kill(-child.pid, 'SIGINT');
  await ended;
}

/**
 * `npm run first-click [-- --from clone|container --engine podman --image shortlinks-all -- --network host]`: how long it
 * takes from a clone, and from the start of a container, to the first counted click. What follows a second `--` are options
 * of `run`.
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
