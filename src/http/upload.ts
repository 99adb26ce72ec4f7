import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Refusal } from '../errors.ts';
import { newId } from '../ids.ts';
import { noRoom, type Place, release, reserve } from '../infra/kept.ts';
import type { Redis } from '../infra/redis.ts';
import { seal, unseal } from '../infra/seal.ts';
import { ClientGone, MEBIBYTE, refuseEncoding, typeOf } from './input.ts';
import type { RouteSpec } from './route.ts';

/*
 * A file on its way to a worker, stored in parts in Redis and encrypted, because it may contain
 * passwords. The worker deletes it after storing what it needs; a file that nobody reads expires.
 */

/** A file in Redis. */
export interface Upload {
  id: string;
  parts: number;
  bytes: number;
  /** Digest in hexadecimal. */
  sha256: string;
  /** Reservation of its bytes in Redis; files of version 0.5 and earlier have none. */
  place?: Place | undefined;
}

/** Size of a part, in bytes. */
const PART_BYTES = 256 * 1024;
/** Time to live of a file, in seconds; longer than an outage of workers. */
const KEEP_SECONDS = 6 * 3_600;
/** Maximum number of a workspace's files that wait for a worker. */
const MAX_WAITING = 5;

/** Pattern of the names of all parts in Redis. */
export const UPLOAD_NAMES = 'upload:*';

const partName = (id: string, part: number) => `upload:${id}:${part}`;
/** Sorted set of a workspace's unread files, by their expiry. */
const waitingName = (projectId: string) => `uploads:${projectId}`;

/**
 * Streams the body of a request to Redis.
 *
 * @throws Refusal `bad_request` for a wrong content type or a body over the limit,
 * `rate_limit_exceeded` when too many files of the workspace wait for a worker,
 * `service_unavailable` when all files together reach UPLOADS_MIB
 */
export async function receiveUpload(
  request: IncomingMessage,
  { media, limit: usual, limits = {} }: NonNullable<RouteSpec<object>['upload']>,
  projectId: string,
  redis: Redis,
): Promise<Upload> {
  try {
    const limit = limits[typeOf(request)] ?? usual;
    refuseHeaders(request, media, limit);
    const upload: Upload = { id: newId('job'), parts: 0, bytes: 0, sha256: '' };
    await enter(redis, projectId, upload.id);
    try {
      await storeParts(request, limit, upload, { projectId, redis });
    } catch (thrown) {
      await dropUpload(redis, projectId, upload).catch(() => {});
      throw thrown instanceof Refusal || !request.destroyed ? thrown : new ClientGone();
    }
    return upload;
  } catch (thrown) {
    // Discards the rest: a client that is still sending would not see the answer otherwise.
    request.resume();
    throw thrown;
  }
}

function refuseHeaders(request: IncomingMessage, media: readonly string[], limit: number): void {
  if (!media.includes(typeOf(request))) {
    throw new Refusal(
      'bad_request',
      `The Content-Type of the body must be one of ${media.join(', ')}`,
    );
  }
  refuseEncoding(request);
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
}

const tooLarge = (limit: number): Refusal =>
  new Refusal('bad_request', `The body must not be larger than ${limit / MEBIBYTE} MiB`);

async function enter(redis: Redis, projectId: string, id: string): Promise<void> {
  const name = waitingName(projectId);
  const now = Date.now();
  await redis.zremrangebyscore(name, 0, now);
  await redis.zadd(name, now + KEEP_SECONDS * 1_000, id);
  await redis.expire(name, KEEP_SECONDS);
  if ((await redis.zcard(name)) <= MAX_WAITING) return;
  await redis.zrem(name, id);
  throw new Refusal(
    'rate_limit_exceeded',
    `The workspace must not have more than ${MAX_WAITING} files that wait to be read; try again later`,
  );
}

/** Stores the parts, and completes the upload with size and digest. */
async function storeParts(
  request: IncomingMessage,
  limit: number,
  upload: Upload,
  { projectId, redis }: { projectId: string; redis: Redis },
): Promise<void> {
  const hash = createHash('sha256');
  let gathered: Buffer[] = [];
  let size = 0;
  const store = async () => {
    if (size === 0) return;
    const part = Buffer.concat(gathered);
    [gathered, size] = [[], 0];
    const name = partName(upload.id, upload.parts);
    upload.parts += 1;
    const sealed = seal({ purpose: 'upload', owner: projectId }, part.toString('latin1'));
    const bytes = Buffer.byteLength(sealed);
    const place = await reserve(redis, 'uploads', bytes, {
      seconds: KEEP_SECONDS,
      until: upload.place?.until,
    });
    if (place === undefined) throw noRoom();
    upload.place = { ...place, bytes: bytes + (upload.place?.bytes ?? 0) };
    await redis.set(name, sealed, 'EX', KEEP_SECONDS);
  };
  // A refusal is answered on the same connection.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    upload.bytes += chunk.length;
    if (upload.bytes > limit) throw tooLarge(limit);
    hash.update(chunk);
    gathered.push(chunk);
    size += chunk.length;
    if (size >= PART_BYTES) await store();
  }
  await store();
  upload.sha256 = hash.digest('hex');
}

/**
 * Reads the bytes of a file, in parts.
 *
 * @throws Refusal `conflict` when it has expired or Redis has lost it
 */
export async function* readUpload(
  redis: Redis,
  projectId: string,
  { id, parts }: Upload,
): AsyncGenerator<Buffer, void, undefined> {
  for (let part = 0; part < parts; part += 1) {
    const sealed = await redis.get(partName(id, part));
    if (sealed === null) {
      throw new Refusal('conflict', 'The file was lost before it was read; send it again');
    }
    yield Buffer.from(unseal({ purpose: 'upload', owner: projectId }, sealed), 'latin1');
  }
}

/** Deletes a file that is no longer needed. */
export async function dropUpload(
  redis: Redis,
  projectId: string,
  { id, parts, place }: Pick<Upload, 'id' | 'parts' | 'place'>,
): Promise<void> {
  const names = Array.from({ length: parts }, (_, part) => partName(id, part));
  // One key per command, because on a cluster any two may be on different nodes.
  await Promise.all(names.map((name) => redis.del(name)));
  // A file may be dropped twice, but its bytes are released once.
  const wasWaiting = await redis.zrem(waitingName(projectId), id);
  if (wasWaiting === 1 && place !== undefined) await release(redis, place);
}
