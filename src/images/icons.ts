import { db, execute, rows } from '../infra/db.ts';

/** Time after which an icon is read again when somebody sees it, in days. */
const FRESH_DAYS = 30;
/** The same for a site without an icon, or that could not be read. */
const FRESH_MISS_DAYS = 1;
/** Time after which icons that nobody has seen are deleted, in days. */
const KEPT_DAYS = 120;

/** A stored icon. */
export interface StoredIcon {
  /** `null` if the site has none. */
  png: Buffer | null;
  isFresh: boolean;
}

/** Finds the icon of a site; `undefined` if it was never read. */
export async function findIcon(projectId: string, origin: string): Promise<StoredIcon | undefined> {
  const [icon] = await rows<StoredIcon>(
    db(),
    `SELECT png, read_at > now() - make_interval(days => (CASE WHEN png IS NULL THEN :missDays ELSE :days END)::int) AS "isFresh"
       FROM icons WHERE project_id = :projectId AND origin = :origin`,
    { projectId, origin, days: FRESH_DAYS, missDays: FRESH_MISS_DAYS },
  );
  return icon;
}

/** Stores the icon of a site. An earlier one stays if there is none now. */
export async function storeIcon(
  projectId: string,
  origin: string,
  png: Buffer | null,
): Promise<void> {
  // The workspace may have been deleted meanwhile.
  await execute(
    db(),
    `INSERT INTO icons AS present (project_id, origin, png)
     SELECT id, :origin, :png::bytea FROM workspaces WHERE id = :projectId
     ON CONFLICT (project_id, origin) DO UPDATE
       SET png = coalesce(excluded.png, present.png), read_at = now()`,
    { projectId, origin, png },
  );
}

/** Deletes icons that nobody has seen for long. */
export async function pruneIcons(): Promise<void> {
  await execute(db(), 'DELETE FROM icons WHERE read_at < now() - make_interval(days => ?)', [
    KEPT_DAYS,
  ]);
}
