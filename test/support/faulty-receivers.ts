import type { ServerResponse } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { freePort } from '../../scripts/ports.ts';
import { type Answer, Receiver } from './receiver.ts';

const GIGABYTE = 1024 ** 3;
const MEGABYTE = 1024 ** 2;

const REFUSED = { status: null };
const SILENT = { ...REFUSED, error: 'its host does not answer' };
const LATE = { ...REFUSED, error: 'it took longer than 15 s' };
const answered = (status: number) => ({ status, error: `it answered ${status}` });
const DELIVERED = { status: 200, error: null };

/** One way to misbehave. */
export interface Manner {
  /** What it answers to a request. */
  answers?: Answer;
  /** What it does with a connection, where it doesn't even speak HTTP. Without either, nobody listens. */
  accepts?: (socket: Socket) => void;
  isHttps?: true;
  /** What every attempt comes to. */
  attempt: { status: number | null; error: string | null };
  /** What is kept of an answer's body. */
  body?: string;
}

/** So many bytes, without ever holding them. */
function* bytes(count: number): Generator<Buffer> {
  const piece = Buffer.alloc(64 * 1024, 'a');
  for (let sent = 0; sent < count; sent += piece.length) yield piece;
}

/** Whatever the other side does with it is fine. */
function pour(stream: Readable, response: ServerResponse): void {
  stream.on('error', () => {});
  response.on('error', () => {}).on('close', () => stream.destroy());
  stream.pipe(response);
}

/** Something now and then, until nobody listens any more. */
function drip(response: ServerResponse, send: () => void): void {
  const timer = setInterval(send, 200);
  response.on('close', () => clearInterval(timer));
}

function answerLate(response: ServerResponse): void {
  const timer = setTimeout(() => response.end('at last'), 10_000);
  response.on('close', () => clearTimeout(timer));
}

/** Ways to misbehave, by their titles: "one that …". */
export const MANNERS: Record<string, (elsewhere: Receiver) => Manner> = {
  'answers 500': () => ({
    answers: (_, response) => response.writeHead(500).end('broken'),
    attempt: answered(500),
    body: 'broken',
  }),
  'never answers': () => ({ answers: () => {}, attempt: LATE }),
  'hangs after its headers': () => ({
    answers: (_, response) => response.writeHead(200).flushHeaders(),
    attempt: LATE,
  }),
  'has moved for good': (elsewhere) => ({
    answers: (_, response) => response.writeHead(301, { location: elsewhere.url }).end(),
    attempt: answered(301),
  }),
  'has moved for now': (elsewhere) => ({
    answers: (_, response) => response.writeHead(307, { location: elsewhere.url }).end(),
    attempt: answered(307),
  }),
  'wants no more': () => ({
    answers: (_, response) => response.writeHead(410).end(),
    attempt: answered(410),
  }),
  'sends a gigabyte': () => ({
    answers: (_, response) => pour(Readable.from(bytes(GIGABYTE)), response.writeHead(200)),
    attempt: DELIVERED,
    body: 'a'.repeat(16 * 1024),
  }),
  'sends a gigabyte, compressed': () => ({
    answers: (_, response) => {
      const headers = { 'content-encoding': 'gzip' };
      pour(Readable.from(bytes(GIGABYTE)).pipe(createGzip()), response.writeHead(200, headers));
    },
    attempt: DELIVERED,
    body: 'a'.repeat(16 * 1024),
  }),
  'resets connections': () => ({ accepts: (socket) => socket.resetAndDestroy(), attempt: SILENT }),
  'resets connections in the middle of an answer': () => ({
    answers: (_, response, { socket }) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('half', () => socket.resetAndDestroy());
    },
    attempt: SILENT,
  }),
  'speaks something else': () => ({
    answers: (_, __, { socket }) => void socket.end('SSH-2.0-OpenSSH_9.6\r\n'),
    attempt: SILENT,
  }),
  'never ends its TLS handshake': () => ({ accepts: () => {}, isHttps: true, attempt: SILENT }),
  'speaks no TLS': () => ({
    accepts: (socket) => void socket.end('SSH-2.0-OpenSSH_9.6\r\n'),
    isHttps: true,
    attempt: { ...REFUSED, error: 'its certificate is not valid' },
  }),
  'drips its body': () => ({
    answers: (_, response) => {
      response.writeHead(200);
      drip(response, () => response.write('.'));
    },
    attempt: LATE,
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
  'is not there': () => ({ attempt: SILENT }),
  'sends huge headers': () => ({
    answers: (_, response) => response.writeHead(200, { 'x-huge': 'a'.repeat(MEGABYTE) }).end(),
    attempt: SILENT,
  }),
  'answers with bytes that are no text': () => ({
    answers: (_, response) => response.end(Buffer.from('a\0b\xff\xed\xa0\x80c', 'latin1')),
    attempt: DELIVERED,
    body: 'ab\uFFFD\uFFFD\uFFFD\uFFFDc',
  }),
};

/** A receiver that misbehaves in one way. */
export class Misfit {
  readonly manner: Manner;
  /** Most bytes that went out on one connection. */
  sent = 0;
  #port = 0;
  #receiver: Receiver | undefined;
  #server: Server | undefined;
  readonly #sockets = new Set<Socket>();

  private constructor(manner: Manner) {
    this.manner = manner;
  }

  static async start(manner: Manner): Promise<Misfit> {
    const misfit = new Misfit(manner);
    const { answers, accepts } = manner;
    if (answers !== undefined) misfit.#port = await misfit.#answerWith(answers);
    else if (accepts !== undefined) misfit.#port = await misfit.#acceptWith(accepts);
    else misfit.#port = await freePort();
    return misfit;
  }

  get url(): string {
    return `${this.manner.isHttps === true ? 'https' : 'http'}://127.0.0.1:${this.#port}/hook`;
  }

  /** Misbehaves no longer, where it speaks HTTP. */
  mend(): void {
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
