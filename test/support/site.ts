import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** A fixed answer. */
export interface SiteAnswer {
  status?: number;
  type?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  delayMs?: number;
}

/** A web site on loopback whose responses are set by the test. */
export class Site {
  readonly #server: Server;
  readonly #address: string;
  readonly #answers = new Map<string, Handler>();
  readonly #counts = new Map<string, number>();
  /** Number of connections since its start. */
  connections = 0;

  private constructor(address: string) {
    this.#address = address;
    this.#server = createServer((request, response) => {
      const path = (request.url ?? '/').split('?')[0]!;
      this.#counts.set(path, this.requests(path) + 1);
      const answer = this.#answers.get(path);
      if (answer === undefined) response.writeHead(404).end();
      else answer(request, response);
    });
    this.#server.on('connection', () => {
      this.connections += 1;
    });
  }

  static async start(address = '127.0.0.1'): Promise<Site> {
    const site = new Site(address);
    await new Promise<void>((resolve) => {
      site.#server.listen(0, address, resolve);
    });
    return site;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://${this.#address}:${this.port}`;
  }

  /** Sets the response of a path from now on. @returns its URL */
  answer(path: string, answer: SiteAnswer | Handler): string {
    this.#answers.set(path, typeof answer === 'function' ? answer : handlerOf(answer));
    return this.url + path;
  }

  /** Number of requests for a path, or for all paths. */
  requests(path?: string): number {
    if (path !== undefined) return this.#counts.get(path) ?? 0;
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Number of open connections. */
  open(): Promise<number> {
    return promisify(this.#server.getConnections.bind(this.#server))();
  }

  /** Closes every connection. */
  hangUp(): void {
    this.#server.closeAllConnections();
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

function handlerOf({
  status = 200,
  type,
  headers = {},
  body = '',
  delayMs = 0,
}: SiteAnswer): Handler {
  const all = type === undefined ? headers : { ...headers, 'content-type': type };
  return (_request, response) => {
    setTimeout(() => response.writeHead(status, all).end(body), delayMs);
  };
}
