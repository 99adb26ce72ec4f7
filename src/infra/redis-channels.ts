import {
  connectToOwner,
  type OfflineBehavior,
  ownerOf,
  type Redis,
  type SingleRedis,
} from './redis.ts';
import { OwnerConnection } from './redis-cluster.ts';

/*
 * Channels for messages. A cluster distributes messages among its nodes in no particular order, but
 * those of sharded channels go through the node that owns the channel's slot. All channels
 * therefore share one hash tag on a cluster, and messages keep their order, as on a single server.
 */

/** Hash tag at the beginning of all channels on a cluster. */
const TAG = '{channels}';

/*
 * KEYS[1] channel   ARGV[1] message
 *
 * Replicas and disconnected nodes distribute messages as well, but neither runs a script.
 */
const PUBLISH = `return redis.call('SPUBLISH', KEYS[1], ARGV[1])`;

interface WithPublish {
  publishSharded(channel: string, message: string): Promise<number>;
}

/** Opens a connection for messages; it has to subscribe again whenever it becomes ready. */
export const connectSubscriber = (
  url: string,
  offline: OfflineBehavior,
  options: Parameters<typeof connectToOwner>[3] = {},
): SingleRedis => connectToOwner(url, TAG, offline, { ...options, autoResubscribe: false });

/** Sends a message to the subscribers of a channel. */
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

/** Returns the channels among these that have subscribers. */
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

/** Subscribes to channels. Resolves when messages published from now on will arrive. */
export async function subscribe(subscriber: SingleRedis, ...channels: string[]): Promise<void> {
  if (subscriber instanceof OwnerConnection) {
    await subscriber.ssubscribe(...channels.map((channel) => TAG + channel));
  } else await subscriber.subscribe(...channels);
}

/** Unsubscribes from a channel. */
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
