import {
  connectToOwner,
  type OfflineBehavior,
  ownerOf,
  type Redis,
  type SingleRedis,
} from './redis.ts';
import { OwnerConnection } from './redis-cluster.ts';

/*
 * Channels. A cluster passes messages on among its nodes in no order; those of sharded channels go through the node that
 * has the slot of the channel. So all of ours have one hash tag there: they keep their order, as on a single server.
 */

/** Hash tag, and beginning, of all channels on a cluster. */
const TAG = '{channels}';

/*
 * KEYS[1] channel   ARGV[1] message
 * A replica passes messages on, too, and so does a node that was cut off; neither runs a script.
 */
const PUBLISH = `return redis.call('SPUBLISH', KEYS[1], ARGV[1])`;

interface WithPublish {
  publishSharded(channel: string, message: string): Promise<number>;
}

/** Opens a connection for messages, which has to subscribe again whenever it is ready. */
export const connectSubscriber = (
  url: string,
  offline: OfflineBehavior,
  options: Parameters<typeof connectToOwner>[3] = {},
): SingleRedis => connectToOwner(url, TAG, offline, { ...options, autoResubscribe: false });

/** Sends a message to those who listen to a channel. */
export async function publish(redis: Redis, channel: string, message: string): Promise<void> {
  const server = ownerOf(redis, TAG);
  if (!(server instanceof OwnerConnection)) {
    await server.publish(channel, message);
    return;
  }
  if (!('publishSharded' in server)) {
    server.defineCommand('publishSharded', { numberOfKeys: 1, lua: PUBLISH });
  }
  await (server as SingleRedis & WithPublish).publishSharded(TAG + channel, message);
}

/** The channels among these that have subscribers. */
export async function listenedTo(redis: Redis, channels: readonly string[]): Promise<string[]> {
  const server = ownerOf(redis, TAG);
  const isSharded = server instanceof OwnerConnection;
  const names = isSharded ? channels.map((channel) => TAG + channel) : channels;
  const counts = (await server.call('PUBSUB', [
    isSharded ? 'SHARDNUMSUB' : 'NUMSUB',
    ...names,
  ])) as (string | number)[];
  return channels.filter((_, at) => Number(counts[2 * at + 1]) > 0);
}

/** Subscribes to channels; resolves when messages that are published from now on arrive. */
export async function subscribe(subscriber: SingleRedis, ...channels: string[]): Promise<void> {
  if (subscriber instanceof OwnerConnection) {
    await subscriber.ssubscribe(...channels.map((channel) => TAG + channel));
  } else await subscriber.subscribe(...channels);
}

/** Ends the subscription to a channel. */
export async function unsubscribe(subscriber: SingleRedis, channel: string): Promise<void> {
  if (subscriber instanceof OwnerConnection) await subscriber.sunsubscribe(TAG + channel);
  else await subscriber.unsubscribe(channel);
}

/** Calls the listener for each message. */
export function onMessage(
  subscriber: SingleRedis,
  listener: (channel: string, message: string) => void,
): void {
  subscriber.on('message', listener);
  subscriber.on('smessage', (channel: string, message: string) =>
    listener(channel.slice(TAG.length), message),
  );
}
