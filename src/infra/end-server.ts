import type { Server, ServerResponse } from 'node:http';

const SWEEP_MS = 100;

/**
 * Shuts an HTTP server down gracefully: it accepts no new connection, closes idle ones, and answers
 * requests on the others with `Connection: close`. Connections still open after `ms` milliseconds
 * are closed.
 */
export async function endServer(server: Server, ms: number): Promise<void> {
  server.prependListener('request', (_request, response: ServerResponse) => {
    response.shouldKeepAlive = false;
  });
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  // Responses that began before the shutdown leave their connections open and idle.
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  const cut = setTimeout(() => server.closeAllConnections(), ms);
  await closed;
  clearInterval(sweep);
  clearTimeout(cut);
}
