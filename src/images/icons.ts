import { db, execute, rows } from '../infra/db.ts';

/** Time after which an icon is read again when somebody sees it, in days. */
const FRESH_DAYS = 30;
/** The same for a site without an icon, or that could not be read. */
const FRESH_MISS_DAYS = 1;
/** Time after which a site that did not respond in time is asked again, in hours. */
const LATE_HOURS = 1;
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

/** The outcome of reading the icon of a site. */
export interface ReadIcon extends Pick<StoredIcon, 'png'> {
  /** True if the site did not respond in time. */
  isLate: boolean;
}

/** Stores the icon of a site. An earlier one stays if there is none now. */
export async function storeIcon(
  projectId: string,
  origin: string,
  { png, isLate }: ReadIcon,
): Promise<void> {
  const ageHours = png === null && isLate ? FRESH_MISS_DAYS * 24 - LATE_HOURS : 0;
  // The workspace may have been deleted meanwhile.
  await execute(
    db(),
    `INSERT INTO icons AS present (project_id, origin, png, read_at)
     SELECT id, :origin, :png::bytea, now() - make_interval(hours => :ageHours)
       FROM workspaces WHERE id = :projectId
     ON CONFLICT (project_id, origin) DO UPDATE
       SET png = coalesce(excluded.png, present.png), read_at = excluded.read_at`,
    { projectId, origin, png, ageHours },
  );
}

/** Deletes icons that nobody has seen for long. */
export async function pruneIcons(): Promise<void> {
  await execute(db(), 'DELETE FROM icons WHERE read_at < now() - make_interval(days => ?)', [
    KEPT_DAYS,
  ]);
}
