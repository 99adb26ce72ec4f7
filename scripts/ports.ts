import { randomInt } from 'node:crypto';
import { closeSync, mkdirSync, openSync, statSync, utimesSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';

/**
 * Range below the ports that Linux (32768) and macOS (49152) use for outgoing connections: a
 * restarted server must not find its port taken by one.
 */
const LOWEST = 20_000;
const BEYOND = 32_768;
/** Time for which a free port is reserved, in ms, within which its server starts to listen. */
const KEPT_MS = 60_000;
/** Folder with an empty file for each port that a process of this user has reserved. */
const KEPT = path.join(tmpdir(), `shortlinks-ports-${userInfo().uid}`);

/** True if a server can listen on the port. */
export async function isFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return (await bindError(port, host)) === undefined;
}

/** Reason why a server cannot listen on the port; `undefined` if it can. */
export async function bindError(
  port: number,
  host: string,
): Promise<NodeJS.ErrnoException | undefined> {
  const server = await listen(port, host);
  if (server instanceof Error) return server;
  await close(server);
  return undefined;
}

/** Finds distinct free ports. For a minute, they are given to no other process of this user. */
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

/** Finds a free port, like {@link freePorts}. */
export async function freePort(): Promise<number> {
  const [port = 0] = await freePorts(1);
  return port;
}

/**
 * Reserves a port, such as a configured one: for a minute, it is given to no process as a free one.
 */
export function keepPort(port: number): void {
  isKept(port);
}

/** True for a port that was reserved in the last minute; otherwise reserves it. */
function isKept(port: number): boolean {
  const file = path.join(KEPT, String(port));
  const now = Date.now();
  try {
    mkdirSync(KEPT, { recursive: true, mode: 0o700 });
    closeSync(openSync(file, 'wx'));
    return false;
  } catch (error) {
    // Ports are not reserved if files cannot be created.
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
