import type { ChildProcess } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
} from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { identityOf, isAlive } from '#lock';
import { freePort, isFree } from '../ports.ts';
import { keep } from './kept.ts';
import { summaryOf } from './server-log.ts';
import { SetupError } from './setup-error.ts';

/**
 * State of a server that is contacted with the installation's password: ready with the right data,
 * starting, refusing the password, or ready with other data (`elsewhere`).
 */
export type Greeting = 'ready' | 'starting' | 'refused' | 'elsewhere';

/** A kind of private server. */
export interface Kind {
  /** Name for people: `Postgres`. */
  title: string;
  /** Name for files: `postgres`. */
  name: string;
  /** The variable that fixes its port, and the value of that; 0: any port. */
  portVariable: string;
  fixedPort: number;
  /** Starts it in its own process group; its output goes to the open file `log`. */
  spawn(port: number, log: number): ChildProcess;
  greet(port: number): Promise<Greeting>;
  /** Signal for an orderly end that does not wait for clients. */
  stopSignal: NodeJS.Signals;
  /** Called before a start if the last server is known to have ended. */
  cleanUp?(lastPid: number): void;
}

/** A running private server. */
export interface PrivateServer {
  port: number;
  isAlive(): boolean;
  /** Requests an orderly end without waiting. */
  end(): void;
  /** Ends it in order; resolves once it is gone. */
  stop(): Promise<void>;
}

/** The last started server, stored in `DATA_DIR/<name>.json`. */
interface Launch {
  port: number;
  /** Identity of the process (`identityOf`). */
  identity: string;
}

const READY_MS = 120_000;
const STOP_MS = 60_000;
const POLL_MS = 20;
const ATTEMPTS = 3;
const RETRY_MS = 500;
/** Size from which logs are rotated at the next start, in bytes. */
const LOG_BYTES = 5_000_000;

/**
 * Returns the private server of `dataDir`: a running one, or else a new one. Must be called by one
 * process at a time.
 *
 * @throws SetupError
 */
export async function ensureRunning(dataDir: string, kind: Kind): Promise<PrivateServer> {
  const file = path.join(dataDir, `${kind.name}.json`);
  const last = readLaunch(file, kind);
  const lastState = last ? await untilReady(kind, last) : 'ended';
  if (last && lastState === 'ready') return running(kind, last);
  if (lastState === 'refused') throw new SetupError(wrongPassword(dataDir, kind));
  if (last && lastState === 'ended') kind.cleanUp?.(pidOf(last));
  const log = openLog(dataDir, kind);
  for (let attempt = 1; ; attempt += 1) {
    const port = await choosePort(kind, last?.port);
    const launch = { port, identity: await launched(kind, kind.spawn(port, log.fd)) };
    keep(file, JSON.stringify(launch));
    const state = await untilReady(kind, launch);
    if (state === 'ready') {
      closeSync(log.fd);
      return running(kind, launch);
    }
    if (state === 'ended' && attempt < ATTEMPTS) {
      // Another program may have taken the port since the check; or, after a crash, processes of
      // the previous server may still be ending.
      await pause(RETRY_MS);
      continue;
    }
    await running(kind, launch).stop();
    throw new SetupError(
      state === 'refused'
        ? wrongPassword(dataDir, kind)
        : `The private ${kind.title} did not start. ${log.file} says: ${log.summary()}`,
    );
  }
}

function wrongPassword(dataDir: string, { name, title }: Kind): string {
  return `The private ${title} of ${dataDir} has another password than ${name}.password holds: put that file back, or end the server, remove the folder ${name} and start anew.`;
}

function readLaunch(file: string, { title }: Kind): Launch | undefined {
  if (!existsSync(file)) return undefined;
  try {
    const { port, identity } = JSON.parse(readFileSync(file, 'utf8')) as Partial<Launch>;
    if (Number.isInteger(port) && /^\d+ ./.test(String(identity)))
      return { port, identity } as Launch;
  } catch {
    // Invalid JSON counts as damaged, too.
  }
  // Two servers on the same data would destroy them, and the running one is no longer known.
  throw new SetupError(
    `${file} is damaged: end the private ${title} where it still runs, and remove the file.`,
  );
}

/** Returns the identity of a process that was just spawned. */
async function launched(kind: Kind, child: ChildProcess): Promise<string> {
  if (child.pid === undefined) {
    const error = await new Promise<Error>((resolve) => child.once('error', resolve));
    throw new SetupError(`The private ${kind.title} could not be run: ${error.message}`);
  }
  // The server outlives this process if that is killed, and does not keep it running.
  child.unref();
  return identityOf(child.pid) ?? `${child.pid} ended`;
}

async function untilReady(kind: Kind, launch: Launch): Promise<Greeting | 'ended'> {
  const deadline = Date.now() + READY_MS;
  let refusals = 0;
  while (isAlive(launch.identity)) {
    const greeting = await kind.greet(launch.port);
    if (greeting === 'ready') return greeting;
    if (greeting !== 'starting') {
      refusals += 1;
      // The first refusals may come from another program on the port, on which this server fails to
      // start.
      if (refusals > 10) return greeting;
    }
    if (Date.now() > deadline) {
      throw new SetupError(
        `The private ${kind.title} (process ${pidOf(launch)}) does not answer on port ${launch.port}: end that process and try again.`,
      );
    }
    await pause(POLL_MS);
  }
  return 'ended';
}

function pidOf({ identity }: Launch): number {
  return Number.parseInt(identity, 10);
}

async function choosePort({ fixedPort, portVariable, title }: Kind, last = 0): Promise<number> {
  if (fixedPort !== 0) {
    if (await isFree(fixedPort)) return fixedPort;
    throw new SetupError(
      `${portVariable}: port ${fixedPort} is in use. Stop the other program, choose another port for the private ${title}, or unset the variable.`,
    );
  }
  if (last !== 0 && (await isFree(last))) return last;
  return freePort();
}

function running(kind: Kind, launch: Launch): PrivateServer {
  const { port, identity } = launch;
  const end = () => {
    if (isAlive(identity)) process.kill(pidOf(launch), kind.stopSignal);
  };
  return {
    port,
    isAlive: () => isAlive(identity),
    end,
    async stop() {
      end();
      const deadline = Date.now() + STOP_MS;
      while (isAlive(identity)) {
        if (Date.now() > deadline) {
          throw new SetupError(`The private ${kind.title} did not end within ${STOP_MS / 1000} s.`);
        }
        await pause(POLL_MS);
      }
    },
  };
}

/** Opens the server's log for appending; `summary()` summarizes what was added since. */
function openLog(
  dataDir: string,
  { name }: Kind,
): {
  fd: number;
  file: string;
  summary(): string;
} {
  const folder = path.join(dataDir, 'log');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = path.join(folder, `${name}.log`);
  if (existsSync(file) && statSync(file).size > LOG_BYTES) renameSync(file, `${file}.1`);
  const fd = openSync(file, 'a', 0o600);
  const begin = statSync(file).size;
  return {
    fd,
    file,
    summary: () => summaryOf(readFileSync(file).subarray(begin).toString()),
  };
}
