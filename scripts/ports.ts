import { randomInt } from 'node:crypto';
import { closeSync, mkdirSync, openSync, statSync, utimesSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';

/**
 * Below the ranges from which Linux (32768) and macOS (49152) take ports for outgoing connections: a server that
 * is started again must not find one of those on its port.
 */
const LOWEST = 20_000;
const BEYOND = 32_768;
/** Time for which a port is nobody else's once it was found to be free, in ms: servers listen there by then. */
const KEPT_MS = 60_000;
/** Has an empty file for each port that was found by a process of this user. */
const KEPT = path.join(tmpdir(), `shortlinks-ports-${userInfo().uid}`);

/** True if a server could listen there now. */
export async function isFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return (await bindError(port, host)) === undefined;
}

/** Why a server could not listen there now; `undefined` when it could. */
export async function bindError(
  port: number,
  host: string,
): Promise<NodeJS.ErrnoException | undefined> {
  const server = await listen(port, host);
  if (server instanceof Error) return server;
  await close(server);
  return undefined;
}

/** Different free ports. For a minute, no other process of this user that asks for free ports is given them. */
export async function freePorts(count: number): Promise<number[]> {
  const held = new Map<number, Server>();
  while (held.size < count) {
    const port = randomInt(LOWEST, BEYOND);
    const server = isKept(port) ? undefined : await listen(port, '127.0.0.1');
    if (server && !(server instanceof Error)) held.set(port, server);
  }
  await Promise.all([...held.values()].map(close));
  return [...held.keys()];
}

/** A free port, as {@link freePorts}. */
export async function freePort(): Promise<number> {
  const [port = 0] = await freePorts(1);
  return port;
}

/** Makes a port, such as a configured one, the caller's: no process is given it as a free one for a minute. */
export function keepPort(port: number): void {
  isKept(port);
}

/** True for a port that was given away in the last minute; otherwise it is the caller's from now on. */
function isKept(port: number): boolean {
  const file = path.join(KEPT, String(port));
  const now = Date.now();
  try {
    mkdirSync(KEPT, { recursive: true, mode: 0o700 });
    closeSync(openSync(file, 'wx'));
    return false;
  } catch (error) {
    // Where no files can be made, ports are not kept.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return false;
  }
  const isRecent = now - statSync(file).mtimeMs < KEPT_MS;
  if (!isRecent) utimesSync(file, now / 1_000, now / 1_000);
  return isRecent;
}

function listen(port: number, host: string): Promise<Server | NodeJS.ErrnoException> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', resolve);
    server.listen(port, host, () => resolve(server));
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}
