import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';

/*
 * Regular traffic on a separate thread, so that attacks do not delay its clock: visits of plain
 * links, each by a new visitor, writes and reads of the API, and an image of a QR code. Beside
 * them, requests of a bare server of this thread show how long the machine alone delays an answer.
 * It runs until a message arrives, and replies with its {@link RegularTally}.
 */

/** Targets of the regular traffic. */
export interface RegularTarget {
  apiPort: number;
  redirectPorts: number[];
  apiKey: string;
  host: string;
  keys: string[];
  /** Number of the links `k0`, `k1`, …, which only the database has; each is opened once. */
  coldLinks?: number;
  firstCold?: number;
}

/** Outcomes of the regular requests. */
export interface RegularTally {
  /** Number of visitors with a redirect. */
  redirected: number;
  /** Latencies of all requests of the service by kind, in ms. */
  latencies: Record<string, number[]>;
  /** Latencies of the bare server, in ms. */
  bareLatencies: number[];
  /** Answers with an unexpected status. */
  failures: string[];
}

const {
  apiPort,
  redirectPorts,
  apiKey,
  host,
  keys,
  coldLinks = 0,
  firstCold = 0,
} = workerData as RegularTarget;
/** Time after which a request counts as unanswered, in ms: longer than the fuzzer's limit of latencies. */
const PATIENCE_MS = 120_000;
const BARE = 'bare';
const bare = createServer((_request, response) => response.end());
// On a busy machine, a request could arrive after the server has closed its connection.
bare.keepAliveTimeout = 0;
bare.listen(0, '127.0.0.1');
await once(bare, 'listening');
const { port: barePort } = bare.address() as AddressInfo;
const agent = new Agent({ keepAlive: true, maxSockets: 32 });
const tally: RegularTally = { redirected: 0, latencies: {}, bareLatencies: [], failures: [] };
const open = new Set<Promise<void>>();

function ask(
  kind: string,
  expected: number,
  options: { port: number; path: string; method?: string; headers?: Record<string, string> },
  body?: string,
): void {
  const startedAt = performance.now();
  const asked = new Promise<void>((resolve) => {
    const fail = (why: string) => {
      tally.failures.push(`${kind}: ${why}`);
      resolve();
    };
    const outgoing = request(
      { ...options, host: '127.0.0.1', agent, timeout: PATIENCE_MS },
      (answer) => {
        let text = '';
        answer.setEncoding('latin1').on('data', (part: string) => {
          if (text.length < 300) text += part;
        });
        answer.on('error', (error) => fail(error.message));
        answer.on('end', () => {
          const ms = performance.now() - startedAt;
          if (kind === BARE) tally.bareLatencies.push(ms);
          else (tally.latencies[kind] ??= []).push(ms);
          if (answer.statusCode !== expected)
            return fail(`${answer.statusCode} ${text.slice(0, 200)}`);
          if (kind === 'redirect') tally.redirected += 1;
          resolve();
        });
      },
    );
    outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer for ${PATIENCE_MS} ms`)));
    outgoing.on('error', (error) => fail(error.message));
    outgoing.end(body);
  });
  open.add(asked);
  void asked.finally(() => open.delete(asked));
}

let count = 0;
let cold = firstCold;
const api = {
  port: apiPort,
  headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
};
const timers = [
  setInterval(() => {
    count += 1;
    ask('redirect', 302, {
      port: redirectPorts[count % redirectPorts.length]!,
      path: `/${keys[count % keys.length]!}`,
      headers: {
        host,
        'user-agent': `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/139.0.${count}.0 Safari/537.36`,
        referer: `https://visitor.example/${count}`,
      },
    });
  }, 20),
  setInterval(() => {
    ask(
      'write',
      201,
      { ...api, path: '/links', method: 'POST' },
      JSON.stringify({ url: 'https://example.com/regular' }),
    );
  }, 500),
  setInterval(() => {
    if (cold >= coldLinks) return;
    const options = { port: redirectPorts[0]!, path: `/k${cold}`, headers: { host } };
    cold += 1;
    ask('first redirect', 302, options);
  }, 250),
  setInterval(() => ask(BARE, 200, { port: barePort, path: '/' }), 50),
  setInterval(() => ask('read', 200, { ...api, path: '/links?pageSize=5' }), 250),
  setInterval(() => {
    ask('image', 200, { port: apiPort, path: `/qr?url=https%3A%2F%2Fexample.com%2F${count}` });
  }, 1_000),
];

parentPort!.once('message', () => {
  for (const timer of timers) clearInterval(timer);
  Promise.all(open).then(
    () => {
      agent.destroy();
      bare.close();
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
      parentPort!.postMessage(tally);
    },
    (error: unknown) => {
      throw error;
    },
  );
});
