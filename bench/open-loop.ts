import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { percentileOf } from './figures.ts';

/**
 * Latencies of requests sent at a fixed rate, independent of the answers to earlier ones, in ms.
 */
export interface Latencies {
  perSecond: number;
  p50Ms: number;
  p95Ms: number;
  p99Ms: number;
  p999Ms: number;
  /** Number of answers with another status, and of requests without an answer. */
  errors: number;
}

export interface OpenLoopOptions {
  port: number;
  perSecond: number;
  seconds: number;
  /** Returns the bytes of the request with this number. */
  request(number: number): string;
  /** Status of correct answers. */
  expected?: string;
  /** Called for each correct answer. */
  onAnswer?(): void;
}

const CONNECTIONS = 256;
/** Time limit for missing answers at the end, in ms. */
const LAST_MS = 2_000;

/**
 * Sends requests at the times of a Poisson process, to the millisecond, since visitors do not wait
 * for each other. Latencies count from the due time of a request even if no connection is free, so
 * that a pause of the server affects all requests that fall into it (no coordinated omission).
 */
export async function openLoop(options: OpenLoopOptions): Promise<Latencies> {
  const { port, perSecond, seconds, request, expected = '302', onAnswer } = options;
  const latencies: number[] = [];
  let errors = 0;
  let isOver = false;
  const sockets = new Set<Socket>();
  const free: Socket[] = [];
  const due: number[] = [];
  const sentAt = new Map<Socket, number>();
  let number = 0;
  const send = (socket: Socket, at: number) => {
    sentAt.set(socket, at);
    socket.write(request(number));
    number += 1;
  };
  const use = (socket: Socket) => {
    const next = due.shift();
    if (next === undefined) free.push(socket);
    else send(socket, next);
  };
  const open = async (): Promise<void> => {
    const socket = connect(port, '127.0.0.1').setNoDelay(true);
    await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => {
      sockets.delete(socket);
      const at = free.indexOf(socket);
      if (at !== -1) free.splice(at, 1);
      if (isOver) return;
      // Servers close idle connections. Like a browser, it resends an unanswered request once on
      // another connection; requests to a dead server stay unanswered.
      const before = sentAt.get(socket);
      sentAt.delete(socket);
      const other = before === undefined ? undefined : free.pop();
      if (other !== undefined) send(other, before!);
      else if (before !== undefined) due.push(before);
      open().catch(() => {});
    });
    socket.on('data', (chunk) => {
      // An answer is small and arrives as a whole; the next request on its connection follows it.
      if (chunk.toString('latin1', 0, 9) !== 'HTTP/1.1 ' || !sentAt.has(socket)) return;
      if (chunk.toString('latin1', 9, 12) !== expected) errors += 1;
      else onAnswer?.();
      latencies.push(performance.now() - sentAt.get(socket)!);
      sentAt.delete(socket);
      use(socket);
    });
    use(socket);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, open));
  const began = performance.now();
  const end = began + seconds * 1_000;
  for (let at = began; at < end; await pause(1)) {
    const now = performance.now();
    for (; at <= now && at < end; at += (-Math.log(1 - Math.random()) * 1_000) / perSecond) {
      const socket = free.pop();
      // Timers of the load are up to a millisecond late, which must not count against the server.
      if (socket === undefined) due.push(now);
      else send(socket, performance.now());
    }
  }
  const deadline = performance.now() + LAST_MS;
  while (sentAt.size > 0 && performance.now() < deadline) await pause(10);
  isOver = true;
  const unanswered = sentAt.size + due.length;
  for (const socket of sockets) socket.destroy();
  if (errors + unanswered > 0) console.error({ otherStatuses: errors, unanswered });
  return {
    perSecond: latencies.length / seconds,
    p50Ms: percentileOf(latencies, 0.5),
    p95Ms: percentileOf(latencies, 0.95),
    p99Ms: percentileOf(latencies, 0.99),
    p999Ms: percentileOf(latencies, 0.999),
    errors: errors + unanswered,
  };
}

/** A random integer from 0 to below `limit`. */
export const below = (limit: number): number => Math.floor(Math.random() * limit);

/** The request of a browser, each from a different visitor. */
export const browserRequest = (
  number: number,
  key: string,
  address = `10.${below(256)}.${below(256)}.${below(256)}`,
): string =>
  `GET /${key} HTTP/1.1\r\nHost: localhost\r\n` +
  `User-Agent: Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${100 + (number % 40)}.0.0.0 Safari/537.36\r\n` +
  'Accept: text/html,application/xhtml+xml\r\nAccept-Language: en-GB,en;q=0.9\r\nAccept-Encoding: gzip, deflate, br\r\n' +
  `X-Forwarded-For: ${address}\r\n\r\n`;
