import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';

/**
 * A proxy that terminates TLS, as in front of a real installation. Its self-signed certificate is
 * for localhost.
 */
export class TlsProxy {
  /** URL to which requests are passed on. */
  target = '';
  readonly #server: Server;

  private constructor() {
    this.#server = createServer(
      {
        key: readFileSync('test/data/tls/localhost.key'),
        cert: readFileSync('test/data/tls/localhost.crt'),
      },
      (incoming, response) => {
        const headers = {
          ...incoming.headers,
          'x-forwarded-proto': 'https',
          'x-forwarded-for': incoming.socket.remoteAddress,
        };
        const { method } = incoming;
        const outgoing = request(this.target + incoming.url, { method, headers }, (answer) => {
          response.writeHead(answer.statusCode ?? 502, answer.headers);
          answer.pipe(response);
        });
        outgoing.on('error', () => response.destroy());
        incoming.pipe(outgoing);
      },
    );
  }

  static async start(): Promise<TlsProxy> {
    const proxy = new TlsProxy();
    await new Promise<void>((resolve) => {
      proxy.#server.listen(0, '127.0.0.1', resolve);
    });
    return proxy;
  }

  get origin(): string {
    return `https://localhost:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
