import { config } from '../config.ts';
import { type Db, db, execute, rows } from '../infra/db.ts';
import type { Log } from '../infra/log.ts';
import type { JobContext } from '../queues/definition.ts';
import { handlers } from '../queues/job.ts';
import { publishRecordEvent } from '../webhooks/outbox.ts';
import { type DestinationAnswer, DestinationAsker } from './ask-destination.ts';
import { DESTINATION_STATES } from './destination-state.ts';
import { announceExpired } from './expire.ts';
import { linkMaintenanceJobs } from './jobs.ts';
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
/** Due destinations that a run looks at besides, so that a host with many does not hide the others. */
const LOOKED_AT = 20_000;
/** Most further destinations of a link that are checked. */
const MOST_OTHERS = 10;
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
  /** Further destinations of the link. */
  others: string[];
  host: string;
  /** It answered at its last check, and has not been due for long. */
  was_well: boolean;
}

/** What a check found: the answer of the worst destination of a link. */
interface Found extends DestinationAnswer {
  /** The destination that gave it. */
  url: string;
  /** A host that asked for a pause. */
  rest?: { host: string; seconds: number } | undefined;
}

/** SQL of the further destinations of a row of `links`, each once and in the order of the alphabet. */
const OTHERS = `ARRAY(
  SELECT other FROM (
    SELECT unnest(ARRAY[ios, android, expired_url]) AS other
    UNION SELECT value FROM jsonb_each_text(CASE jsonb_typeof(geo) WHEN 'object' THEN geo END)
    UNION SELECT value ->> 'url' FROM jsonb_array_elements(CASE jsonb_typeof(rules) WHEN 'array' THEN rules END)
    UNION SELECT value ->> 'url'
            FROM jsonb_array_elements(CASE jsonb_typeof(test_variants) WHEN 'array' THEN test_variants END)
           WHERE test_completed_at IS NULL OR test_completed_at > now()) AS named
   WHERE other ~* '^https\\?://' AND other <> url ORDER BY other LIMIT ${MOST_OTHERS})`;

/** Runs the checks that are due; does nothing where they are switched off, or another process does so. */
export async function checkDestinations(_data: object, { log }: JobContext): Promise<void> {
  if (config().DESTINATION_CHECK_HOURS === 0) return;
  const [walk] = await rows<{ project_id: string; link_id: string }>(
    db(),
    `UPDATE destination_walk SET held_until = now() + make_interval(secs => ?)
      WHERE held_until < now() RETURNING project_id, link_id`,
    [HELD_SECONDS],
  );
  if (walk === undefined) return;
  try {
    await noteDestinations(walk);
    await saveAll(await askAll(await findDue()), log);
  } finally {
    await execute(db(), "UPDATE destination_walk SET held_until = '-infinity'");
  }
}

/** Notes the destinations of the next links after a place, and the place that was reached. */
async function noteDestinations(after: { project_id: string; link_id: string }): Promise<void> {
  const links = (columns: string) =>
    `SELECT project_id, id${columns} FROM links WHERE (project_id, id) > (:project_id, :link_id)`;
  const inOrder = 'ORDER BY project_id, id LIMIT :limit';
  const bindings = { ...after, limit: WALKED_PER_RUN };
  await execute(
    db(),
    `INSERT INTO destination_checks AS known (project_id, link_id, url, others, host)
     SELECT walked.project_id, walked.id, walked.url, walked.others, lower(substring(walked.url FROM '^[^/]*//([^/\\?#]*)'))
       FROM (${links(`, url, ${OTHERS} AS others`)} ${inOrder}) AS walked
       LEFT JOIN destination_checks noted ON noted.project_id = walked.project_id AND noted.link_id = walked.id
      WHERE walked.url ~* '^https\\?://' AND (noted.url, noted.others) IS DISTINCT FROM (walked.url, walked.others)
     ON CONFLICT (project_id, link_id) DO UPDATE
        SET url = excluded.url, others = excluded.others, host = excluded.host, state = NULL, failures = 0, next_check_at = now()`,
    bindings,
  );
  await execute(
    db(),
    `WITH walked AS (${links('')} ${inOrder}),
          last AS (SELECT project_id, id FROM walked ORDER BY project_id DESC, id DESC LIMIT 1),
          reached AS (SELECT count(*) = :limit AS is_full FROM walked)
     UPDATE destination_walk
        SET project_id = CASE WHEN is_full THEN last.project_id ELSE '' END,
            link_id = CASE WHEN is_full THEN last.id ELSE '' END
       FROM reached LEFT JOIN last ON true`,
    bindings,
  );
}

/**
 * The destinations of a run: those that have waited longest, hosts in turn. Those of a host that has more than fit into a
 * run are put off by minutes, and those of links that have another destination by now until the walk has noted it.
 */
