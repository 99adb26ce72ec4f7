import { connect } from 'node:net';

/** Outcome of an exchange with a server. */
export interface RawAnswer {
  /** Status of the first answer, or `undefined` if the connection closed without one. */
  status: number | undefined;
  ms: number;
  /** Beginning of the received text. */
  text: string;
}

/** Interval of the turns that an exchange waits, in ms. */
const TURN_MS = 1_000;
/**
 * Turns after which an exchange is given up. A process that other programs starve counts few turns,
 * however long it takes, so that it does not give up before it could connect and read.
 */
const MOST_TURNS = 60;

/**
 * Sends raw bytes to a port, and reads the status of the answer.
 * @param reset resets the connection instead of waiting for the answer
 */
export function sendRaw(port: number, bytes: Buffer, { reset = false } = {}): Promise<RawAnswer> {
  const startedAt = performance.now();
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(port, '127.0.0.1');
    const end = () => {
      clearInterval(timer);
      socket.destroy();
      const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(text) ?? [];
      resolve({
        status: status === undefined ? undefined : Number(status),
        ms: performance.now() - startedAt,
        text: text.slice(0, 600),
      });
    };
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
      if (turns === MOST_TURNS) end();
    }, TURN_MS);
    socket.on('connect', () => {
      socket.write(bytes, () => {
        if (reset) socket.resetAndDestroy();
      });
    });
    socket.on('data', (chunk) => {
      if (text.length < 4_000) text += chunk.toString('latin1');
      // An interim answer (100 Continue) does not end the exchange.
      if (/^HTTP\/1\.1 [2-5]\d\d /.test(text)) end();
    });
    socket.on('error', end);
    socket.on('close', end);
  });
}

/** A raw header, whose name and value can contain any bytes. */
export type RawHeader = readonly [name: string, value: string];

/** Builds the bytes of an HTTP/1.1 request; texts become UTF-8. */
export function rawRequest(
  method: string,
  target: string,
  headers: readonly RawHeader[],
  body?: Buffer,
): Buffer {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const length = body === undefined ? '' : `content-length: ${body.length}\r\n`;
  const head = `${method} ${target} HTTP/1.1\r\n${lines}${length}connection: close\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), body ?? Buffer.alloc(0)]);
}
