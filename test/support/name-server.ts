import { createSocket, type Socket } from 'node:dgram';
import type { AddressInfo } from 'node:net';

const TXT = 16;
const IN = 1;
const NAME_ERROR = 3;

/** A name server on loopback that knows TXT records only (RFC 1035). */
export class NameServer {
  readonly records = new Map<string, string>();
  readonly #socket: Socket;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('message', (query, { address, port }) => {
      socket.send(this.#answer(query), port, address);
    });
  }

  static async start(): Promise<NameServer> {
    const socket = createSocket('udp4');
    await new Promise<void>((resolve) => {
      socket.bind(0, '127.0.0.1', resolve);
    });
    return new NameServer(socket);
  }

  /** As in the setting DNS_SERVERS. */
  get address(): string {
    return `127.0.0.1:${(this.#socket.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#socket.close(resolve);
    });
  }

  #answer(query: Buffer): Buffer {
    const labels: string[] = [];
    let at = 12;
    while (query[at] !== 0) {
      const length = query[at]!;
      labels.push(query.toString('ascii', at + 1, at + 1 + length));
      at += length + 1;
    }
    const question = query.subarray(12, at + 5);
    const text = this.records.get(labels.join('.').toLowerCase());
    const header = Buffer.alloc(12);
    query.copy(header, 0, 0, 2);
    header.writeUInt16BE(0x8180 | (text === undefined ? NAME_ERROR : 0), 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(text === undefined ? 0 : 1, 6);
    if (text === undefined) return Buffer.concat([header, question]);
    const value = Buffer.from(text, 'ascii');
    const answer = Buffer.alloc(12);
    // The name is the question's, by a pointer to it.
    answer.writeUInt16BE(0xc00c, 0);
    answer.writeUInt16BE(TXT, 2);
    answer.writeUInt16BE(IN, 4);
    answer.writeUInt16BE(value.length + 1, 10);
    return Buffer.concat([header, question, answer, Buffer.from([value.length]), value]);
  }
}
