import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/**
 * Time after an answer to a malformed request for which the connection stays open, in ms. What arrives meanwhile is thrown
 * away: a connection that is closed with unread bytes is reset, and the client may lose the answer (RFC 9112, 9.6).
 */
const LINGER_MS = 2_000;

/** A request that a server's parser has emitted, and the answer before its own on the same connection. */
interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  previous: ServerResponse | undefined;
}

/** Sends an answer to a malformed request, as bytes of HTTP. */
export type Refuse = (socket: Duplex, answer: string | Uint8Array) => void;

/**
 * Makes the function with which a server answers what its parser refuses, for listeners of `clientError`. Answers to
 * requests that came before on the same connection are sent first. Nothing more is read from the connection, and it is closed within
 * 2 s of the answer, also where the client keeps its half open. A request whose answer has begun before its body turned out
 * to be malformed gets no second one: its connection is closed.
 */
export function refusals(server: Server): Refuse {
  /** The latest exchange of a connection. */
  const latest = new WeakMap<Duplex, Exchange>();
  const refused = new WeakSet<Duplex>();

  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    const previous = latest.get(request.socket)?.response;
    latest.set(request.socket, { request, response, previous });
  });

  function send(socket: Duplex, answer: string | Uint8Array): void {
    const { request, response, previous } = latest.get(socket) ?? {};
    const isBody = request?.complete === false;
    const before = isBody ? previous : response;
    if (before !== undefined && !before.closed) {
      before.once('close', () => send(socket, answer));
      return;
    }
    if (!socket.writable || (isBody && response!.headersSent)) {
      socket.destroy();
      return;
    }
    socket.end(answer);
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  }

  return (socket, answer) => {
    // Node may report a connection again while it is still open.
    if (refused.has(socket)) return;
    refused.add(socket);
    // Its parser would handle a request that was too slow once its last byte arrives, and would end the connection before the
    // answers that are still to be sent once the client has ended its half.
    socket.removeAllListeners('data').removeAllListeners('end');
    socket.on('data', () => {});
    socket.resume();
    send(socket, answer);
  };
}