async function findDue(): Promise<Due[]> {
  const [size] = await rows<{ links: number }>(
    db(),
    "SELECT reltuples AS links FROM pg_class WHERE oid = 'destination_checks'::regclass",
  );
  const runs = config().DESTINATION_CHECK_HOURS * 60;
  const most = Math.max(LEAST_PER_RUN, Math.ceil((size!.links * SPARE) / runs));
  // With limits that Postgres knows when it plans.
  return rows<Due>(
    db(),
    `WITH looked_at AS MATERIALIZED (
       SELECT * FROM destination_checks WHERE next_check_at <= now() ORDER BY next_check_at LIMIT :lookedAt),
     ranked AS MATERIALIZED (
       SELECT d.*, l.id IS NOT NULL AS is_present,
              row_number() OVER (PARTITION BY l.id IS NOT NULL, d.host ORDER BY d.next_check_at) AS turn
         FROM looked_at d LEFT JOIN links l ON l.project_id = d.project_id AND l.id = d.link_id AND l.url = d.url),
     put_off AS (
       UPDATE destination_checks d
          SET next_check_at = now() + make_interval(mins => CASE WHEN is_present THEN (turn / :perHost)::int ELSE 60 END)
         FROM ranked r
        WHERE d.project_id = r.project_id AND d.link_id = r.link_id AND d.url = r.url
          AND (r.turn > :perHost OR NOT r.is_present))
     SELECT project_id, link_id, url, others, host,
            coalesce(state IN ('ok', 'redirecting'), false) AND next_check_at > now() - interval '1 day' AS was_well
       FROM ranked WHERE is_present AND turn <= :perHost
      ORDER BY turn, next_check_at LIMIT :most`,
    { perHost: PER_HOST, most, lookedAt: most + LOOKED_AT },
  );
}

/** Asks destinations, hosts side by side. A host that asks for a pause is not asked further. */
async function askAll(due: readonly Due[]): Promise<Map<Due, Found>> {
  const until = Date.now() + RUN_MS;
  const answers = new Map<Due, Found>();
  const hosts = byHost(due);
  const askHosts = async () => {
    for (let host = hosts.shift(); host !== undefined; host = hosts.shift()) {
      for (const one of host) {
        if (Date.now() > until) return;
        const found = await askDestinations(one);
        answers.set(one, found);
        if (found.rest?.host === one.host) break;
      }
    }
  };
  await Promise.all(Array.from({ length: HOSTS_AT_ONCE }, askHosts));
  return answers;
}

/** Asks the destinations of a link, until one fails. */
async function askDestinations({ url, others }: Due): Promise<Found> {
  let worst: Found | undefined;
  let rest: Found['rest'];
  for (const one of [url, ...others]) {
    const answer = await asker.ask(one);
    if (answer.restSeconds !== undefined) {
      rest = { host: new URL(one).host, seconds: answer.restSeconds };
    }
    if (worst === undefined || badness(answer) > badness(worst)) worst = { ...answer, url: one };
    if (worst.state === 'failing') break;
  }
  return { ...worst!, rest };
}

const badness = ({ state }: DestinationAnswer): number => DESTINATION_STATES.indexOf(state);

function byHost(due: readonly Due[]): Due[][] {
  const hosts = new Map<string, Due[]>();
  for (const one of due) hosts.set(one.host, [...(hosts.get(one.host) ?? []), one]);
  return [...hosts.values()];
}

async function saveAll(answers: ReadonlyMap<Due, Found>, log: Log): Promise<void> {
  if (isOurOutage(answers)) {
    log.warn({ destinations: answers.size }, 'no destination responds: is there a network?');
    return;
  }
  for (const [one, answer] of answers) {
    await db().transaction((trx) => save(trx, one, answer));
    const { rest } = answer;
    if (rest === undefined) continue;
    await execute(
      db(),
      `UPDATE destination_checks SET next_check_at = now() + make_interval(secs => :seconds)
        WHERE host = :host AND next_check_at < now() + make_interval(secs => :seconds)`,
      { ...rest },
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
async function save(trx: Db, due: Due, answer: Found): Promise<void> {
  const { DESTINATION_CHECK_HOURS, DESTINATION_FAILURES } = config();
  const { project_id: projectId, link_id: linkId, url } = due;
  // The link first, as all its writers do.
  const [before] = await rows<{ failures: number; broken_since: Date | null }>(
    trx,
    `WITH l AS MATERIALIZED (
       SELECT project_id, id FROM links
        WHERE project_id = :projectId AND id = :linkId AND url = :url FOR NO KEY UPDATE)
     SELECT d.failures, d.broken_since
       FROM l
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
        SET state = :state, other_url = :otherUrl, status = :status, error = :error, leads_to = :leadsTo, failures = :failures,
            checked_at = now(), next_check_at = now() + make_interval(mins => :minutes),
            broken_since = CASE WHEN :isBroken THEN coalesce(broken_since, now()) WHEN :isWell THEN NULL
                                ELSE broken_since END
      WHERE project_id = :projectId AND link_id = :linkId`,
    {
      projectId,
      linkId,
      state: isBroken ? 'broken' : state,
      otherUrl: answer.url === url ? null : answer.url,
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

export const linkMaintenanceHandlers = handlers(linkMaintenanceJobs, {
  'links.expire': announceExpired,
  'destinations.check': checkDestinations,
});
