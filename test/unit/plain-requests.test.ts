import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import { refusals } from '../../src/infra/malformed-requests.ts';
import { PlainRequests, type RequestHead, type Response } from '../../src/infra/plain-requests.ts';
import { eventually } from '../support/eventually.ts';

const HEADERS_MS = 400;
const LIMITS = { headersMs: HEADERS_MS, keepAliveMs: 75_000 };
/** Silence after which a server is expected to send nothing more, in ms. */
const SILENCE_MS = 120;
const TURN_MS = 10;
const CASES = 600;
const USUAL_CASES = 100;
const NAMES =
  'Host,host,User-Agent,Cookie,Connection,Content-Length,Upgrade,Transfer-Encoding,Expect,X-Forwarded-For,__proto__,constructor,Te,x y'.split(
    ',',
  );

/** Requests as browsers and proxies send them. */
const usual = fc
  .tuple(
    fc.constantFrom('GET', 'HEAD'),
    fc.constantFrom('/', '/a', '/a%20b?c=d&e', '/a/b//c'),
    fc.subarray([
      'User-Agent: Browser/1 (x; y)',
      'accept-language:en , de;q=0.5 ',
      'Cookie: a=b; c="d"',
      'Connection: keep-alive',
      'X-Forwarded-For:\t192.0.2.1',
      'Empty:',
    ]),
  )
  .map(([method, url, lines]) =>
    [`${method} ${url} HTTP/1.1`, 'Host: a.test', ...lines, '', ''].join('\r\n'),
  );

/** Answers with the parsed request. */
function echo({ method, url, headers }: RequestHead, response: Response): void {
  const body = JSON.stringify({ method, url, headers });
  const length = String(Buffer.byteLength(body));
  response.writeHead(200, ['Content-Length', length, 'X-Url', url ?? '']).end(body);
}

/**
 * Sends bytes in one or more pieces.
 * @returns the received text without dates
 */
const exchange = (port: number, ...pieces: readonly string[]): Promise<string> =>
  exchangeUntil(SILENCE_MS, port, pieces);

/** Sends a request that must be answered, and waits as long as that takes. */
const answerTo = (port: number, request: string): Promise<string> =>
  exchangeUntil(SILENCE_MS, port, [request], { isAnswered: true });

async function exchangeUntil(
  silenceMs: number,
  port: number,
  pieces: readonly string[],
  { isAnswered = false } = {},
): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  let text = '';
  let silence = 0;
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
    silence = 0;
  });
  socket.on('error', () => {});
  for (const piece of pieces) {
    socket.write(piece, 'latin1');
    if (pieces.length > 1) await pause(2);
  }
  silence = 0;
  // Turns of the event loop are counted instead of time, since a busy machine stops the client and
  // the servers alike.
  const isOver = () => socket.closed || (silence >= silenceMs && (!isAnswered || text !== ''));
  while (!isOver()) {
    await pause(TURN_MS);
    silence += TURN_MS;
  }
  socket.destroy();
  return text.replaceAll(/Date: [^\r]*/g, 'Date: then');
}

