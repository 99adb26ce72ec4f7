import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/**
 * Time for which the connection stays open after an answer to a malformed request, in ms. What
 * arrives meanwhile is discarded: closing a connection with unread bytes resets it, and the client
 * may lose the answer (RFC 9112, 9.6).
 */
const LINGER_MS = 2_000;

/** A request from a server's parser, and the previous answer on the same connection. */
interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  previous: ServerResponse | undefined;
}

/** Sends an answer to a malformed request, as bytes of HTTP. */
export type Refuse = (socket: Duplex, answer: string | Uint8Array) => void;

/**
 * Makes a function that answers malformed requests, for listeners of `clientError`. Answers to
 * earlier requests on the same connection are sent first. Nothing more is read from the connection,
 * and it is closed within 2 s of the answer, even if the client keeps its side open. If the answer
 * to a request has begun before its body turns out to be malformed, there is no second answer: the
 * connection is closed.
 */
export function refusals(server: Server): Refuse {
  /** The latest exchange of each connection. */
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
    // Otherwise the parser would process a slow request once its last byte arrives, and would end
    // the connection before pending answers are sent if the client has closed its side.
    socket.removeAllListeners('data').removeAllListeners('end');
    socket.on('data', () => {});
    socket.resume();
    send(socket, answer);
  };
}
