import { FetchRefused } from '../../infra/fetch-refused.ts';
import { type OutboundRedis, openOutboundRedis } from '../../infra/outbound-redis.ts';
import { defineKind, type Target } from '../kind.ts';
import { type Receipt, SendFailure } from '../receipt.ts';
import type { SentEvent } from '../sent-event.ts';
import { type RedisSettings, readRedis, redisSettings } from './schema.ts';

/*
 * Entries of a Redis stream (https://redis.io/docs/latest/commands/xadd/) with the fields `id`,
 * `type`, `timestamp` and `data`, which is JSON.
 */

/** Errors after which a command fails again until somebody changes the server or the settings. */
const PERMANENT =
  /^(?:WRONGPASS|NOAUTH|NOPERM|WRONGTYPE|ERR (?:AUTH|invalid DB|DB index|Protocol error: unauth))/;

async function send(
  { settings, secret }: Target<RedisSettings>,
  events: readonly SentEvent[],
  receipt: Receipt,
): Promise<void> {
  const { hasPassword: _, ...server } = readRedis(settings.url)!;
  const redis = await open({ ...server, password: secret ?? undefined });
  // A refused password rejects commands with the end of the connection, and is an event itself.
  let refusal: Error | undefined;
  redis.on('error', (error: Error) => {
    if (error.name === 'ReplyError') refusal ??= error;
  });
  try {
    await redis.connect();
    const pipeline = redis.pipeline();
    for (const event of events) pipeline.xadd(...entryOf(settings, event));
    const results = (await pipeline.exec()) ?? [];
    const failed = results.find(([error]) => error !== null)?.[0];
    receipt.accept(events.filter((_event, n) => results[n]?.[0] === null));
    if (failed !== undefined && failed !== null) throw failed;
  } catch (error) {
    throw failureOf(refusal ?? (error as Error));
  } finally {
    redis.disconnect();
  }
}

async function open(server: OutboundRedis) {
  try {
    return await openOutboundRedis(server);
  } catch (error) {
    if (!(error instanceof FetchRefused)) throw error;
    throw new SendFailure(`The server ${error.message}`, { cause: error });
  }
}

/** Describes a failure by what Redis answered, or else without details of the network. */
function failureOf(error: Error): SendFailure {
  const { name, message } = error;
  const isAnswer = name === 'ReplyError' && /^[A-Z]/.test(message);
  return new SendFailure(
    isAnswer ? `Redis answered: ${message.slice(0, 200)}` : 'The server must answer as Redis does',
    // Without the cause, which has the command and its password.
    { isPermanent: isAnswer && PERMANENT.test(message) },
  );
}

function entryOf(
  { stream, maxLength }: RedisSettings,
  event: SentEvent,
): Parameters<import('ioredis').Redis['xadd']> {
  const { id, type, at, click, linkId, domain, key, name, payment } = event;
  const data = {
    ...(event.isTest === true ? { test: true } : {}),
    click,
    linkId: linkId || null,
    domain,
    key,
    ...(name === '' ? {} : { eventName: name }),
    ...(payment === undefined ? {} : { payment }),
  };
  return [
    stream,
    'MAXLEN',
    '~',
    maxLength,
    '*',
    'id',
    id,
    'type',
    type,
    'timestamp',
    at.toISOString(),
    'data',
    JSON.stringify(data),
  ];
}

/** Entries of a stream of Redis. */
export const redis = defineKind<RedisSettings>({
  settings: redisSettings,
  secret: 'optional',
  batch: 500,
  send,
});
