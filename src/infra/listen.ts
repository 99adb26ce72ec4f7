import type { Server } from 'node:net';
import { ConfigError } from '../config.ts';

/**
 * Time for which a server keeps an idle connection, in ms. Clients and load balancers must close
 * theirs earlier, because a request that arrives while the server closes its connection fails.
 */
export const KEEP_ALIVE_MS = 75_000;

/**
 * Explains an error of listening and what to change; returns the error itself if its cause is
 * unknown.
 *
 * @param portName the variable that holds the port
 */
export function listenFault(
  error: NodeJS.ErrnoException,
  portName: string,
  port: number,
  host: string,
): Error {
  const words: Record<string, string> = {
    EADDRINUSE: `Port ${port} is in use: stop the other program or set ${portName}`,
    EACCES: `${portName}: this account may not listen on port ${port}: choose one above 1023`,
    EADDRNOTAVAIL: `HOST: ${host} is not an address of this machine`,
    ENOTFOUND: `HOST: ${host} is not an address of this machine`,
    EAI_AGAIN: `HOST: the name ${host} cannot be resolved`,
    EINVAL: `HOST: ${host} cannot be listened on`,
  };
  const message = words[error.code ?? ''];
  return message === undefined ? error : new ConfigError(message, { cause: error });
}

/**
 * Resolves when a server listens.
 *
 * @throws the error that `listenFault` returns
 */
export async function listen(
  server: Server,
  portName: string,
  port: number,
  host: string,
): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(listenFault(error, portName, port, host)));
    server.listen(port, host, resolve);
  });
}
