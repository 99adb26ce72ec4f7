import { config } from '../config.ts';
import { type Db, db, execute, rows } from '../infra/db.ts';
import type { Log } from '../infra/log.ts';
import type { JobContext } from '../queues/queue.ts';
import { publishRecordEvent } from '../webhooks/outbox.ts';
import { type DestinationAnswer, DestinationAsker } from './ask-destination.ts';
import { linkQueries } from './queries.ts';

/*
 * Checks of destinations. A run, every minute, first walks over some links and notes destinations that are new or were
 * changed; then it asks those that are due. Each has its next time: an interval after a check, sooner after a failure.
 * A run takes so many that all of them have their turn within an interval, and of one host no more than fit into it.
 */

/** Links that one run walks over: seven million in a day. */
const WALKED_PER_RUN = 5_000;
/** Fewest destinations of a run, so that new ones of a small installation are checked at once. */
const LEAST_PER_RUN = 200;
/** Share of a run beyond the average, for repeated checks and hosts that make it wait. */
const SPARE = 1.5;
/** Destinations of one host in a run: each takes up to two requests, at one a second. */
const PER_HOST = 20;
const HOSTS_AT_ONCE = 20;
/** When a run begins no further check, in ms, and when another process may begin one, in seconds. */
const RUN_MS = 40_000;
const HELD_SECONDS = 170;
/** Time until a failed check is repeated the first time, in minutes; each further time takes four times as long. */
const RETRY_MINUTES = 15;
/** Hosts that fell silent together from which on our own network is taken to be the cause. */
const SILENT_HOSTS = 3;

/** Of all runs: a host is not asked by two of them within a second. */
const asker = new DestinationAsker();

/** A destination that is due. */
interface Due {
  project_id: string;
  link_id: string;
  url: string;
  host: string;
  /** It answered at its last check, and has not been due for long. */
  was_well: boolean;
}

/** Runs the checks that are due; does nothing where they are switched off, or another process does so. */
export async function checkDestinations(_data: object, { log }: JobContext): Promise<undefined> {
  if (config().DESTINATION_CHECK_HOURS === 0) return undefined;
  const [walk] = await rows<{ project_id: string; link_id: string }>(
    db(),
    `UPDATE destination_walk SET held_until = now() + make_interval(secs => ?)
      WHERE held_until < now() RETURNING project_id, link_id`,
    [HELD_SECONDS],
  );
  if (walk === undefined) return undefined;
  try {
    await noteDestinations(walk);
    await saveAll(await askAll(await findDue()), log);
  } finally {
    await execute(db(), "UPDATE destination_walk SET held_until = '-infinity'");
  }
  return undefined;
}

/** Notes the destinations of the next links after a place, and the place that was reached. */
async function noteDestinations(after: { project_id: string; link_id: string }): Promise<void> {
  const links =
    'SELECT project_id, id, url FROM links WHERE (project_id, id) > (:project_id, :link_id)';
  const inOrder = 'ORDER BY project_id, id LIMIT :limit';
  const bindings = { ...after, limit: WALKED_PER_RUN };
  await execute(
    db(),
    `INSERT INTO destination_checks AS known (project_id, link_id, url, host)
     SELECT walked.project_id, walked.id, walked.url, lower(substring(walked.url FROM '^[^/]*//([^/\\?#]*)'))
       FROM (${links} ${inOrder}) AS walked
       LEFT JOIN destination_checks noted ON noted.project_id = walked.project_id AND noted.link_id = walked.id
      WHERE walked.url ~* '^https\\?://' AND noted.url IS DISTINCT FROM walked.url
     ON CONFLICT (project_id, link_id) DO UPDATE
        SET url = excluded.url, host = excluded.host, state = NULL, failures = 0, next_check_at = now()`,
    bindings,
  );
  await execute(
    db(),
    `WITH walked AS (${links} ${inOrder}),
          last AS (SELECT project_id, id FROM walked ORDER BY project_id DESC, id DESC LIMIT 1),
          reached AS (SELECT count(*) = :limit AS is_full FROM walked)
     UPDATE destination_walk
        SET project_id = CASE WHEN is_full THEN last.project_id ELSE '' END,
            link_id = CASE WHEN is_full THEN last.id ELSE '' END
       FROM reached LEFT JOIN last ON true`,
    bindings,
  );
}

/** The destinations of a run: those that have waited longest, hosts in turn. */
function findDue(): Promise<Due[]> {
  const runs = config().DESTINATION_CHECK_HOURS * 60;
  return rows<Due>(
    db(),
    `SELECT project_id, link_id, url, host,
            coalesce(state IN ('ok', 'redirecting'), false) AND next_check_at > now() - interval '1 day' AS was_well
       FROM (
       SELECT d.*, row_number() OVER (PARTITION BY d.host ORDER BY d.next_check_at) AS turn
         FROM destination_checks d JOIN links l ON l.project_id = d.project_id AND l.id = d.link_id AND l.url = d.url
        WHERE d.next_check_at <= now()) AS due
      WHERE turn <= :perHost ORDER BY turn, next_check_at
      LIMIT (SELECT greatest(:least, ceil(reltuples * :share)::bigint) FROM pg_class
              WHERE oid = 'destination_checks'::regclass)`,
    { perHost: PER_HOST, least: LEAST_PER_RUN, share: SPARE / runs },
  );
}

