import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:net';

/**
 * Below the ranges from which Linux (32768) and macOS (49152) take ports for outgoing connections: a server that
 * is started again must not find one of those on its port.
 */
const LOWEST = 20_000;
const BEYOND = 32_768;

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

/** Different free ports. They are not reserved: use them soon. */
export async function freePorts(count: number): Promise<number[]> {
  const held = new Map<number, Server>();
  while (held.size < count) {
    const port = randomInt(LOWEST, BEYOND);
    const server = held.has(port) ? undefined : await listen(port, '127.0.0.1');
    if (server && !(server instanceof Error)) held.set(port, server);
  }
  await Promise.all([...held.values()].map(close));
  return [...held.keys()];
}

/** A free port. It is not reserved: use it soon. */
export async function freePort(): Promise<number> {
  const [port = 0] = await freePorts(1);
  return port;
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
