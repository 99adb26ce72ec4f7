import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:net';

/**
 * Below the ranges from which Linux (32768) and macOS (49152) take ports for outgoing connections: a server that
 * is started again must not find one of those on its port.
 */
const LOWEST = 20_000;
const BEYOND = 32_768;

/** Whether a server could listen there now. */
export async function isFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  const server = await listen(port, host);
  if (server === undefined) return false;
  await close(server);
  return true;
}

/** Different ports on which nobody listens. They are not kept: use them soon. */
export async function freePorts(count: number): Promise<number[]> {
  const held = new Map<number, Server>();
  while (held.size < count) {
    const port = randomInt(LOWEST, BEYOND);
    const server = held.has(port) ? undefined : await listen(port, '127.0.0.1');
    if (server) held.set(port, server);
  }
  await Promise.all([...held.values()].map(close));
  return [...held.keys()];
}

/** A port on which nobody listens. It is not kept: use it soon. */
export async function freePort(): Promise<number> {
  const [port = 0] = await freePorts(1);
  return port;
}

function listen(port: number, host: string): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen(port, host, () => resolve(server));
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}
