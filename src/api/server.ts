import { randomBytes } from 'node:crypto';
import { createServer, type RequestListener, type Server } from 'node:http';
import { ERRORS, Refusal } from '../errors.ts';
import { answerError } from '../http/answer-error.ts';
import { KEEP_ALIVE_MS } from '../infra/listen.ts';
import { refusals } from '../infra/malformed-requests.ts';

/** Maximum size of request line and headers, in bytes. */
const HEADER_LIMIT = 64 * 1024;
/** Time limit for receiving request line and headers, in ms. */
const HEADERS_MS = 10_000;
/** Interval of the check for requests that arrive too slowly, in ms. */
const CHECK_MS = 1_000;

/**
 * Creates the HTTP server of the API. It always answers with the error body of the contract, even
 * where Node would answer without a body.
 *
 * @param requestSeconds time limit for receiving a whole request, in seconds
 */
export function createApiServer(app: RequestListener, requestSeconds: number): Server {
  const requestMs = requestSeconds * 1_000;
  const server = createServer(
    {
      maxHeaderSize: HEADER_LIMIT,
      keepAliveTimeout: KEEP_ALIVE_MS,
      requestTimeout: requestMs,
      headersTimeout: Math.min(HEADERS_MS, requestMs),
      connectionsCheckingInterval: CHECK_MS,
      // The application checks it, because Node's own answer has no body.
      requireHostHeader: false,
    },
    app,
  );
  const refuse = refusals(server);
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('connect', (_request, socket) =>
    refuse(socket, answerOf('This server is not a proxy')),
  );
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET') socket.destroy();
    else refuse(socket, answerOf(messageOf(error, requestSeconds)));
  });
  return server;
}

function messageOf({ code }: NodeJS.ErrnoException, requestSeconds: number): string {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return `The request line and headers must not be longer than ${HEADER_LIMIT / 1024} KiB`;
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    const headersSeconds = Math.min(HEADERS_MS / 1000, requestSeconds);
    return `The request must arrive within ${requestSeconds} s, its headers within ${headersSeconds} s`;
  }
  if (code === 'HPE_INVALID_URL') return 'The path and the query must be percent-encoded';
  return 'The request is not well-formed HTTP';
}

/**
 * Formats an answer as bytes, because a request that the parser rejects never reaches the
 * application.
 */
function answerOf(message: string): string {
  const requestId = randomBytes(12).toString('hex');
  const body = JSON.stringify(answerError(new Refusal('bad_request', message), requestId).body);
  return (
    `HTTP/1.1 ${ERRORS.bad_request.status} Bad Request\r\nContent-Type: application/json; charset=utf-8\r\n` +
    `Content-Length: ${Buffer.byteLength(body)}\r\nX-Request-Id: ${requestId}\r\nCache-Control: no-store\r\n` +
    `Connection: close\r\n\r\n${body}`
  );
}
