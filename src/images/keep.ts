import { db, execute } from '../infra/db.ts';
import { keep, keepOrHandOver } from '../infra/kept.ts';
import { cacheRedis } from '../infra/redis.ts';
import { handlers } from '../queues/job.ts';
import { DESIGN_IMAGES } from '../short-links/history.ts';
import { keepFile, pruneFiles } from './files.ts';
import { pruneIcons } from './icons.ts';
import { imageJobs, imageMaintenanceJobs } from './jobs.ts';
import { imageName, type MadeImage } from './name.ts';
import { readImage } from './read.ts';

/**
 * Time to live of images in the cache, in s; images without a workspace are stored nowhere else.
 */
const KEEP_SECONDS = { strangers: 360, workspaces: 3_600 };
/** Time after which images that no code, template or workspace uses are deleted. */
const UNUSED_FOR = '1 day';

/**
 * Reads the bytes of a stored image.
 *
 * @param projectId empty for an image without a workspace
 * @throws Error when it no longer exists
 */
export async function keptImage({
  projectId,
  id,
  handed,
}: MadeImage & { projectId: string }): Promise<Buffer> {
  const cached = await cacheRedis().getBuffer(handed?.name ?? imageName(id));
  if (cached !== null) return cached;
  const row = (await db()('images').where({ project_id: projectId, id }).first('png')) as
    | { png: Buffer }
    | undefined;
  if (row === undefined) throw new Error(`image ${id} is not kept`);
  const options = { budget: 'workspaces', seconds: KEEP_SECONDS.workspaces } as const;
  await keep(cacheRedis(), imageName(id), row.png, options);
  return row.png;
}

/** @param design SQL of a design @returns SQL of the ids of its images */
const imagesOf = (design: string): string =>
  DESIGN_IMAGES.map((name) => `${design}->'${name}'->>'id'`).join(', ');

/** Deletes images that are no longer used. */
export async function pruneImages(): Promise<void> {
  await execute(
    db(),
    `DELETE FROM images i WHERE kept_at < now() - ?::interval
       AND NOT EXISTS (SELECT 1 FROM qrcodes q
                        WHERE q.project_id = i.project_id AND i.id IN (${imagesOf('q.design')}))
       AND NOT EXISTS (SELECT 1 FROM templates t
                        WHERE t.project_id = i.project_id AND i.id IN (${imagesOf('t.design')}))
       AND NOT EXISTS (SELECT 1 FROM trash r
                        WHERE r.project_id = i.project_id AND i.id IN (${imagesOf("r.record->'design'")}))
       AND NOT EXISTS (SELECT 1 FROM scheduled_changes s
                        WHERE s.project_id = i.project_id AND i.id IN (${imagesOf("s.changes->'design'")}))
       AND NOT EXISTS (SELECT 1 FROM record_changes h
                        WHERE h.project_id = i.project_id AND i.id = ANY(h.image_ids))
       AND NOT EXISTS (SELECT 1 FROM workspaces w WHERE w.id = i.project_id AND w.logo->>'id' = i.id)`,
    [UNUSED_FOR],
  );
}

export const imageHandlers = handlers(imageJobs, {
  /**
   * Fetches an image and stores it: for a workspace in the database, otherwise for minutes in the
   * cache or, if there is no space, for the requester alone.
   *
   * @throws Refusal `unprocessable_entity`, whose message completes "<field> …", or
   * `service_unavailable`
   */
  async 'image.keep'({ source }, { projectId }) {
    const isOfNobody = projectId === '';
    const { id, png, width, height } = await readImage(source, { isOfNobody });
    if (isOfNobody) {
      const options = { budget: 'strangers', seconds: KEEP_SECONDS.strangers } as const;
      const handed = await keepOrHandOver(cacheRedis(), imageName(id), png, options);
      return { id, width, height, handed };
    }
    await execute(
      db(),
      `INSERT INTO images (project_id, id, png, width, height) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (project_id, id) DO UPDATE SET kept_at = now()`,
      [projectId, id, png, width, height],
    );
    return { id, width, height };
  },

  /** Fetches a file and stores it for the workspace. @throws Refusal as {@link keepFile} */
  'file.keep': ({ source }, { projectId }) => keepFile(projectId, source),
});

/** Deletes images, files and icons that are no longer used. */
async function prune(): Promise<void> {
  await pruneImages();
  await pruneFiles();
  await pruneIcons();
}

export const imageMaintenanceHandlers = handlers(imageMaintenanceJobs, {
  'images.prune': prune,
});
