import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts } from '../../scripts/ports.ts';
import { findBrowser, newContextIn, startBrowser } from '../pages/browser.ts';
import { browser as userAgent } from './browser.ts';

/*
 * Browsers of all three engines from Debian's packages, for tests of scripts on pages of others.
 * Playwright drives Chromium only: its other browsers are builds of its own. Firefox is driven by
 * Marionette, its protocol for WebDriver, and WebKitGTK (MiniBrowser) by WebKitWebDriver.
 */

/** A window of a browser. */
export interface Tab {
  /** Opens a URL, and waits until its page and deferred scripts are loaded. */
  open(url: string): Promise<void>;
  /** Runs the body of an async function in the page, and resolves with its JSON value. */
  // oxlint-disable-next-line typescript/no-explicit-any -- scripts return values of every shape
  run(body: string): Promise<any>;
  /** Closes the window and its browser. */
  close(): Promise<void>;
}

/** A browser engine, and how to start a browser of it with a new profile. */
export interface Engine {
  name: string;
  /** Returns true if the machine has the programs. */
  isInstalled(): boolean;
  /** @param asksForPrivacy true: the browser sends Global Privacy Control, if it can */
  start(options?: { asksForPrivacy?: boolean }): Promise<Tab>;
}

/** Time limit for a browser to start, in ms, since a busy machine is not a defect. */
const PATIENCE_MS = 120_000;

function onPath(...names: string[]): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter);
  return names
    .flatMap((name) => folders.map((folder) => path.join(folder, name)))
    .find((file) => existsSync(file));
}

async function startChromium(): Promise<Tab> {
  const chromium = await startBrowser();
  // The user agent of a headless browser is that of a bot.
  const context = await newContextIn(chromium, { userAgent: userAgent(901) });
  const page = await context.newPage();
  return {
    open: async (url) => void (await page.goto(url)),
    run: (body) => page.evaluate(`(async () => {${body}})()`),
    close: () => chromium.close(),
  };
}

/** Sends a command of WebDriver, and resolves with its value. */
type Command = (name: string, parameters: object) => Promise<unknown>;

/** Wraps an async body for the asynchronous scripts of WebDriver. */
const scriptOf = (body: string): string => `
  const done = arguments[arguments.length - 1];
  (async () => {${body}})().then((value) => done({ value }), ({ message }) => done({ message }));`;

async function runBy(execute: (script: string) => Promise<unknown>, body: string) {
  const result = (await execute(scriptOf(body))) as { value?: unknown; message?: string };
  if (result.message !== undefined) throw new Error(result.message);
  return result.value;
}

/** Starts a program in a process group, so that what it starts ends with it. */
function startProgram(file: string, args: string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
  return spawn(file, args, {
    detached: true,
    stdio: 'ignore',
    env: { ...process.env, ...env },
  });
}

async function endProgram(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.pid === undefined) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  process.kill(-child.pid, 'SIGKILL');
  await ended;
}

async function untilReady<Value>(attempt: () => Promise<Value>): Promise<Value> {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (Date.now() > end) throw error;
      await sleep(100);
    }
  }
}

async function startFirefox({ asksForPrivacy = false } = {}): Promise<Tab> {
  const [port] = await freePorts(1);
  const profile = mkdtempSync(path.join(tmpdir(), 'shortlinks-firefox-'));
  const settings = {
    'marionette.port': port,
    'privacy.globalprivacycontrol.enabled': asksForPrivacy,
    'privacy.globalprivacycontrol.functionality.enabled': asksForPrivacy,
  };
  const lines = Object.entries(settings).map(
    ([name, value]) => `user_pref("${name}", ${String(value)});\n`,
  );
  writeFileSync(path.join(profile, 'user.js'), lines.join(''));
  const file = onPath('firefox-esr', 'firefox')!;
  const args = ['--headless', '--no-remote', '--marionette', '--profile', profile];
  const child = startProgram(file, args, { HOME: profile });
  const socket = await untilReady(() => connected(port!));
  const command = marionette(socket);
  await command('WebDriver:NewSession', { capabilities: {} });
  return {
    open: async (url) => void (await command('WebDriver:Navigate', { url })),
    run: (body) =>
      runBy(async (script) => {
        const parameters = { script, args: [], scriptTimeout: PATIENCE_MS };
        const answer = await command('WebDriver:ExecuteAsyncScript', parameters);
        return (answer as { value: unknown }).value;
      }, body),
    async close() {
      socket.destroy();
      await endProgram(child);
      rmSync(profile, { recursive: true, force: true });
    },
  };
}