/** Asks destinations, hosts side by side. A host that asks for a pause is not asked further. */
async function askAll(due: readonly Due[]): Promise<Map<Due, DestinationAnswer>> {
  const until = Date.now() + RUN_MS;
  const answers = new Map<Due, DestinationAnswer>();
  const hosts = byHost(due);
  const askHosts = async () => {
    for (let host = hosts.shift(); host !== undefined; host = hosts.shift()) {
      for (const one of host) {
        if (Date.now() > until) return;
        const answer = await asker.ask(one.url);
        answers.set(one, answer);
        if (answer.restSeconds !== undefined) break;
      }
    }
  };
  await Promise.all(Array.from({ length: HOSTS_AT_ONCE }, askHosts));
  return answers;
}

function byHost(due: readonly Due[]): Due[][] {
  const hosts = new Map<string, Due[]>();
  for (const one of due) hosts.set(one.host, [...(hosts.get(one.host) ?? []), one]);
  return [...hosts.values()];
}

async function saveAll(answers: ReadonlyMap<Due, DestinationAnswer>, log: Log): Promise<void> {
  if (isOurOutage(answers)) {
    log.warn({ destinations: answers.size }, 'no destination responds: is there a network?');
    return;
  }
  for (const [one, answer] of answers) {
    await db().transaction((trx) => save(trx, one, answer));
    const { restSeconds } = answer;
    if (restSeconds === undefined) continue;
    await execute(
      db(),
      `UPDATE destination_checks SET next_check_at = now() + make_interval(secs => :restSeconds)
        WHERE host = :host AND next_check_at < now() + make_interval(secs => :restSeconds)`,
      { host: one.host, restSeconds },
    );
  }
}

/**
 * True when no host gave any response, several of which did at their last check: then links are not broken, and nobody
 * wants to be told so. After a day the answers count all the same.
 */
function isOurOutage(answers: ReadonlyMap<Due, DestinationAnswer>): boolean {
  const hosts = new Set([...answers.keys()].filter((one) => one.was_well).map(({ host }) => host));
  return (
    hosts.size >= SILENT_HOSTS &&
    [...answers.values()].every(({ status, state }) => status === null && state === 'failing')
  );
}

/** Stores what a check found, and publishes the event of a link that broke or recovered. */
async function save(trx: Db, due: Due, answer: DestinationAnswer): Promise<void> {
  const { DESTINATION_CHECK_HOURS, DESTINATION_FAILURES } = config();
  const { project_id: projectId, link_id: linkId, url } = due;
  // The link first, as all its writers do.
  const [before] = await rows<{ failures: number; broken_since: Date | null }>(
    trx,
    `SELECT d.failures, d.broken_since
       FROM (SELECT project_id, id FROM links
              WHERE project_id = :projectId AND id = :linkId AND url = :url FOR NO KEY UPDATE) AS l
       JOIN destination_checks d ON d.project_id = l.project_id AND d.link_id = l.id AND d.url = :url`,
    { projectId, linkId, url },
  );
  // The link was deleted or changed meanwhile.
  if (before === undefined) return;
  const { state, status, error, leadsTo } = answer;
  const failures = {
    ok: 0,
    redirecting: 0,
    unclear: before.failures,
    failing: before.failures + 1,
  };
  const isBroken = state === 'failing' && failures.failing >= DESTINATION_FAILURES;
  const isWell = state === 'ok' || state === 'redirecting';
  const intervalMinutes = DESTINATION_CHECK_HOURS * 60;
  const retryMinutes = RETRY_MINUTES * 4 ** before.failures;
  await execute(
    trx,
    `UPDATE destination_checks
        SET state = :state, status = :status, error = :error, leads_to = :leadsTo, failures = :failures,
            checked_at = now(), next_check_at = now() + make_interval(mins => :minutes),
            broken_since = CASE WHEN :isBroken THEN coalesce(broken_since, now()) WHEN :isWell THEN NULL
                                ELSE broken_since END
      WHERE project_id = :projectId AND link_id = :linkId`,
    {
      projectId,
      linkId,
      state: isBroken ? 'broken' : state,
      status,
      error,
      leadsTo,
      failures: failures[state],
      minutes:
        state === 'failing' && !isBroken
          ? Math.min(retryMinutes, intervalMinutes)
          : intervalMinutes,
      isBroken,
      isWell,
    },
  );
  const kind =
    before.broken_since === null ? isBroken && 'link.broken' : isWell && 'link.recovered';
  if (kind === false) return;
  await publishRecordEvent(trx, projectId, kind, await linkQueries.get(projectId, linkId, trx));
}
