import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { errorsOf } from './reference.ts';

/** A request that reached a receiver. */
export interface Received {
  /** Time of arrival, in ms since 1970. */
  at: number;
  id: string;
  headers: Record<string, string>;
  /** The body as it was sent. */
  raw: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into payloads of every shape
  body: any;
}

export type Answer = (
  received: Received,
  response: ServerResponse,
  request: IncomingMessage,
) => void;

const accept: Answer = (_, response) => response.writeHead(204).end();

/**
 * A typical receiver of webhooks: an HTTP server on loopback. Deliveries are verified with the
 * public library of Standard Webhooks.
 */
export class Receiver {
  readonly received: Received[] = [];
  /** Handles requests from now on. */
  answer: Answer = accept;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('error', () => {});
      request.on('end', () => {
        const raw = Buffer.concat(pieces).toString();
        const headers = Object.fromEntries(
          Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
        );
        const received = {
          at: Date.now(),
          id: headers['webhook-id'] ?? '',
          headers,
          raw,
          body: JSON.parse(raw),
        };
        this.received.push(received);
        this.answer(received, response, request);
      });
    });
    this.#server.keepAliveTimeout = 60_000;
  }

  /** @param port 0: any */
  static async start(port = 0): Promise<Receiver> {
    const receiver = new Receiver();
    await new Promise<void>((resolve) => {
      receiver.#server.listen(port, '127.0.0.1', resolve);
    });
    return receiver;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/hook`;
  }

  /** Answers with a status from now on. */
  answerWith(
    status: number,
    headers: Record<string, string> = {},
    body: string | Buffer = '',
  ): void {
    this.answer = (_, response) => response.writeHead(status, headers).end(body);
  }

  accept(): void {
    this.answer = accept;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/**
 * Verifies the signature of a request with the public library. @throws Error if it does not match
 */
export function verify(
  secret: string,
  { raw, headers }: Pick<Received, 'raw' | 'headers'>,
): unknown {
  return new Webhook(secret).verify(raw, headers);
}

/**
 * Validates the body of a delivery against the `webhooks` section of the reference. Bodies of test
 * deliveries have fewer fields, which the reference does not describe.
 *
 * @throws Error if it does not match
 */
export function checkDelivery({ body }: Pick<Received, 'body'>): void {
  const request = ['webhooks', body.type, 'post', 'requestBody'];
  const errors = errorsOf([...request, 'content', 'application/json', 'schema'], body);
  if (errors !== undefined) throw new Error(`${body.type}: ${errors}\n${JSON.stringify(body)}`);
}