function connected(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(socket));
    socket.once('error', reject);
  });
}

/** Speaks Marionette: messages are JSON after their length in bytes and a colon. */
function marionette(socket: Socket): Command {
  const waiting = new Map<number, (error: unknown, value: unknown) => void>();
  let received = Buffer.alloc(0);
  let last = 0;
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk]);
    for (;;) {
      const colon = received.indexOf(':');
      const end = colon + 1 + Number(received.subarray(0, Math.max(colon, 0)).toString());
      if (colon < 0 || received.length < end) return;
      const message: unknown = JSON.parse(received.subarray(colon + 1, end).toString());
      received = received.subarray(end);
      // The first message is a greeting.
      if (!Array.isArray(message)) continue;
      const [, id, error, value] = message as [number, number, unknown, unknown];
      waiting.get(id)?.(error, value);
      waiting.delete(id);
    }
  });
  return (name, parameters) =>
    new Promise((resolve, reject) => {
      last += 1;
      waiting.set(last, (error, value) => {
        if (error === null) resolve(value);
        else reject(new Error(`${name}: ${JSON.stringify(error)}`));
      });
      const text = JSON.stringify([0, last, name, parameters]);
      socket.write(`${Buffer.byteLength(text)}:${text}`);
    });
}

const LIBRARIES = '/usr/lib';

/** Finds WebKitGTK’s browser for tests, which Debian installs outside of the PATH. */
function miniBrowser(): string | undefined {
  if (!existsSync(LIBRARIES)) return undefined;
  return readdirSync(LIBRARIES)
    .filter((name) => name.endsWith('-linux-gnu'))
    .flatMap((name) =>
      ['4.1', '6.0', '4.0'].map((version) =>
        path.join(LIBRARIES, name, `webkit2gtk-${version}`, 'MiniBrowser'),
      ),
    )
    .find((file) => existsSync(file));
}

async function startWebKit(): Promise<Tab> {
  const [port] = await freePorts(1);
  const child = startProgram('xvfb-run', ['-a', 'WebKitWebDriver', `--port=${port}`]);
  let session = '/session';
  const send = async (method: string, command: string, parameters?: object): Promise<unknown> => {
    const answer = await fetch(`http://127.0.0.1:${port}${session}${command}`, {
      method,
      ...(parameters === undefined ? {} : { body: JSON.stringify(parameters) }),
    });
    const { value } = (await answer.json()) as { value: unknown };
    if (!answer.ok) throw new Error(`${command}: ${JSON.stringify(value)}`);
    return value;
  };
  const options = { binary: miniBrowser(), args: ['--automation'] };
  const timeouts = { script: PATIENCE_MS, pageLoad: PATIENCE_MS };
  const capabilities = { alwaysMatch: { 'webkitgtk:browserOptions': options, timeouts } };
  const { sessionId } = (await untilReady(() => send('POST', '', { capabilities }))) as {
    sessionId: string;
  };
  session += `/${sessionId}`;
  return {
    open: async (url) => void (await send('POST', '/url', { url })),
    run: (body) => runBy((script) => send('POST', '/execute/async', { script, args: [] }), body),
    async close() {
      await send('DELETE', '').catch(() => undefined);
      await endProgram(child);
    },
  };
}

/** The engines of all common browsers. */
export const ENGINES: readonly Engine[] = [
  { name: 'Chromium', isInstalled: () => findBrowser() !== undefined, start: startChromium },
  {
    name: 'Firefox',
    isInstalled: () => onPath('firefox-esr', 'firefox') !== undefined,
    start: startFirefox,
  },
  {
    name: 'WebKit',
    isInstalled: () =>
      miniBrowser() !== undefined &&
      onPath('WebKitWebDriver') !== undefined &&
      onPath('xvfb-run') !== undefined,
    start: startWebKit,
  },
];
