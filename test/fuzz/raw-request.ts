import { connect } from 'node:net';

/** End of an exchange with a server. */
export interface RawAnswer {
  /** Status of the first answer; `undefined` where the connection was closed without one. */
  status: number | undefined;
  ms: number;
  /** The beginning of what came back. */
  text: string;
}

const PATIENCE_MS = 30_000;

/**
 * Writes bytes to a port as they are and reads the status of the answer.
 *
 * @param reset cuts the connection at once instead of waiting for the answer
 */
export function sendRaw(port: number, bytes: Buffer, { reset = false } = {}): Promise<RawAnswer> {
  const startedAt = performance.now();
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(port, '127.0.0.1');
    const end = () => {
      clearTimeout(timer);
      socket.destroy();
      const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(text) ?? [];
      resolve({
        status: status === undefined ? undefined : Number(status),
        ms: performance.now() - startedAt,
        text: text.slice(0, 600),
      });
    };
    // Where this process got no processor time, the answer may be there and only not be read yet.
    const timer = setTimeout(() => setImmediate(end), PATIENCE_MS);
    socket.on('connect', () => {
      socket.write(bytes, () => {
        if (reset) socket.resetAndDestroy();
      });
    });
    socket.on('data', (chunk) => {
      if (text.length < 4_000) text += chunk.toString('latin1');
      // An interim answer (100 Continue) is not the one that was asked for.
      if (/^HTTP\/1\.1 [2-5]\d\d /.test(text)) end();
    });
    socket.on('error', end);
    socket.on('close', end);
  });
}

/** A header as sent: names and values may hold any bytes. */
export type RawHeader = readonly [name: string, value: string];

/** The bytes of an HTTP/1.1 request; texts are written as UTF-8. */
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
