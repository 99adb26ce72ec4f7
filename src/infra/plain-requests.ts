import { type IncomingHttpHeaders, type Server, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';

/** Head of a request; requests of node:http implement it. */
export interface RequestHead {
  readonly method?: string | undefined;
  /** Request target: path and query. */
  readonly url?: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/** Response to a request, sent as a whole; responses of node:http implement it. */
export interface Response {
  readonly headersSent: boolean;
  /**
   * @param headers alternating names and values, including `Content-Length` if there is a body
   * @throws TypeError when a value has a character that no header may contain
   */
  writeHead(status: number, headers: string[]): Response;
  end(body?: string | Uint8Array): unknown;
  /** Closes the connection. */
  destroy(): unknown;
}

/** Time limits of connections, in ms. */
export interface ConnectionLimits {
  /** Time limit from the first to the last byte of a request's head. */
  headersMs: number;
  keepAliveMs: number;
}

/** Maximum size of a head that is read here, in bytes. */
const MAX_HEAD_BYTES = 8 * 1024;
/**
 * A request without a body, and nothing after it (RFC 9112, 2.1 and 5; targets as in RFC 3986, 3.3
 * and 3.4).
 */
const HEAD =
  /^(?:GET|HEAD) \/[\w\-.~%!$&'()*+,;=:@/?]* HTTP\/1\.1\r\n(?:[\w!#$%&'*+\-.^`|~]+:[\t -~]*\r\n)+\r\n$/;
/** The beginning of such a request, from the request line on. */
const BEGINNING =
  /^(?:GET|HEAD) \/[\w\-.~%!$&'()*+,;=:@/?]* HTTP\/1\.1\r\n(?:[\w!#$%&'*+\-.^`|~]+:[\t -~]*\r\n)*[\t -~]*\r?$/;
/** Names of headers that require more than a plain response. */
const NOT_PLAIN = new Set([
  'content-length',
  'expect',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
]);
/** Characters that node:http rejects in header values. */
const NO_HEADER_VALUE = /[^\t\x20-\x7e\x80-\xff]/;

const TAB = 0x09;
const SPACE = 0x20;

/**
 * Reads requests as browsers and proxies send them – `GET` or `HEAD` with usual headers and no
 * body, one at a time – directly from the connections of a server, and writes responses to them,
 * with a third less processor time than node:http. When anything else arrives on a connection,
 * node:http takes it over from that request on, so that malformed, ambiguous or unusual requests
 * are handled by its parser alone.
 */
export class PlainRequests {
  readonly #server: Server;
  readonly #handle: (request: RequestHead, response: Response) => void;
  readonly #limits: ConnectionLimits;
  readonly #fallback: (socket: Socket) => void;
  readonly #connections = new Set<Connection>();
  #isClosing = false;

  /**
   * @param server accepts connections, and handles the requests that are not plain
   * @param handle answers a request; may not throw
   */
  constructor(
    server: Server,
    limits: ConnectionLimits,
    handle: (request: RequestHead, response: Response) => void,
  ) {
    this.#server = server;
    this.#limits = limits;
    this.#handle = handle;
    // The constructor of node:http adds its listener first.
    const fallback = server.listeners('connection')[0] as (socket: Socket) => void;
    this.#fallback = fallback;
    server.removeListener('connection', fallback);
    server.on('connection', (socket) => this.#connections.add(new Connection(socket, this)));
  }

  /** True once {@link close} was called, so that a connection ends after its current response. */
  get isClosing(): boolean {
    return this.#isClosing;
  }

  get limits(): ConnectionLimits {
    return this.#limits;
  }

  /** Closes idle connections, and the others after their response or after `ms` milliseconds. */
  close(ms: number): void {
    this.#isClosing = true;
    for (const connection of this.#connections) connection.closeIfIdle();
    const cut = () => {
      for (const connection of this.#connections) connection.destroy();
    };
    setTimeout(cut, ms).unref();
  }

  handle(request: RequestHead, response: Response): void {
    this.#handle(request, response);
  }

  remove(connection: Connection): void {
    this.#connections.delete(connection);
  }

  /** Passes a connection to node:http, beginning with these bytes. */
  handOver(socket: Socket, bytes: Buffer): void {
    this.#fallback.call(this.#server, socket);
    socket.unshift(bytes);
    socket.resume();
  }

  /**
   * Reports a head that did not arrive in time, in the same way as node:http; the connection is not
   * read any further.
   */
  reportTimeout(socket: Socket): void {
    const error = Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
    this.#server.emit('clientError', error, socket);
  }
}

/** A connection from which plain requests are read. */
class Connection {
  readonly socket: Socket;
  readonly #owner: PlainRequests;
  /** True while a response is being sent. */
  #isBusy = false;
  /** True once the client has closed its side. */
  #isEnded = false;
  #hasAnswered = false;
  /**
   * Received bytes that are not read yet: the beginning of a head, or what arrived during a
   * response.
   */
  #pending: Buffer | undefined;
  #headTimer: NodeJS.Timeout | undefined;

  constructor(socket: Socket, owner: PlainRequests) {
    this.socket = socket;
    this.#owner = owner;
    socket.setTimeout(owner.limits.headersMs);
    socket.on('data', this.#onData);
    socket.on('end', this.#onEnd);
    socket.on('timeout', this.#onTimeout);
    socket.on('error', this.#onError);
    socket.on('close', this.#onClose);
  }

  /** Writes a response. */
  answer(head: string, body: string | Uint8Array | undefined): void {
    const { socket } = this;
    const isLast = this.#owner.isClosing || this.#isEnded;
    const { keepAliveMs } = this.#owner.limits;
    const text =
      head +
      (isLast
        ? `Date: ${httpDate()}\r\nConnection: close\r\n\r\n`
        : `Date: ${httpDate()}\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAliveMs / 1000)}\r\n\r\n`);
    if (body === undefined) socket.write(text, 'latin1');
    else {
      socket.cork();
      socket.write(text, 'latin1');
      socket.write(body);
      socket.uncork();
    }
    this.#isBusy = false;
    if (isLast) {
      socket.end();
      return;
    }
    if (!this.#hasAnswered) {
      this.#hasAnswered = true;
      socket.setTimeout(keepAliveMs);
    }
    if (this.#pending === undefined && !socket.writableNeedDrain) return;
    // A client that reads no responses must wait before it can send more requests.
    if (socket.writableNeedDrain) {
      socket.pause();
      socket.once('drain', this.#next);
    } else this.#next();
  }

  closeIfIdle(): void {
    if (!this.#isBusy && this.#pending === undefined) this.socket.destroy();
  }

  destroy(): void {
    this.socket.destroy();
  }

  readonly #next = (): void => {
    const pending = this.#pending;
    this.#pending = undefined;
    this.socket.resume();
    if (pending !== undefined) this.#read(pending);
  };

  readonly #onData = (chunk: Buffer): void => {
    const pending = this.#pending;
    const bytes = pending === undefined ? chunk : Buffer.concat([pending, chunk]);
    if (this.#isBusy) {
      this.#pending = bytes;
      this.socket.pause();
      return;
    }
    this.#pending = undefined;
    this.#read(bytes);
  };

  #read(bytes: Buffer): void {
    const text = bytes.length > MAX_HEAD_BYTES ? '' : bytes.toString('latin1');
    if (HEAD.test(text)) {
      const request = readHead(text, bytes, this.socket);
      if (request === undefined) return this.#handOver(bytes);
      this.#stopHeadTimer();
      this.#isBusy = true;
      this.#owner.handle(request, new PlainResponse(this, request.method === 'HEAD'));
    } else if (BEGINNING.test(text) && !this.#isEnded) {
      this.#pending = bytes;
      this.#headTimer ??= setTimeout(this.#onSlowHead, this.#owner.limits.headersMs);
    } else this.#handOver(bytes);
  }

  #handOver(bytes: Buffer): void {
    const { socket } = this;
    this.#stopHeadTimer();
    this.#owner.remove(this);
    socket.setTimeout(0);
    socket.off('data', this.#onData);
    socket.off('end', this.#onEnd);
    socket.off('timeout', this.#onTimeout);
    socket.off('error', this.#onError);
    socket.off('close', this.#onClose);
    this.#owner.handOver(socket, bytes);
  }

  readonly #onSlowHead = (): void => {
    this.#stopHeadTimer();
    this.#pending = undefined;
    this.socket.off('data', this.#onData);
    this.socket.off('end', this.#onEnd);
    this.#owner.reportTimeout(this.socket);
  };

  #stopHeadTimer(): void {
    if (this.#headTimer === undefined) return;
    clearTimeout(this.#headTimer);
    this.#headTimer = undefined;
  }

  readonly #onEnd = (): void => {
    this.#isEnded = true;
    if (!this.#isBusy) this.socket.end();
  };

  readonly #onTimeout = (): void => {
    if (this.#headTimer === undefined) this.socket.destroy();
    else this.#onSlowHead();
  };

  /** Handles connection errors; the socket is closed already, and there is no client to answer. */
  readonly #onError = (): void => {};

  readonly #onClose = (): void => {
    this.#stopHeadTimer();
    this.#owner.remove(this);
  };
}

/** Response to a plain request. */
class PlainResponse implements Response {
  readonly #connection: Connection;
  readonly #isHead: boolean;
  #head: string | undefined;

  constructor(connection: Connection, isHead: boolean) {
    this.#connection = connection;
    this.#isHead = isHead;
  }

  get headersSent(): boolean {
    return this.#head !== undefined;
  }

  writeHead(status: number, headers: string[]): this {
    let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
    for (let at = 0; at < headers.length; at += 2) {
      const value = headers[at + 1]!;
      if (NO_HEADER_VALUE.test(value)) {
        throw new TypeError(`Invalid character in header content ["${headers[at]}"]`);
      }
      head += `${headers[at]}: ${value}\r\n`;
    }
    this.#head = head;
    return this;
  }

  end(body?: string | Uint8Array): void {
    this.#connection.answer(this.#head!, this.#isHead ? undefined : body);
  }

  destroy(): void {
    this.#connection.destroy();
  }
}

/**
 * Parses a head that matches {@link HEAD}; `undefined` if a header requires more, or a name occurs
 * twice. Texts are copied from the bytes one by one: a slice of the whole head would keep all of it
 * in memory for as long as a cache holds the key.
 */
function readHead(text: string, bytes: Buffer, socket: Socket): RequestHead | undefined {
  const headers: IncomingHttpHeaders = {};
  const lineEnd = text.indexOf('\r');
  const end = text.length - 2;
  for (let at = lineEnd + 2; at < end; ) {
    const colon = text.indexOf(':', at);
    const name = text.slice(at, colon).toLowerCase();
    const eol = text.indexOf('\r', colon);
    let from = colon + 1;
    let to = eol;
    while (from < to && isBlank(text.charCodeAt(from))) from += 1;
    while (to > from && isBlank(text.charCodeAt(to - 1))) to -= 1;
    const value = bytes.toString('latin1', from, to);
    if (headers[name] !== undefined || NOT_PLAIN.has(name)) return undefined;
    if (name === 'connection' && value.toLowerCase() !== 'keep-alive') return undefined;
    headers[name] = value;
    at = eol + 2;
  }
  if (headers.host === undefined) return undefined;
  const isGet = text.charCodeAt(0) === 0x47;
  const from = isGet ? 4 : 5;
  return {
    method: isGet ? 'GET' : 'HEAD',
    url: bytes.toString('latin1', from, lineEnd - ' HTTP/1.1'.length),
    headers,
    socket,
  };
}

const isBlank = (code: number): boolean => code === SPACE || code === TAB;

// The same for all connections of a process: most responses are of the second of the last one.
let dateSecond = 0;
let dateText = '';

/** Returns the time in the format of `Date` (RFC 9110, 5.6.7), formatted once per second. */
function httpDate(): string {
  const second = Math.floor(Date.now() / 1000);
  if (second !== dateSecond) {
    dateSecond = second;
    dateText = new Date(second * 1000).toUTCString();
  }
  return dateText;
}
