import type { ServerResponse } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { freePort } from '../../scripts/ports.ts';
import { type Answer, Receiver } from './receiver.ts';

const GIGABYTE = 1024 ** 3;
const MEGABYTE = 1024 ** 2;

const REFUSED = { status: null };
const SILENT = { ...REFUSED, error: 'url must have a host that responds over HTTP' };
const LATE = { ...REFUSED, error: 'url must respond completely within 15 s' };
const answered = (status: number) => ({
  status,
  error: `url must respond with status 2xx, not ${status}`,
});
const DELIVERED = { status: 200, error: null };

/** One kind of fault. */
export interface Fault {
  /** Responds to a request. */
  answers?: Answer;
  /**
   * Handles a connection, for a receiver that does not speak HTTP. With neither handler, the port
   * is closed.
   */
  accepts?: (socket: Socket) => void;
  isHttps?: true;
  /** Expected outcome of every attempt. */
  attempt: { status: number | null; error: string | null };
  /** Part of the response's body that is stored. */
  body?: string;
}

/** Yields `count` bytes in pieces. */
function* bytes(count: number): Generator<Buffer> {
  const piece = Buffer.alloc(64 * 1024, 'a');
  for (let sent = 0; sent < count; sent += piece.length) yield piece;
}

/** Streams into a response, ignoring errors on either side. */
function pour(stream: Readable, response: ServerResponse): void {
  stream.on('error', () => {});
  response.on('error', () => {}).on('close', () => stream.destroy());
  stream.pipe(response);
}

/** Sends something every 200 ms until the response is closed. */
function drip(response: ServerResponse, send: () => void): void {
  const timer = setInterval(send, 200);
  response.on('close', () => clearInterval(timer));
}

function answerLate(response: ServerResponse): void {
  const timer = setTimeout(() => response.end('at last'), 10_000);
  response.on('close', () => clearTimeout(timer));
}

/** Faults by their titles, which complete "one that …". */
export const FAULTS: Record<string, (elsewhere: Receiver) => Fault> = {
  'answers 500': () => ({
    answers: (_, response) => response.writeHead(500).end('broken'),
    attempt: answered(500),
    body: 'broken',
  }),
  'never answers': () => ({ answers: () => {}, attempt: LATE }),
  'hangs after its headers': () => ({
    answers: (_, response) => response.writeHead(200).flushHeaders(),
    attempt: DELIVERED,
    body: '',
  }),
  'redirects permanently': (elsewhere) => ({
    answers: (_, response) => response.writeHead(301, { location: elsewhere.url }).end(),
    attempt: answered(301),
  }),
  'redirects temporarily': (elsewhere) => ({
    answers: (_, response) => response.writeHead(307, { location: elsewhere.url }).end(),
    attempt: answered(307),
  }),
  'answers 410': () => ({
    answers: (_, response) => response.writeHead(410).end(),
    attempt: answered(410),
  }),
  'sends 1 GiB': () => ({
    answers: (_, response) => pour(Readable.from(bytes(GIGABYTE)), response.writeHead(200)),
    attempt: DELIVERED,
    body: 'a'.repeat(16 * 1024),
  }),
  'sends 1 GiB, compressed': () => ({
    answers: (_, response) => {
      const headers = { 'content-encoding': 'gzip' };
      pour(Readable.from(bytes(GIGABYTE)).pipe(createGzip()), response.writeHead(200, headers));
    },
    attempt: DELIVERED,
    body: 'a'.repeat(16 * 1024),
  }),
  'resets connections': () => ({ accepts: (socket) => socket.resetAndDestroy(), attempt: SILENT }),
  'resets connections during a response': () => ({
    answers: (_, response, { socket }) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('half', () => socket.resetAndDestroy());
    },
    attempt: DELIVERED,
  }),
  'speaks another protocol': () => ({
    answers: (_, __, { socket }) => void socket.end('SSH-2.0-OpenSSH_9.6\r\n'),
    attempt: SILENT,
  }),
  'never ends its TLS handshake': () => ({ accepts: () => {}, isHttps: true, attempt: SILENT }),
  'speaks no TLS': () => ({
    accepts: (socket) => void socket.end('SSH-2.0-OpenSSH_9.6\r\n'),
    isHttps: true,
    attempt: { ...REFUSED, error: 'url must have a valid TLS certificate' },
  }),
  'drips its body': () => ({
    answers: (_, response) => {
      response.writeHead(200);
      drip(response, () => response.write('.'));
    },
    attempt: DELIVERED,
  }),
  'drips its headers': () => ({
    answers: (_, response, { socket }) => {
      socket.write('HTTP/1.1 200 OK\r\nx-slow: ');
      drip(response, () => socket.write('.'));
    },
    attempt: LATE,
  }),
  'answers after 10 s': () => ({
    answers: (_, response) => answerLate(response),
    attempt: DELIVERED,
    body: 'at last',
  }),
  'does not listen': () => ({ attempt: SILENT }),
  'sends huge headers': () => ({
    answers: (_, response) => response.writeHead(200, { 'x-huge': 'a'.repeat(MEGABYTE) }).end(),
    attempt: SILENT,
  }),
  'answers with bytes that are not UTF-8': () => ({
    answers: (_, response) => response.end(Buffer.from('a\0b\xff\xed\xa0\x80c', 'latin1')),
    attempt: DELIVERED,
    body: 'ab\uFFFD\uFFFD\uFFFD\uFFFDc',
  }),
};

/** A receiver with one fault. */
export class FaultyReceiver {
  readonly fault: Fault;
  /** Maximum number of bytes sent on one connection. */
  sent = 0;
  #port = 0;
  #receiver: Receiver | undefined;
  #server: Server | undefined;
  readonly #sockets = new Set<Socket>();

  private constructor(fault: Fault) {
    this.fault = fault;
  }

  static async start(fault: Fault): Promise<FaultyReceiver> {
    const faulty = new FaultyReceiver(fault);
    const { answers, accepts } = fault;
    if (answers !== undefined) faulty.#port = await faulty.#answerWith(answers);
    else if (accepts !== undefined) faulty.#port = await faulty.#acceptWith(accepts);
    else faulty.#port = await freePort();
    return faulty;
  }

  get url(): string {
    return `${this.fault.isHttps === true ? 'https' : 'http'}://127.0.0.1:${this.#port}/hook`;
  }

  /** Accepts every request from now on, if it speaks HTTP. */
  repair(): void {
    this.#receiver?.accept();
  }

  async stop(): Promise<void> {
    this.#server?.close();
    for (const socket of this.#sockets) socket.destroy();
    await this.#receiver?.stop();
  }

  async #answerWith(answers: Answer): Promise<number> {
    const receiver = await Receiver.start();
    this.#receiver = receiver;
    receiver.answer = (received, response, request) => {
      const { socket } = request;
      response.on('close', () => {
        this.sent = Math.max(this.sent, socket.bytesWritten);
      });
      answers(received, response, request);
    };
    return receiver.port;
  }

  async #acceptWith(accepts: (socket: Socket) => void): Promise<number> {
    const server = createServer((socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => {}).on('close', () => this.#sockets.delete(socket));
      accepts(socket);
    });
    this.#server = server;
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    return (server.address() as AddressInfo).port;
  }
}
