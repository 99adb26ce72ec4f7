import { db, rows } from '../infra/db.ts';
import { publishEvents, recordEvent } from '../webhooks/outbox.ts';
import { linkQueries } from './queries.ts';

/** Links per transaction. */
const BATCH = 500;
/** Age in days from which an expiry is not announced, such as that of an imported link. */
const NEWS_DAYS = 1;

/** SQL: links that have expired, by date or by number of visits. */
const EXPIRED = `
  SELECT l.project_id, l.id FROM links l
   WHERE l.expires_at <= now() AND l.expires_at > now() - make_interval(days => :days)
   UNION
  SELECT l.project_id, l.id FROM links l JOIN counters c ON c.project_id = l.project_id AND c.record_id = l.id
   WHERE l.max_visits IS NOT NULL AND c.visits + c.suspects >= l.max_visits`;

/**
 * Announces expired links to webhooks and people: once, and again if a link was valid in between.
 */
export async function announceExpired(): Promise<void> {
  await forgetValid();
  while ((await announceSome()) === BATCH);
}

async function forgetValid(): Promise<void> {
  await db().raw(
    `DELETE FROM expired_links e USING links l
      WHERE l.project_id = e.project_id AND l.id = e.link_id
        AND (l.expires_at IS NULL OR l.expires_at > now())
        AND (l.max_visits IS NULL OR NOT EXISTS (
              SELECT FROM counters c WHERE c.project_id = l.project_id AND c.record_id = l.id
                 AND c.visits + c.suspects >= l.max_visits))`,
  );
}

/** @returns the number of announced links */
function announceSome(): Promise<number> {
  return db().transaction(async (trx) => {
    const told = await rows<{ project_id: string; link_id: string }>(
      trx,
      `INSERT INTO expired_links
       SELECT x.project_id, x.id FROM (${EXPIRED}) AS x
        WHERE NOT EXISTS (SELECT FROM expired_links e WHERE e.project_id = x.project_id AND e.link_id = x.id)
        ORDER BY x.project_id, x.id LIMIT :batch
       ON CONFLICT DO NOTHING RETURNING project_id, link_id`,
      { days: NEWS_DAYS, batch: BATCH },
    );
    for (const projectId of new Set(told.map(({ project_id }) => project_id))) {
      const ids = told.flatMap((one) => (one.project_id === projectId ? [one.link_id] : []));
      const links = await linkQueries.findAll(projectId, ids.toSorted(), trx);
      await publishEvents(
        trx,
        projectId,
        links.map((link) => recordEvent('link.expired', link)),
      );
    }
    return told.length;
  });
}