describe('plain requests', () => {
  const servers: Server[] = [];
  const sockets: Socket[] = [];

  async function start(
    handle?: (request: RequestHead, response: Response) => void,
  ): Promise<{ port: number; plain: PlainRequests | undefined; read: () => number }> {
    let read = 0;
    const listener: RequestListener = (request, response) => {
      read += 1;
      (handle ?? echo)(request, response);
    };
    const server = createServer(
      { keepAliveTimeout: LIMITS.keepAliveMs, requireHostHeader: false },
      listener,
    );
    const plain = handle === undefined ? undefined : new PlainRequests(server, LIMITS, handle);
    const refuse = refusals(server);
    server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
      const status = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
      refuse(socket, `HTTP/1.1 ${status} Refused\r\n\r\n`);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    servers.push(server);
    return { port: (server.address() as AddressInfo).port, plain, read: () => read };
  }

  function open(port: number): Promise<Socket> {
    return new Promise((resolve) => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => resolve(socket));
      socket.on('error', () => {});
      sockets.push(socket);
    });
  }

  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });

  const GET = 'GET /a?b=c HTTP/1.1\r\nHost: a.test\r\nUser-Agent: Browser/1\r\n\r\n';

  it('are answered as by node:http, which never sees them', async () => {
    const [ours, theirs] = [await start(echo), await start()];
    const heads = [
      GET,
      GET.replace('GET', 'HEAD'),
      'GET / HTTP/1.1\r\nHOST:a.test\r\nX-Empty:\r\nX-Tabs:\t  x y\t \r\nConnection: Keep-Alive\r\n\r\n',
      ...fc.sample(usual, USUAL_CASES),
    ];
    const answers = ({ port }: { port: number }) =>
      Promise.all(heads.map((head) => answerTo(port, head)));
    const [got, wanted] = [await answers(ours), await answers(theirs)];
    for (const [n, head] of heads.entries()) {
      expect(got[n], head)
        .to.equal(wanted[n])
        .and.to.match(/^HTTP\/1.1 200 /);
    }
    expect(ours.read(), 'requests that node:http read').to.equal(0);
    expect(theirs.read()).to.equal(heads.length);
  });

  it('and any others have the same answers as by node:http', async () => {
    const [ours, theirs] = [await start(echo), await start()];
    const name = fc.constantFrom(...NAMES);
    const value = fc.oneof(
      fc.constantFrom(
        'a.test',
        'keep-alive',
        'close',
        '0',
        '5',
        'chunked',
        '100-continue',
        'h2c',
        '',
      ),
      fc.string({ maxLength: 12 }),
      fc.string({ unit: 'binary', maxLength: 6 }),
    );
    const line = fc
      .tuple(name, fc.constantFrom(':', ': ', ' : ', ':\t'), value)
      .map((parts) => parts.join(''));
    const target = fc.oneof(
      fc.constantFrom('/', '/a', '/a%20b?c=d&e', '*', 'http://a.test/', '//b.test', '/a b', '/ä'),
      fc.string({ maxLength: 10 }).map((text) => `/${text}`),
    );
    const lineEnd = fc.constantFrom(...Array<string>(12).fill('\r\n'), '\n', '\r', '\r\n ');
    const head = fc
      .tuple(
        fc.constantFrom('GET', 'GET', 'GET', 'HEAD', 'POST', 'get', 'OPTIONS', ''),
        target,
        fc.constantFrom(...Array<string>(8).fill('HTTP/1.1'), 'HTTP/1.0', 'HTTP/2.0', 'http/1.1'),
        fc.array(fc.tuple(line, lineEnd), { maxLength: 4 }),
        fc.constantFrom('', '', 'hello', GET),
      )
      .map(
        ([method, url, version, lines, rest]) =>
          `${method} ${url} ${version}\r\nHost: a.test\r\n${lines.flat().join('')}\r\n${rest}`,
      );
    const damaged = fc
      .tuple(
        fc.oneof(head, usual),
        fc.nat(),
        fc.constantFrom('', '\0', ' ', '\n', '\r', ':', '\x80'),
      )
      .map(([text, at, by]) => {
        const from = at % text.length;
        return text.slice(0, from) + by + text.slice(from + 1);
      });
    const cases = fc.sample(fc.oneof(head, usual, damaged), CASES);
    const differences: string[] = [];
    const work = async () => {
      for (let next = cases.pop(); next !== undefined; next = cases.pop()) {
        const one = next;
        const answers = (silenceMs: number) =>
          Promise.all([ours, theirs].map(({ port }) => exchangeUntil(silenceMs, port, [one])));
        let [got, wanted] = await answers(SILENCE_MS);
        // On a busy machine, one server may not have answered yet.
        if (got !== wanted) [got, wanted] = await answers(20 * SILENCE_MS);
        if (got !== wanted) differences.push(JSON.stringify({ one, got, wanted }, null, 1));
      }
    };
    await Promise.all(Array.from({ length: 40 }, work));
    expect(differences.join('\n')).to.equal('');
    expect(ours.read(), 'requests that node:http read').to.be.within(10, theirs.read() - 1);
  });

  it('are put together from pieces', async () => {
    const { port, read } = await start(echo);
    const whole = await exchange(port, GET);
    for (let at = 30; at < GET.length; at += 3) {
      expect(await exchange(port, GET.slice(0, at), GET.slice(at)), `cut at ${at}`).to.equal(whole);
    }
    expect(read(), 'requests that node:http read').to.equal(0);
    expect(await exchange(port, ...GET.split(''))).to.equal(whole);
  });

  it('keep their connection, also past one without a link, and hand it over to a form', async () => {
    const { port, read } = await start(echo);
    const form = 'POST /a HTTP/1.1\r\nHost: a.test\r\nContent-Length: 3\r\n\r\na=b';
    const socket = await open(port);
    let text = '';
    socket.on('data', (chunk) => (text += chunk.toString()));
    for (const [at, request] of [GET, GET, form, GET].entries()) {
      socket.write(request);
      await eventually(() => expect(text.match(/HTTP\/1\.1 200 OK/g)).to.have.length(at + 1));
    }
    expect(read(), 'requests that node:http read').to.equal(2);
  });

  it('are answered in their order when they arrive before the response to the last', async () => {
    const waiting: [string, Response][] = [];
    const { port } = await start(({ url = '' }, response) => waiting.push([url, response]));
    const socket = await open(port);
    let text = '';
    socket.on('data', (chunk) => (text += chunk.toString()));
    for (const path of ['/1', '/2', '/3']) {
      socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
      await pause(20);
    }
    expect(waiting.map(([url]) => url)).to.deep.equal(['/1']);
    for (let n = 1; n <= 3; n += 1) {
      await eventually(() => expect(waiting).to.have.length(1));
      const [url, response] = waiting.pop()!;
      response.writeHead(204, ['X-Url', url]).end();
    }
    await eventually(() => expect(text).to.contain('X-Url: /3'));
    expect(text.match(/X-Url: .*/g)).to.deep.equal(['X-Url: /1', 'X-Url: /2', 'X-Url: /3']);
  });

  it('are refused with 408 when their head does not arrive in time', async () => {
    const { port } = await start(echo);
    const socket = await open(port);
    let text = '';
    socket.on('data', (chunk) => (text += chunk.toString()));
    const dripping = setInterval(() => socket.write('x'), HEADERS_MS / 8);
    socket.write('GET / HTTP/1.1\r\nHost: a.test\r\nX: ');
    try {
      await eventually(() => expect(text).to.match(/^HTTP\/1\.1 408 /));
    } finally {
      clearInterval(dripping);
    }
  });

  it('are not handled when their head is completed after the 408', async () => {
    let handled = 0;
    const { port } = await start(() => {
      handled += 1;
    });
    const socket = await open(port);
    const closed = new Promise((resolve) => socket.on('close', resolve));
    let text = '';
    socket.on('data', (chunk) => (text += chunk.toString()));
    socket.write(GET.slice(0, -2));
    await eventually(() => expect(text).to.match(/^HTTP\/1\.1 408 /));
    socket.write('\r\n');
    await closed;
    expect(handled).to.equal(0);
  });

  it('are waited for no longer than a head may take', async () => {
    const { port } = await start(echo);
    const socket = await open(port);
    await new Promise((resolve) => socket.on('close', resolve));
  });

  it('are read no faster than their responses are', async () => {
    let answered = 0;
    const { port } = await start((_, response) => {
      answered += 1;
      const body = Buffer.alloc(100_000);
      response.writeHead(200, ['Content-Length', String(body.length)]).end(body);
    });
    const socket = await open(port);
    socket.pause();
    for (let n = 0; n < 400; n += 1) {
      socket.write(GET);
      await pause(1);
    }
    const before = answered;
    expect(before).to.be.below(200);
    socket.resume();
    await eventually(() => expect(answered).to.be.above(before));
  });

  it('are answered before the server closes, and their connections closed', async () => {
    const waiting: Response[] = [];
    const { port, plain } = await start((_, response) => waiting.push(response));
    const [busy, idle] = [await open(port), await open(port)];
    let text = '';
    busy.on('data', (chunk) => (text += chunk.toString()));
    const closed = [busy, idle].map((socket) => new Promise((done) => socket.on('close', done)));
    busy.write(GET);
    await eventually(() => expect(waiting).to.have.length(1));
    plain!.close(5_000);
    await closed[1];
    expect(text).to.equal('');
    waiting[0]!.writeHead(204, []).end();
    await closed[0];
    expect(text).to.match(/^HTTP\/1\.1 204 No Content\r\nDate: .*\r\nConnection: close\r\n\r\n$/);
  });

  it('are cut when they take too long to close', async () => {
    const { port, plain } = await start(() => {});
    const socket = await open(port);
    const closed = new Promise((done) => socket.on('close', done));
    socket.write(GET);
    await pause(50);
    plain!.close(100);
    await closed;
  });

  it('are answered to a client that has said its last', async () => {
    const { port } = await start((_, response) => {
      setTimeout(() => response.writeHead(204, []).end(), 50);
    });
    const socket = await open(port);
    let text = '';
    socket.on('data', (chunk) => (text += chunk.toString()));
    const closed = new Promise((done) => socket.on('close', done));
    socket.end(GET);
    await closed;
    expect(text).to.match(/^HTTP\/1\.1 204 /);
  });

  it('may be abandoned before their response', async () => {
    const waiting: Response[] = [];
    const { port } = await start((_, response) => waiting.push(response));
    for (let n = 0; n < 20; n += 1) {
      const socket = await open(port);
      socket.write(GET);
      await eventually(() => expect(waiting).to.have.length(1));
      socket.resetAndDestroy();
      if (n % 2 === 0) await pause(10);
      waiting.pop()!.writeHead(204, []).end();
    }
    expect(await exchange(port, '')).to.equal('');
  });

  it('have no response with a header that HTTP does not allow', async () => {
    const thrown: unknown[] = [];
    const { port } = await start((_, response) => {
      try {
        response.writeHead(302, ['Location', 'https://example.com/\r\nX: y']);
      } catch (error) {
        thrown.push(error);
        expect(response.headersSent).to.equal(false);
        response.writeHead(302, ['Location', 'https://example.com/', 'Content-Length', '0']).end();
      }
    });
    expect(await exchange(port, GET)).to.match(/^HTTP\/1\.1 302 Found\r\nLocation: https:/);
    expect(thrown[0]).to.be.instanceOf(TypeError);
  });
});
