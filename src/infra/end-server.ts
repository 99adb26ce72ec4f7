import type { Server, ServerResponse } from 'node:http';

const SWEEP_MS = 100;

/**
 * Ends an HTTP server in order: it takes no new connection, idle ones are closed, and a request on any other is answered
 * with `Connection: close`. Connections that are still open after `ms` milliseconds are cut.
 */
export async function endServer(server: Server, ms: number): Promise<void> {
  server.prependListener('request', (_request, response: ServerResponse) => {
    response.shouldKeepAlive = false;
  });
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  // Answers that began before the end are sent on connections that stay open, and become idle.
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  const cut = setTimeout(() => server.closeAllConnections(), ms);
  await closed;
  clearInterval(sweep);
  clearTimeout(cut);
}
