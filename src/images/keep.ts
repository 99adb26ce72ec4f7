import { db, execute } from '../infra/db.ts';
import { cacheRedis } from '../infra/redis.ts';
import type { JobContext } from '../queues/queue.ts';
import { type ImageRef, imageName } from './name.ts';
import { readImage } from './read.ts';

/** Retention of images without a workspace, and time to live of all others in the cache, in s. */
const KEEP_SECONDS = 86_400;
/** A little longer, so that a picture that was just asked for finds its image. */
const GRACE_SECONDS = 3_600;
/** Images that no code, no template and no workspace uses are deleted after this time. */
const UNUSED_FOR = '1 day';

/**
 * Fetches an image and keeps it: for a workspace in the database, otherwise for a day in the cache.
 *
 * @throws Refusal `unprocessable_entity`, whose message completes "<field> …"
 */
export async function keepImage(
  { source }: { source: string },
  { projectId }: JobContext,
): Promise<ImageRef> {
  const { id, png, width, height } = await readImage(source);
  await cacheRedis().set(imageName(id), png, 'EX', KEEP_SECONDS + GRACE_SECONDS);
  if (projectId !== '') {
    await execute(
      db(),
      `INSERT INTO images (project_id, id, png, width, height) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (project_id, id) DO UPDATE SET kept_at = now()`,
      [projectId, id, png, width, height],
    );
  }
  return { id, width, height };
}

/**
 * The bytes of an image that was kept.
 *
 * @param projectId empty for one that belongs to no workspace
 * @throws Error when it is gone
 */
export async function keptImage(projectId: string, id: string): Promise<Buffer> {
  const cached = await cacheRedis().getBuffer(imageName(id));
  if (cached !== null) return cached;
  const row = (await db()('images').where({ project_id: projectId, id }).first('png')) as
    | { png: Buffer }
    | undefined;
  if (row === undefined) throw new Error(`image ${id} is not kept`);
  await cacheRedis().set(imageName(id), row.png, 'EX', KEEP_SECONDS);
  return row.png;
}

/** Deletes images that nothing uses any more. */
export async function pruneImages(): Promise<undefined> {
  await execute(
    db(),
    `DELETE FROM images i WHERE kept_at < now() - ?::interval
       AND NOT EXISTS (SELECT 1 FROM qrcodes q WHERE q.project_id = i.project_id
                         AND i.id IN (q.design->'srcImage'->>'id', q.design->'logoImage'->>'id'))
       AND NOT EXISTS (SELECT 1 FROM templates t WHERE t.project_id = i.project_id
                         AND i.id IN (t.design->'srcImage'->>'id', t.design->'logoImage'->>'id'))
       AND NOT EXISTS (SELECT 1 FROM workspaces w WHERE w.id = i.project_id AND w.logo->>'id' = i.id)`,
    [UNUSED_FOR],
  );
  return undefined;
}
