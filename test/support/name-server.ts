import { createSocket, type Socket } from 'node:dgram';
import type { AddressInfo } from 'node:net';
import ipaddr from 'ipaddr.js';

const TYPES = { A: 1, NS: 2, CNAME: 5, TXT: 16, AAAA: 28 } as const;
const IN = 1;
const FAILURES = { SERVFAIL: 2, NXDOMAIN: 3 } as const;

type Type = keyof typeof TYPES;

/** Response to queries for a name. Without addresses of the requested type it is empty (NODATA). */
export interface NameAnswer {
  /** IPv4 and IPv6 addresses. */
  addresses?: string[];
  /** The canonical name with the addresses, whose records are answered too. */
  cname?: string;
  nameServers?: string[];
  failure?: keyof typeof FAILURES;
  /** Types of queries that get no answer. */
  silentOn?: Type[];
  delayMs?: number;
}

/**
 * A name server on loopback for TXT records and addresses (RFC 1035, RFC 3596), with a TTL of 0.
 */
export class NameServer {
  /** TXT records by name. */
  readonly records = new Map<string, string>();
  readonly #socket: Socket;
  readonly #answers = new Map<string, NameAnswer[]>();
  readonly #questions = new Map<string, number>();

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('message', (query, { address, port }) => {
      const { answer, delayMs } = this.#answer(query);
      if (answer === undefined) return;
      if (delayMs === 0) socket.send(answer, port, address);
      else setTimeout(() => socket.send(answer, port, address), delayMs);
    });
  }

  static async start(): Promise<NameServer> {
    const socket = createSocket('udp4');
    await new Promise<void>((resolve) => {
      socket.bind(0, '127.0.0.1', resolve);
    });
    return new NameServer(socket);
  }

  /** Address for the setting DNS_SERVERS. */
  get address(): string {
    return `127.0.0.1:${(this.#socket.address() as AddressInfo).port}`;
  }

  /**
   * Sets the responses to look-ups of a name: one after the other, then the last one repeatedly.
   */
  answer(name: string, ...answers: (NameAnswer | string[])[]): void {
    const all = answers.map((one) => (Array.isArray(one) ? { addresses: one } : one));
    this.#answers.set(name, all);
    for (const type of Object.keys(TYPES)) this.#questions.delete(`${type} ${name}`);
  }

  /** Number of look-ups of a name since its responses were set. */
  lookups(name: string): number {
    return this.#questions.get(`A ${name}`) ?? 0;
  }

  async stop(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#socket.close(resolve);
    });
  }

  #answer(query: Buffer): { answer?: Buffer; delayMs: number } {
    const { name, type, end } = readQuestion(query);
    const question = query.subarray(12, end);
    const respond = (failure: number, records: Buffer[]): Buffer => {
      const header = Buffer.alloc(12);
      query.copy(header, 0, 0, 2);
      header.writeUInt16BE(0x8180 | failure, 2);
      header.writeUInt16BE(1, 4);
      header.writeUInt16BE(records.length, 6);
      return Buffer.concat([header, question, ...records]);
    };
    const text = this.records.get(name);
    if (text !== undefined && type === 'TXT') {
      const value = Buffer.from(text, 'ascii');
      const data = Buffer.concat([Buffer.from([value.length]), value]);
      return { answer: respond(0, [recordOf(name, 'TXT', data)]), delayMs: 0 };
    }
    const known = type === undefined ? undefined : this.#next(name, type);
    if (known === undefined || type === undefined) {
      return { answer: respond(FAILURES.NXDOMAIN, []), delayMs: 0 };
    }
    const { failure, delayMs = 0, silentOn = [] } = known;
    if (silentOn.includes(type)) return { delayMs };
    const answer =
      failure === undefined
        ? respond(0, this.#recordsOf(name, type, known))
        : respond(FAILURES[failure], []);
    return { answer, delayMs };
  }

  #next(name: string, type: Type): NameAnswer | undefined {
    const answers = this.#answers.get(name);
    if (answers === undefined) return undefined;
    const asked = this.#questions.get(`${type} ${name}`) ?? 0;
    this.#questions.set(`${type} ${name}`, asked + 1);
    return answers[Math.min(asked, answers.length - 1)];
  }

  #recordsOf(
    name: string,
    type: Type,
    { addresses = [], cname, nameServers = [] }: NameAnswer,
  ): Buffer[] {
    if (cname !== undefined) {
      const target = this.#next(cname, type) ?? {};
      return [recordOf(name, 'CNAME', encoded(cname)), ...this.#recordsOf(cname, type, target)];
    }
    if (type === 'NS') return nameServers.map((server) => recordOf(name, type, encoded(server)));
    return addresses
      .filter((address) => (address.includes(':') ? 'AAAA' : 'A') === type)
      .map((address) => recordOf(name, type, Buffer.from(ipaddr.parse(address).toByteArray())));
  }
}

function readQuestion(query: Buffer): { name: string; type: Type | undefined; end: number } {
  const labels: string[] = [];
  let at = 12;
  while (query[at] !== 0) {
    const length = query[at]!;
    labels.push(query.toString('ascii', at + 1, at + 1 + length));
    at += length + 1;
  }
  const code = query.readUInt16BE(at + 1);
  const type = (Object.keys(TYPES) as Type[]).find((one) => TYPES[one] === code);
  return { name: labels.join('.').toLowerCase(), type, end: at + 5 };
}

function recordOf(name: string, type: Type, data: Buffer): Buffer {
  // Type, class, time to live, length.
  const head = Buffer.alloc(10);
  head.writeUInt16BE(TYPES[type], 0);
  head.writeUInt16BE(IN, 2);
  head.writeUInt16BE(data.length, 8);
  return Buffer.concat([encoded(name), head, data]);
}

const encoded = (name: string): Buffer =>
  Buffer.concat([
    ...name
      .split('.')
      .map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label, 'ascii')])),
    Buffer.alloc(1),
  ]);
