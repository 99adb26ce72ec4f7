import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect } from 'chai';
import { ClientGone, readBody } from '../../src/http/input.ts';

const LIMIT = 1024;

describe('the body of a request', () => {
  let server: Server;

  before(async () => {
    server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
  });

  after(() => server.close());

  /** Sends a request with a part of its body, and resolves with the request and its socket. */
  async function sent(length: number, body: string) {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.write(
      `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`,
    );
    const [request] = (await once(server, 'request')) as [IncomingMessage];
    return { request, socket };
  }

  const outcome = (read: Promise<unknown>) =>
    read.then(
      (body) => JSON.stringify(body),
      (error: unknown) => (error instanceof ClientGone ? 'gone' : String(error)),
    );

  it('is read to its end', async () => {
    const { request, socket } = await sent(7, '{"a":1}');
    expect(await outcome(readBody(request, LIMIT))).to.equal('{"a":1}');
    socket.destroy();
  });

  it('ends when its client disconnects while it is read', async () => {
    const { request, socket } = await sent(7, '{"a"');
    const read = outcome(readBody(request, LIMIT));
    socket.destroy();
    expect(await read).to.equal('gone');
  });

  it('ends when its client disconnected before it was read', async () => {
    const { request, socket } = await sent(7, '{"a"');
    socket.destroy();
    await new Promise((resolve) => request.once('close', resolve));
    expect(await outcome(readBody(request, LIMIT))).to.equal('gone');
  });

  it('is refused above the limit, and the rest of it is discarded', async () => {
    const { request, socket } = await sent(4 * LIMIT, 'x'.repeat(2 * LIMIT));
    expect(await outcome(readBody(request, LIMIT))).to.match(/must not be larger than/);
    socket.write('x'.repeat(2 * LIMIT));
    await once(request, 'end');
    socket.destroy();
  });
});
